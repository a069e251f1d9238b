import type { Counts } from "../../data/database/upsert.js";
import type { StagedRecord, StagedSummary } from "../../data/imports/summarize-records.js";
import type { Question } from "../../domain/emissions/questions.js";
import type { NewFacility } from "../../domain/emissions/records.js";
import type { IsoDate } from "../../domain/window.js";
import type { Columns } from "../../files/csv/fields.js";
import type { RowReader } from "../../files/csv/rows/rows.js";
import type { ActivityReport } from "./activities/report.js";

/** What an import did, or would do in a dry run. */
export interface ImportSummary extends Counts {
  /** The id that undoes it; null for a dry run. */
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
  /** Facilities that the file names. */
  readonly facilities: number;
  readonly facilitiesCreated: number;
  /** The five largest records. */
  readonly largest: readonly (Omit<StagedRecord, "facilityId"> & {
    /** The facility's code. */
    readonly facility: string | null;
  })[];
  readonly ignoredColumns: readonly string[];
  /** The columns of the header, and the field that each was read as; null for one that was not read. */
  readonly columns: Columns["named"];
  /** Questions about probable errors that the file raised; those of an import were accepted. */
  readonly questions: readonly Question[];
  /** The activities of a file that has any. */
  readonly activities?: ActivityReport;
}

interface Parts {
  readonly request: { readonly file: string; readonly organization: string; readonly dryRun: boolean };
  readonly done: Counts & { readonly id: string | null };
  readonly columns: Columns;
  readonly rows: RowReader;
  readonly staged: StagedSummary;
  /** The facilities that the organization had, by code. */
  readonly facilities: ReadonlyMap<string, { readonly id: string }>;
  readonly created: readonly NewFacility[];
  readonly questions: readonly Question[];
  readonly activities: ActivityReport | undefined;
}

/** Puts the summary of an import together. */
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
  };
}
