// Runs in the thread of match-activities.ts.
import { LRUCache } from "lru-cache";
import type { FactorRow } from "../../../data/factors/factors.js";
import type { Choice } from "../../../data/imports/choices.js";
import type { KeyedMapping } from "../../../data/mappings/write-mappings.js";
import { createChoices, listUsed } from "./choices.js";
import type { ActivityGroup } from "./groups.js";
import { combineTables, createFactorTable, type FactorTable, type KnownFactors } from "./known-factors.js";
import type { ActivityOutcome } from "./report.js";
import { type Resolved, resolveActivities } from "./resolve.js";

/** Maximum number of owners whose factors the thread keeps. */
const MAX_TABLES = 20;
/** Time in milliseconds after which a task returns what it has, so that the files of others have their turn. */
const SLICE_MS = 50;

const tables = new LRUCache<string, FactorTable>({ max: MAX_TABLES });
const combined = new LRUCache<string, KnownFactors>({ max: MAX_TABLES });

/** Part of an owner's factors. `name` changes with any of them. */
export interface FactorPart {
  readonly name: string;
  readonly rows: readonly FactorRow[];
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

const incomplete = new Map<string, FactorRow[]>();

/** Keeps an owner's factors once the last part has arrived. */
export async function keepFactors({ name, rows, isFirst, isLast }: FactorPart): Promise<void> {
  const all = isFirst ? [] : (incomplete.get(name) ?? []);
  all.push(...rows);
  incomplete.set(name, all);
  if (!isLast) return;
  incomplete.delete(name);
  tables.set(name, await createFactorTable(all));
}

/** Activities to match with the factors of the named tables. */
export interface MatchTask {
  readonly tables: readonly string[];
  readonly mappings: readonly KeyedMapping[];
  readonly groups: readonly ActivityGroup[];
}

/** A matched activity, and how to calculate its rows. */
export interface Matched extends ActivityOutcome {
  readonly choices: readonly Choice[];
}

/** The first activities of a task, at least one; or the names of missing tables. */
export type MatchResult =
  | { readonly missing: readonly string[] }
  | { readonly matched: readonly Matched[]; readonly cpuMs: number };

export async function match(task: MatchTask): Promise<MatchResult> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const found = task.tables.map((name) => tables.get(name));
  const missing = task.tables.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) return { missing };
  const name = task.tables.join(" ");
  const factors = combined.get(name) ?? (await combineTables(found.flatMap((table) => table ?? [])));
  combined.set(name, factors);
  const isTimeUp = () => performance.now() - start >= SLICE_MS;
  const resolved = await resolveActivities(factors, task.mappings, task.groups, isTimeUp);
  const choices = await createChoices(
    factors,
    resolved.filter((one) => "resolution" in one),
  );
  const matched = resolved.map((one) => outcomeOf(one, choices.get(one.group) ?? []));
  const { user, system } = process.cpuUsage(cpu);
  // The time of the whole process includes other threads, and the elapsed time includes other processes.
  return { matched, cpuMs: Math.min(performance.now() - start, (user + system) / 1_000) };
}

function outcomeOf(one: Resolved, choices: readonly Choice[]): Matched {
  const { group } = one;
  if (!("resolution" in one)) {
    return { group, by: null, factors: [], candidates: one.candidates, problem: one.problem, choices };
  }
  const { resolution } = one;
  const used = listUsed(group, resolution).flatMap((edition) => edition?.factor ?? []);
  const factors = [...new Map(used.map((factor) => [factor.id, factor])).values()];
  const isUsable = choices.length > 0;
  return {
    group,
    by: isUsable ? resolution.by : null,
    factors: isUsable ? factors : [],
    candidates: [],
    choices,
  };
}
