/** Place in a line of work, where owners take turns, and so do the requests of each owner. */
export interface Place {
  /** Id of the organization that the work is for; the caller's subnet without one; empty for the process itself. */
  readonly owner: string;
  readonly request: string;
}

/** Work at the front of a line. */
interface Next<Work> {
  readonly work: Work;
  /** Counts the time that the work took. Must be called before the next `take`. */
  readonly charge: (ms: number) => void;
}

export interface FairLine<Work> {
  readonly size: () => number;
  add(place: Place, work: Work): void;
  /** Removes the next work. */
  take(): Next<Work> | undefined;
}

interface Owner<Work> {
  /** Time charged to the owner, counted from that of the others when the owner joined the line. */
  ms: number;
  /** Waiting work by request. The first request is next. */
  readonly requests: Map<string, Work[]>;
}

/**
 * Creates a line of work. The owner whose work has taken least time is next, so each gets the same share however much of
 * their work waits. An owner gains nothing by staying away. Requests of one owner take turns.
 */
export function createFairLine<Work>(): FairLine<Work> {
  const owners = new Map<string, Owner<Work>>();
  let size = 0;
  /** Time charged to the owner of the latest work before it started. */
  let reached = 0;
  return {
    size: () => size,
    add({ owner: name, request }, work) {
      const owner = owners.get(name) ?? { ms: reached, requests: new Map() };
      owners.set(name, owner);
      const waiting = owner.requests.get(request) ?? [];
      owner.requests.set(request, waiting);
      waiting.push(work);
      size += 1;
    },
    take() {
      let next: [string, Owner<Work>] | undefined;
      for (const other of owners) if (!next || other[1].ms < next[1].ms) next = other;
      if (!next) return undefined;
      const [name, owner] = next;
      const work = takeFirst(owner.requests);
      if (work === undefined) return undefined;
      size -= 1;
      reached = owner.ms;
      return {
        work,
        charge(ms) {
          owner.ms += ms;
          if (owner.requests.size === 0) owners.delete(name);
        },
      };
    },
  };
}

/** Removes the first work of the first request, and moves the request to the end. */
function takeFirst<Work>(requests: Map<string, Work[]>): Work | undefined {
  for (const [name, waiting] of requests) {
    const work = waiting.shift();
    requests.delete(name);
    if (waiting.length > 0) requests.set(name, waiting);
    return work;
  }
  return undefined;
}
