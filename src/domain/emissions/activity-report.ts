/** Ways in which an import finds the emission factor of an activity, in order of precedence. */
export const RESOLVED_BY = ["factor_id", "source_factor_id", "mapping", "name", "search"] as const;
export type ResolvedBy = (typeof RESOLVED_BY)[number];

/** A factor in the report of an import, with JSON names. */
export interface ShownFactor {
  readonly id: string;
  readonly activity: string;
  readonly factor_exact: string;
  readonly unit: string;
  readonly source: string;
  readonly source_year: number;
}

/** Reason for an incomplete search for an activity. */
export interface MatchProblem {
  readonly expected: string;
  readonly got: string;
}

/** An activity in a file. */
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
  /** Present if the search for an unresolved activity is incomplete. */
  readonly problem?: MatchProblem;
}

/** Activities in a file: unresolved ones first, then by number of rows; at most 200. With JSON names. */
export interface ActivityReport {
  readonly distinct: number;
  readonly resolved: number;
  readonly unresolved: number;
  readonly unresolved_rows: number;
  readonly items: ActivityItem[];
}
