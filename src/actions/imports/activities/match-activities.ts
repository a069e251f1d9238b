import { createFairQueue } from "../../../data/database/fair-queue.js";
import type { SqlSession } from "../../../data/database/types.js";
import { listAllFactors, readFactorVersion } from "../../../data/factors/factors.js";
import { type KeyedMapping, listKeyedMappings } from "../../../data/mappings/write-mappings.js";
import { mappingKeyOf } from "../../../domain/ghg/activity-mapping.js";
import { createThreads } from "../../../threads.js";
import type { ActivityGroup } from "./groups.js";
import { MAX_CPU_MS, outOfTime } from "./limits.js";
import type { FactorPart, Matched, MatchResult, MatchTask } from "./matching.js";

/** One thread, because each keeps an index of the factors, which takes a second to build. */
const thread = createThreads(new URL("matching.js", import.meta.url), { maxThreads: 1, idleMs: 300_000 });

/** Lets organizations take turns, however many activities each has. */
const inTurn = createFairQueue({
  perOwner: 1,
  total: 1,
  refuse: () => new Error("a task never waits in vain"),
});

const run = <Result>(ownerId: string, task: () => Promise<Result>): Promise<Result> =>
  inTurn({ ownerId, msLeft: Number.POSITIVE_INFINITY }, task);

/** Number of activities to send to the thread at a time. */
const AT_ONCE = 50;
/** Number of factors to send to the thread at a time, which takes a few milliseconds. */
const FACTORS_AT_ONCE = 400;

/** An import whose activities are matched. */
export interface MatchedImport {
  readonly sql: Pick<SqlSession, "query">;
  readonly organizationId: string;
  /** Ends the work; `matchActivities` then throws its reason. */
  readonly signal: AbortSignal;
  readonly maxCpuMs?: number;
}

/**
 * Matches the activities of a file with emission factors in a thread, in order. Activities that are left when the file
 * has used up its CPU time have a problem instead.
 */
export async function matchActivities(
  matching: MatchedImport,
  groups: readonly ActivityGroup[],
): Promise<readonly Matched[]> {
  const { signal } = matching;
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
  });
  signal.addEventListener("abort", abort);
  try {
    // The client need not wait for the thread to finish its slice.
    return await Promise.race([matchInSlices(matching, groups), aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function matchInSlices(
  { sql, organizationId, signal, maxCpuMs = MAX_CPU_MS }: MatchedImport,
  groups: readonly ActivityGroup[],
): Promise<readonly Matched[]> {
  const owners = await listOwners(sql, organizationId);
  const matched: Matched[] = [];
  for (let cpuMs = 0; matched.length < groups.length && cpuMs < maxCpuMs; ) {
    const next = groups.slice(matched.length, matched.length + AT_ONCE);
    const task: MatchTask = {
      tables: [...owners.keys()],
      mappings: await listMappings(sql, organizationId, next),
      groups: next,
    };
    const result = await run<MatchResult>(organizationId, () => {
      signal.throwIfAborted();
      return thread().run(task, { name: "match" });
    });
    if ("missing" in result) {
      for (const name of result.missing) await sendFactors(sql, name, owners.get(name) ?? null);
      continue;
    }
    matched.push(...result.matched);
    cpuMs += result.cpuMs;
  }
  const rest = groups.slice(matched.length);
  const problem = outOfTime(maxCpuMs);
  return [
    ...matched,
    ...rest.map((group): Matched => ({ group, by: null, factors: [], candidates: [], problem, choices: [] })),
  ];
}

/** Maps names of factor tables to their owners. A name changes with the factors. */
async function listOwners(sql: Pick<SqlSession, "query">, organizationId: string) {
  const owners = new Map<string, string | null>();
  for (const owner of [null, organizationId]) {
    const version = await readFactorVersion({ select: sql.query }, owner);
    if (version !== null) owners.set(`${owner ?? "published"} ${version}`, owner);
  }
  return owners;
}

/** Lists the mappings that may apply to activities. */
const listMappings = (
  sql: Pick<SqlSession, "query">,
  organizationId: string,
  groups: readonly ActivityGroup[],
): Promise<KeyedMapping[]> =>
  listKeyedMappings(
    sql,
    organizationId,
    groups.flatMap(({ naming: { activity }, unit, region }) =>
      [...new Set([region, null])].map((code) => mappingKeyOf(activity, unit, code)),
    ),
  );

/** Tables that are being sent. */
const sending = new Map<string, Promise<void>>();

/** Sends an owner's factors to the thread. Imports that need the same ones wait for the same transfer. */
function sendFactors(sql: Pick<SqlSession, "query">, name: string, owner: string | null): Promise<void> {
  const sent = sending.get(name) ?? send().finally(() => sending.delete(name));
  sending.set(name, sent);
  return sent;

  async function send() {
    const rows = await listAllFactors({ select: sql.query }, owner);
    for (let start = 0; start < rows.length; start += FACTORS_AT_ONCE) {
      const part = rows.slice(start, start + FACTORS_AT_ONCE);
      const task: FactorPart = {
        name,
        rows: part,
        isFirst: start === 0,
        isLast: start + part.length === rows.length,
      };
      await run(owner ?? "published", () => thread().run(task, { name: "keepFactors" }));
    }
  }
}
