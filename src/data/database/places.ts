/** The owner of a task, and the milliseconds the task may wait for a place. */
export interface Queued {
  readonly ownerId: string;
  readonly msLeft: number;
}

export interface PlacesOptions {
  /** Maximum number of an owner's tasks that run at a time. */
  readonly each: number;
  /** Maximum number of all tasks that run at a time. */
  readonly inAll?: number;
  /** Maximum number of an owner's waiting tasks. Tasks without a time limit are never refused. */
  readonly mostWaiting?: number;
  /** Creates the error of a task that has waited too long, or whose owner has too many tasks waiting. */
  readonly refuse: () => Error;
}

/** Runs a task once it has a place. A refused task has not run. */
export type WithPlace = <T>(queued: Queued, task: () => Promise<T>) => Promise<T>;

interface Owner {
  running: number;
  /** Functions that start the waiting tasks, oldest first. */
  readonly waiting: (() => void)[];
}

/** Creates queues of tasks. Owners with waiting tasks take turns; each owner's oldest task starts first. */
export function createPlaces({
  each,
  inAll = Number.POSITIVE_INFINITY,
  mostWaiting = Number.POSITIVE_INFINITY,
  refuse,
}: PlacesOptions): WithPlace {
  const owners = new Map<string, Owner>();
  let running = 0;

  const begin = (owner: Owner) => {
    owner.running += 1;
    running += 1;
  };
  const hasPlace = (owner: Owner) => running < inAll && owner.running < each;

  /** Passes the place of a finished task to the first owner who may have it. */
  const end = (id: string, ended: Owner) => {
    ended.running -= 1;
    running -= 1;
    forgetIdle(id, ended);
    for (const [next, owner] of owners) {
      const start = hasPlace(owner) ? owner.waiting.shift() : undefined;
      if (!start) continue;
      // Last in the order from now on.
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
      if (!isPatient && owner.waiting.length >= mostWaiting) return reject(refuse());
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
    if (hasPlace(owner)) begin(owner);
    else await wait(ownerId, owner, msLeft);
    try {
      return await task();
    } finally {
      end(ownerId, owner);
    }
  };
}
