/** Whose statement is queued, and how many milliseconds it may wait. */
export interface Queued {
  readonly tenantId: string;
  readonly msLeft: number;
}

/**
 * Makes a queue for each tenant, which runs at most `limit` of the tenant's tasks at a time, first come first served. A
 * task that has waited for too long is rejected without being run, as its caller has given up.
 */
export function createTenantQueue(limit: number): <T>(queued: Queued, task: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return async ({ tenantId, msLeft }, task) => {
    const queue = queues.get(tenantId) ?? { running: 0, waiting: [] };
    queues.set(tenantId, queue);
    const start = performance.now();
    // A task that ends hands its place to the first that waits.
    if (queue.running < limit) queue.running += 1;
    else await new Promise<void>((go) => queue.waiting.push(go));
    try {
      if (performance.now() - start > msLeft) throw new Error("the statement waited too long for its turn");
      return await task();
    } finally {
      const next = queue.waiting.shift();
      if (next) next();
      else queue.running -= 1;
      if (queue.running === 0) queues.delete(tenantId);
    }
  };
}
