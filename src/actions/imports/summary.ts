import type { Counts } from "../../data/database/upsert.js";
import type { StagedRecord, StagedSummary } from "../../data/imports/summarize-records.js";
import type { ActivityReport } from "../../domain/emissions/activity-report.js";
import type { Question } from "../../domain/emissions/questions.js";
import type { NewFacility } from "../../domain/emissions/records.js";
import type { IsoDate } from "../../domain/window.js";
import type { Columns } from "../../files/csv/fields.js";
import type { Problem } from "../../files/csv/problems.js";
import type { RowReader } from "../../files/csv/rows/row-reader.js";

/** Result of an import, or the expected result in a dry run. */
export interface ImportSummary extends Counts {
  /** Id for undoing the import; null for a dry run. */
  readonly id: string | null;
  readonly file: string;
  /** The organization's slug. */
  readonly organization: string;
  readonly dryRun: boolean;
  /** Rows of the file, without its header and empty lines. */
  readonly rows: number;
  /** Blank amounts that were skipped. */
  readonly skipped: number;
  /** Rows with an amount that was rounded to 6 decimals. */
  readonly rounded: number;
  /** Exact sums of all records of the file, new or not. */
  readonly co2eTonnes: StagedSummary["tonnes"];
  readonly firstDay: IsoDate | null;
  readonly lastDay: IsoDate | null;
  /** Records dated after today; figures include them from their day on. */
  readonly datedAhead: number;
  /** Number of facilities that the file names. */
  readonly facilities: number;
  readonly facilitiesCreated: number;
  /** The five largest records. */
  readonly largest: readonly (Omit<StagedRecord, "facilityId"> & {
    /** The facility's code. */
    readonly facility: string | null;
  })[];
  readonly ignoredColumns: readonly string[];
  /** The columns of the header with the field that each was read as; null for an ignored column. */
  readonly columns: Columns["named"];
  /** Questions about probable errors that the file raised; in a completed import, all are accepted. */
  readonly questions: readonly Question[];
  /** Present if the file has activities. */
  readonly activities?: ActivityReport;
  /** Present if the import leaves out rows with problems. */
  readonly refused?: RefusedRows;
}

/** Rows that an import leaves out, with their problems. */
export interface RefusedRows {
  readonly rows: number;
  /** In the order of their lines. */
  readonly problems: readonly Problem[];
}

interface Parts {
  readonly request: { readonly file: string; readonly organization: string; readonly dryRun: boolean };
  readonly done: Counts & { readonly id: string | null };
  readonly columns: Columns;
  readonly rows: RowReader;
  readonly staged: StagedSummary;
  /** Facilities that the organization had before, by code. */
  readonly facilities: ReadonlyMap<string, { readonly id: string }>;
  readonly created: readonly NewFacility[];
  readonly questions: readonly Question[];
  readonly activities: ActivityReport | undefined;
  readonly refused: RefusedRows | undefined;
}

/** Combines the parts of an import into its summary. */
export function summarizeImport({
  request,
  done,
  columns,
  rows,
  staged,
  facilities,
  created,
  questions,
  activities,
  refused,
}: Parts): ImportSummary {
  const { file, organization, dryRun } = request;
  const codes = new Map([
    ...[...facilities].map(([code, { id }]) => [id, code] as const),
    ...created.map(({ code, id }) => [id, code] as const),
  ]);
  return {
    id: done.id,
    file,
    organization,
    dryRun,
    rows: rows.rows,
    added: done.added,
    updated: done.updated,
    unchanged: done.unchanged,
    skipped: rows.skipped,
    rounded: rows.rounded,
    co2eTonnes: staged.tonnes,
    firstDay: staged.firstDay,
    lastDay: staged.lastDay,
    datedAhead: staged.ahead,
    facilities: staged.facilities,
    facilitiesCreated: created.length,
    largest: staged.largest.map(({ facilityId, ...record }) => ({
      ...record,
      facility: facilityId === null ? null : (codes.get(facilityId) ?? null),
    })),
    ignoredColumns: rows.ignored,
    columns: columns.named,
    questions,
    ...(activities && { activities }),
    ...(refused && { refused }),
  };
}
