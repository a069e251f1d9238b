/** Owner of a task, and the time in milliseconds that the task may wait to start. */
export interface Queued {
  readonly ownerId: string;
  readonly msLeft: number;
}

export interface FairQueueOptions {
  /** Maximum number of one owner's running tasks. */
  readonly perOwner: number;
  /** Maximum number of all running tasks. */
  readonly total?: number;
  /** Maximum number of one owner's waiting tasks. Tasks without a time limit are never refused. */
  readonly maxWaiting?: number;
  /** Creates the error for a task that has waited too long, or whose owner has too many waiting tasks. */
  readonly refuse: () => Error;
}

/** Runs a task when its turn comes. If it waits too long or the queue is full, rejects with `refuse()` instead. */
export type Enqueue = <T>(queued: Queued, task: () => Promise<T>) => Promise<T>;

interface Owner {
  running: number;
  /** Functions that start the waiting tasks, oldest first. */
  readonly waiting: (() => void)[];
}

/** Creates a queue of tasks. Owners with waiting tasks take turns; each owner's oldest task starts first. */
export function createFairQueue({
  perOwner,
  total = Number.POSITIVE_INFINITY,
  maxWaiting = Number.POSITIVE_INFINITY,
  refuse,
}: FairQueueOptions): Enqueue {
  const owners = new Map<string, Owner>();
  let running = 0;

  const begin = (owner: Owner) => {
    owner.running += 1;
    running += 1;
  };
  const canStart = (owner: Owner) => running < total && owner.running < perOwner;

  /** Ends a task, and starts the next task of the first owner who may run one. */
  const end = (id: string, ended: Owner) => {
    ended.running -= 1;
    running -= 1;
    forgetIdle(id, ended);
    for (const [next, owner] of owners) {
      const start = canStart(owner) ? owner.waiting.shift() : undefined;
      if (!start) continue;
      // Moves the owner to the end.
      owners.delete(next);
      owners.set(next, owner);
      begin(owner);
      return start();
    }
  };
  const forgetIdle = (id: string, { running: own, waiting }: Owner) => {
    if (own + waiting.length === 0) owners.delete(id);
  };

  const wait = (id: string, owner: Owner, ms: number) =>
    new Promise<void>((resolve, reject) => {
      const isPatient = ms === Number.POSITIVE_INFINITY;
      if (!isPatient && owner.waiting.length >= maxWaiting) return reject(refuse());
      let timer: NodeJS.Timeout | undefined;
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      owner.waiting.push(start);
      if (isPatient) return;
      timer = setTimeout(() => {
        owner.waiting.splice(owner.waiting.indexOf(start), 1);
        forgetIdle(id, owner);
        reject(refuse());
      }, ms);
    });

  return async ({ ownerId, msLeft }, task) => {
    const owner = owners.get(ownerId) ?? { running: 0, waiting: [] };
    owners.set(ownerId, owner);
    if (canStart(owner)) begin(owner);
    else await wait(ownerId, owner, msLeft);
    try {
      return await task();
    } finally {
      end(ownerId, owner);
    }
  };
}
