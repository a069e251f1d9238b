import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DatePrecision, Recurrence } from "../../domain/compliance/deadlines.js";
import type { Framework } from "../../domain/enums.js";
import type { IsoDate } from "../../domain/window.js";

/** An entry of `deadlines.json`: a regulatory date, and the publication that it was read in. */
export interface CataloguedDeadline {
  /** The same in every version of the catalogue. */
  readonly id: string;
  readonly framework: Framework;
  readonly title: string;
  /** The last day that it may mean, if it is not known to the day. */
  readonly due_date: IsoDate;
  readonly precision: DatePrecision;
  /** Null for what happens once, and for what is titled by its year: the catalogue lists the next one itself. */
  readonly recurrence: Recurrence | null;
  /** Why it is due then, such as `statutory` or `expected`. */
  readonly basis: string;
  readonly note: string;
  readonly source: string;
  readonly source_url: string;
}

/** Reads the catalogue of regulatory deadlines in `folder` (`prisma/reference`), by due date. */
export async function readDeadlineCatalogue(folder: string): Promise<readonly CataloguedDeadline[]> {
  return JSON.parse(await readFile(join(folder, "deadlines.json"), "utf8"));
}
