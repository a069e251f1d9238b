import { MAX_FIRST_LINES } from "../../../domain/emissions/questions.js";
import { readUnit, type Unit } from "../../../domain/ghg/units.js";
import { foldText } from "../../../domain/texts/fold.js";
import type { DistinctActivity, Naming } from "../../../files/csv/rows/distinct-activities.js";

/** A distinct text, unit and region of a file, which is resolved once. */
export interface ActivityGroup {
  readonly naming: Naming;
  readonly unit: Unit;
  /** Code of the region; null if neither the rows nor their facilities have one. */
  readonly region: string | null;
  /** Numbers of the file's activities in this group. */
  readonly activities: readonly number[];
  readonly rows: number;
  readonly firstLines: readonly number[];
  readonly firstYear: number;
  readonly lastYear: number;
}

/**
 * Groups the activities that occur in valid rows of a file. `countryOf` returns the countries of facilities that the
 * file creates, because a later row may be the first to state a facility's country.
 */
export function groupActivities(
  activities: readonly DistinctActivity[],
  countryOf: (facility: string) => string | null,
): readonly ActivityGroup[] {
  const groups = new Map<string, ActivityGroup>();
  for (const [index, activity] of activities.entries()) {
    if (activity.rows === 0) continue;
    const { naming, firstLines, rows, firstYear, lastYear } = activity;
    const region = activity.region ?? (activity.facility === null ? null : countryOf(activity.facility));
    const unit = readUnit(activity.unit);
    const texts = Object.values(naming).map(foldText);
    const key = JSON.stringify([...texts, unit.name, region]);
    const known = groups.get(key);
    groups.set(key, {
      naming: known?.naming ?? naming,
      unit,
      region,
      activities: [...(known?.activities ?? []), index],
      rows: (known?.rows ?? 0) + rows,
      firstLines: [...(known?.firstLines ?? []), ...firstLines]
        .toSorted((a, b) => a - b)
        .slice(0, MAX_FIRST_LINES),
      firstYear: Math.min(known?.firstYear ?? firstYear, firstYear),
      lastYear: Math.max(known?.lastYear ?? lastYear, lastYear),
    });
  }
  return [...groups.values()];
}

/** Returns the id, text or gas that names a group. */
export const textOf = ({ naming }: Pick<ActivityGroup, "naming">): string =>
  naming.factor_id ||
  naming.source_factor_id ||
  [naming.activity, naming.detail].filter(Boolean).join(", ") ||
  naming.gas;
