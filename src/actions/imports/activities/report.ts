import type { FactorRow } from "../../../data/factors/factors.js";
import { type ActivityGroup, textOf } from "./groups.js";
import type { ResolvedBy } from "./resolve.js";

/** A factor in the report of an import, with the names of JSON. */
export interface ShownFactor {
  readonly id: string;
  readonly activity: string;
  readonly factor_exact: string;
  readonly unit: string;
  readonly source: string;
  readonly source_year: number;
}

/** An activity of a file. */
export interface ActivityItem {
  readonly text: string;
  readonly unit: string;
  readonly region: string | null;
  readonly rows: number;
  readonly first_lines: number[];
  readonly status: "resolved" | "unresolved";
  readonly by: ResolvedBy | null;
  /** One factor for each edition that the file's years need. */
  readonly factors: (ShownFactor & { readonly year: number })[];
  /** At most three candidates for an unresolved activity. */
  readonly candidates: ShownFactor[];
}

/** The activities of a file: unresolved ones first, then by number of rows; at most 200. With the names of JSON. */
export interface ActivityReport {
  readonly distinct: number;
  readonly resolved: number;
  readonly unresolved: number;
  readonly unresolved_rows: number;
  readonly items: ActivityItem[];
}

/** Outcome of resolving an activity. */
export interface ActivityOutcome {
  readonly group: ActivityGroup;
  readonly by: ResolvedBy | null;
  readonly factors: readonly FactorRow[];
  readonly candidates: readonly FactorRow[];
}

const MOST_ITEMS = 200;

/** Describes the activities of a file. */
export function reportActivities(outcomes: readonly ActivityOutcome[]): ActivityReport {
  const unresolved = outcomes.filter(({ by }) => by === null);
  const sorted = outcomes.toSorted(
    (a, b) => Number(b.by === null) - Number(a.by === null) || b.group.rows - a.group.rows,
  );
  return {
    distinct: outcomes.length,
    resolved: outcomes.length - unresolved.length,
    unresolved: unresolved.length,
    unresolved_rows: unresolved.reduce((rows, { group }) => rows + group.rows, 0),
    items: sorted.slice(0, MOST_ITEMS).map(({ group, by, factors, candidates }) => ({
      text: textOf(group),
      unit: group.unit.name,
      region: group.region,
      rows: group.rows,
      first_lines: [...group.firstLines],
      status: by === null ? "unresolved" : "resolved",
      by,
      factors: factors.map((factor) => ({ year: factor.sourceYear, ...show(factor) })),
      candidates: candidates.map(show),
    })),
  };
}

const show = ({ id, activity, factorExact, unit, source, sourceYear }: FactorRow): ShownFactor => ({
  id,
  activity,
  factor_exact: factorExact,
  unit,
  source,
  source_year: sourceYear,
});
