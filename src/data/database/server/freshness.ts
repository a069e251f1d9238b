/** Maximum number of organizations with their own position. */
const MAX_ORGANIZATIONS = 10_000;

/** Number of samples to keep for measuring lags: two minutes of heartbeats. */
const MAX_SAMPLES = 600;

/**
 * Positions in the primary's write-ahead log, in bytes, that a replica must have replayed before it may answer an
 * organization's reads: those of the changes that this process knows of.
 */
export interface Freshness {
  /**
   * Notes a change; null stands for all organizations. Without a position, replicas are unusable until a new sample.
   */
  changed(organizationId: string | null, position?: number): void;
  /** Notes that changes may have been missed. */
  lost(): void;
  /** Starts a sample of the primary's position. Call the returned function with the position. */
  sample(): (position: number) => void;
  /** Returns the position that an organization's reads need; infinity if unknown. */
  neededBy(organizationId: string): number;
  /** Returns the lag in milliseconds of a replica at a position. */
  lagAt(position: number): number;
  /** Drops the positions that every serving replica has replayed. */
  forget(replayed: number): void;
}

export function createFreshness(): Freshness {
  const needed = new Map<string, number>();
  /** Position that all organizations need; infinity until the primary's first answer. */
  let floor = Number.POSITIVE_INFINITY;
  /** Number of times that the floor was reset. */
  let losses = 0;
  let samples: { readonly at: number; readonly position: number }[] = [];

  const raise = (position: number) => {
    floor = Math.max(floor, position);
  };
  const lose = () => {
    floor = Number.POSITIVE_INFINITY;
    losses += 1;
  };
  return {
    changed(organizationId, position) {
      if (position === undefined) lose();
      else if (organizationId === null) raise(position);
      else needed.set(organizationId, Math.max(position, needed.get(organizationId) ?? 0));
      if (needed.size <= MAX_ORGANIZATIONS) return;
      for (const one of needed.values()) raise(one);
      needed.clear();
    },
    lost() {
      lose();
      // The next primary may be a replica that was behind the previous one.
      needed.clear();
      samples = [];
    },
    sample() {
      const [at, lossesBefore] = [performance.now(), losses];
      return (position) => {
        if (losses !== lossesBefore) return;
        if (floor === Number.POSITIVE_INFINITY) floor = position;
        samples.push({ at, position });
        if (samples.length > MAX_SAMPLES) samples.shift();
      };
    },
    neededBy: (organizationId) => Math.max(floor, needed.get(organizationId) ?? 0),
    lagAt(position) {
      const unreached = samples.find((sample) => sample.position > position);
      return unreached ? performance.now() - unreached.at : 0;
    },
    forget(replayed) {
      for (const [organizationId, position] of needed) {
        if (position > replayed) continue;
        needed.delete(organizationId);
        raise(position);
      }
    },
  };
}
