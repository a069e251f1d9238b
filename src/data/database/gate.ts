/** Work of somebody, and how long it may wait for its turn. */
export interface Turn {
  readonly name: string;
  readonly msLeft: number;
}

/**
 * Makes the function that does at most `most` things at a time for each name. Others of that name wait for their turn,
 * first come first served. What has waited for longer than it may is not begun: nobody waits for it any more.
 */
export function createGate(most: number): <T>(turn: Turn, work: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return async ({ name, msLeft }, work) => {
    const line = lines.get(name) ?? { running: 0, waiting: [] };
    lines.set(name, line);
    const came = performance.now();
    // Whoever ends gives its place to the first that waits.
    if (line.running < most) line.running += 1;
    else await new Promise<void>((go) => line.waiting.push(go));
    try {
      if (performance.now() - came > msLeft) throw new Error("the turn came too late");
      return await work();
    } finally {
      const next = line.waiting.shift();
      if (next) next();
      else line.running -= 1;
      if (line.running === 0) lines.delete(name);
    }
  };
}
