import type { FactorRow } from "../../../data/factors/factors.js";
import type {
  ActivityReport,
  MatchProblem,
  ResolvedBy,
  ShownFactor,
} from "../../../domain/emissions/activity-report.js";
import { type ActivityGroup, textOf } from "./groups.js";

/** Outcome of resolving an activity. */
export interface ActivityOutcome {
  readonly group: ActivityGroup;
  readonly by: ResolvedBy | null;
  readonly factors: readonly FactorRow[];
  readonly candidates: readonly FactorRow[];
  readonly problem?: MatchProblem | undefined;
}

const MAX_ITEMS = 200;

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
    items: sorted.slice(0, MAX_ITEMS).map(({ group, by, factors, candidates, problem }) => ({
      text: textOf(group),
      unit: group.unit.name,
      region: group.region,
      rows: group.rows,
      first_lines: [...group.firstLines],
      status: by === null ? "unresolved" : "resolved",
      by,
      factors: factors.map((factor) => ({ year: factor.sourceYear, ...show(factor) })),
      candidates: candidates.map(show),
      ...(problem && { problem }),
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
