export interface FairQueueOptions {
  /** Maximum number of tasks running at the same time. */
  readonly atOnce: number;
  readonly maxWaiting: number;
  /** Creates the error for a refused task. */
  readonly refuse: () => Error;
}

/** A task waiting for its turn. */
interface Waiting {
  start(): void;
  refuse(): void;
}

/** Waiting tasks in order, or groups of them by name. The first group is next. */
interface Group {
  size: number;
  readonly tasks: Waiting[];
  readonly groups: Map<string, Group>;
}

export type FairQueue = <Result>(path: readonly string[], work: () => Promise<Result>) => Promise<Result>;

/**
 * Creates a queue of tasks. A task's path names its group, the group within that, and so on. Groups with the same
 * parent take turns, however many tasks each has. If too many are waiting, the queue refuses the latest task of the
 * largest group, so a caller who fills the queue displaces only their own tasks. All paths must have the same length.
 */
export function createFairQueue({ atOnce, maxWaiting, refuse }: FairQueueOptions): FairQueue {
  const root = createGroup();
  let running = 0;
  const run = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } finally {
      // The next task takes this one's slot.
      const next = takeFirst(root);
      if (next) next.start();
      else running -= 1;
    }
  };
  return (path, work) => {
    if (running < atOnce) {
      running += 1;
      return run(work);
    }
    return new Promise((resolve, reject) => {
      add(root, path, { start: () => resolve(run(work)), refuse: () => reject(refuse()) });
      if (root.size > maxWaiting) takeExcess(root)?.refuse();
    });
  };
}

const createGroup = (): Group => ({ size: 0, tasks: [], groups: new Map() });

function add(root: Group, path: readonly string[], task: Waiting): void {
  let group = root;
  group.size += 1;
  for (const name of path) {
    const inner = group.groups.get(name) ?? createGroup();
    group.groups.set(name, inner);
    group = inner;
    group.size += 1;
  }
  group.tasks.push(task);
}

/** Removes the next task, and moves its groups to the end of the line. */
function takeFirst(group: Group): Waiting | undefined {
  const [first] = group.groups;
  if (!first) return takeFrom(group, group.tasks.shift());
  const [name, inner] = first;
  const task = takeFrom(group, takeFirst(inner));
  group.groups.delete(name);
  if (inner.size > 0) group.groups.set(name, inner);
  return task;
}

/** Removes the latest task of the largest group; of equally large groups, the last one. */
function takeExcess(group: Group): Waiting | undefined {
  if (group.groups.size === 0) return takeFrom(group, group.tasks.pop());
  const [name, inner] = [...group.groups].reduce((max, other) =>
    other[1].size >= max[1].size ? other : max,
  );
  const task = takeFrom(group, takeExcess(inner));
  if (inner.size === 0) group.groups.delete(name);
  return task;
}

function takeFrom(group: Group, task: Waiting | undefined): Waiting | undefined {
  if (task) group.size -= 1;
  return task;
}
