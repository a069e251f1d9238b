import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DatePrecision, Recurrence } from "../../domain/compliance/deadlines.js";
import type { Framework } from "../../domain/enums.js";
import type { IsoDate } from "../../domain/window.js";

/** An entry of `deadlines.json`: a regulatory date and its source. */
export interface CataloguedDeadline {
  /** Stable across versions of the catalogue. */
  readonly id: string;
  readonly framework: Framework;
  readonly title: string;
  /** True if organizations must act by the day; false for an event, such as the publication of a price. */
  readonly is_duty: boolean;
  /** The latest possible day, if the exact day is not known. */
  readonly due_date: IsoDate;
  readonly precision: DatePrecision;
  /** Null for a single event, and for a title with a year, because next year's date is a separate entry. */
  readonly recurrence: Recurrence | null;
  /** Reason for the date, such as `statutory` or `expected`. */
  readonly basis: string;
  readonly note: string;
  readonly source: string;
  readonly source_url: string;
}

/** Reads the catalogue of regulatory deadlines in `folder` (`prisma/reference`), by due date. */
export async function readDeadlineCatalogue(folder: string): Promise<readonly CataloguedDeadline[]> {
  return JSON.parse(await readFile(join(folder, "deadlines.json"), "utf8"));
}
