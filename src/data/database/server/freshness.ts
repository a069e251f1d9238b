/** Maximum number of organizations with their own position. */
const MAX_ORGANIZATIONS = 10_000;

/** Number of samples to keep for measuring lags: two minutes of heartbeats, or half a minute of polls. */
const MAX_SAMPLES = 600;

/**
 * Positions in the primary's write-ahead log, in bytes, that a replica must have replayed before it may answer an
 * organization's reads: those of the changes that this process knows of.
 */
export interface Freshness {
  /**
   * Notes a change; null means all organizations. Without a position, no replica is fresh for them until a sample that
   * starts later.
   */
  changed(organizationId: string | null, position?: number): void;
  /** Notes that changes may have been missed. */
  lost(): void;
  /** Starts a sample of the primary's position. Call the returned function with the position. */
  sample(): (position: number) => void;
  /** Returns the position that an organization's reads need (null: reads without one); infinity if unknown. */
  neededBy(organizationId: string | null): number;
  /** Returns the lag in milliseconds of a replica at a position. */
  lagAt(position: number): number;
  /** Drops the positions that every serving replica has replayed. */
  forget(replayed: number): void;
}

export function createFreshness(): Freshness {
  /** Position that all organizations need. */
  let floor = 0;
  const needed = new Map<string | null, number>();
  /** Numbers of the changes whose position is unknown, by organization. At first, any may have been missed. */
  const unknown = new Map<string | null, number>([[null, 0]]);
  let changes = 0;
  let samples: { readonly at: number; readonly position: number }[] = [];

  const need = (organizationId: string | null, position: number) => {
    if (organizationId === null) floor = Math.max(floor, position);
    else needed.set(organizationId, Math.max(position, needed.get(organizationId) ?? 0));
    if (needed.size <= MAX_ORGANIZATIONS) return;
    floor = Math.max(floor, ...needed.values());
    needed.clear();
  };
  const noteUnknown = (organizationId: string | null) => {
    changes += 1;
    unknown.set(unknown.size < MAX_ORGANIZATIONS ? organizationId : null, changes);
  };
  return {
    changed(organizationId, position) {
      if (position === undefined) noteUnknown(organizationId);
      else need(organizationId, position);
    },
    lost() {
      // The next primary may be a replica that was behind the previous one.
      floor = 0;
      needed.clear();
      samples = [];
      noteUnknown(null);
    },
    sample() {
      const [at, before] = [performance.now(), changes];
      return (position) => {
        // Changes may have been missed since, and this position may be of the previous primary.
        if ((unknown.get(null) ?? 0) > before) return;
        for (const [organizationId, change] of unknown) {
          if (change > before) continue;
          unknown.delete(organizationId);
          need(organizationId, position);
        }
        samples.push({ at, position });
        if (samples.length > MAX_SAMPLES) samples.shift();
      };
    },
    neededBy(organizationId) {
      if (unknown.has(null) || unknown.has(organizationId)) return Number.POSITIVE_INFINITY;
      return Math.max(floor, needed.get(organizationId) ?? 0);
    },
    lagAt(position) {
      const unreached = samples.find((sample) => sample.position > position);
      return unreached ? performance.now() - unreached.at : 0;
    },
    forget(replayed) {
      for (const [organizationId, position] of needed) {
        if (position > replayed) continue;
        needed.delete(organizationId);
        need(null, position);
      }
    },
  };
}
