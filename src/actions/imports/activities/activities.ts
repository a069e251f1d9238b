import type { Choice } from "../../../data/imports/choices.js";
import type { ActivityReport, MatchProblem } from "../../../domain/emissions/activity-report.js";
import type { RowReader } from "../../../files/csv/rows/row-reader.js";
import { groupActivities } from "./groups.js";
import { type MatchedImport, matchActivities } from "./match-activities.js";
import { reportActivities } from "./report.js";

/** Activities of a file with their emission factors. */
export interface ChosenFactors {
  readonly report: ActivityReport;
  /** Calculations of their rows. Rows of an unresolved activity have none. */
  readonly choices: readonly Choice[];
  /** Returns the reason for the incomplete search for an activity, by its number. */
  readonly problemOf: (activity: number) => MatchProblem | undefined;
}

/** Resolves the activities of a file. Throws the signal's reason once it is aborted. */
export async function chooseFactors(
  matching: MatchedImport,
  { activities, newFacilities }: Pick<RowReader, "activities" | "newFacilities">,
): Promise<ChosenFactors> {
  const groups = groupActivities(activities, (facility) => newFacilities.get(facility)?.country ?? null);
  const matched = await matchActivities(matching, groups);
  const problems = new Map(
    matched.flatMap(({ group, problem }) =>
      problem ? group.activities.map((number) => [number, problem]) : [],
    ),
  );
  return {
    report: reportActivities(matched),
    choices: matched.flatMap(({ choices }) => choices),
    problemOf: (activity) => problems.get(activity),
  };
}
