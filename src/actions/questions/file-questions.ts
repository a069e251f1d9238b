import type { SqlSession } from "../../data/database/types.js";
import { findUnusualRecords } from "../../data/emissions/unusual-records.js";
import {
  ARRANGED,
  findRepeatedRecords,
  findUnusualMonths,
  type RepeatedRecords,
  type UnusualMonths,
} from "../../data/imports/file-questions.js";
import { percentOf } from "../../domain/decimals.js";
import {
  type ImportQuestion,
  MAX_FIRST_LINES,
  MIN_REPEATED,
  type Question,
  REPEATED_PERCENT,
  ratioOf,
} from "../../domain/emissions/questions.js";
import { countOf } from "../../domain/texts/count-of.js";
import type { OtherUnits } from "../../files/csv/rows/other-units.js";
import { askAboutRecords } from "./unusual-records.js";

interface QuestionedFile {
  readonly otherUnits: OtherUnits | undefined;
  readonly records: number;
}

/**
 * Lists the questions that an arranged file raises. If its amounts are probably not in tonnes of CO2e, other questions
 * make no sense until the caller accepts that one.
 */
export async function questionFile(
  sql: SqlSession,
  organizationId: string,
  { otherUnits, records }: QuestionedFile,
  accepted: readonly ImportQuestion[],
): Promise<Question[]> {
  const questions = otherUnits ? [askAboutUnits(otherUnits)] : [];
  if (otherUnits && !accepted.includes("AMOUNT_IS_NOT_CO2E")) return questions;
  const months = await findUnusualMonths(sql, organizationId);
  const unusual = await findUnusualRecords(sql, organizationId, ARRANGED, MAX_FIRST_LINES);
  const repeated = await findRepeatedRecords(sql, organizationId, records);
  return [
    ...questions,
    ...askAboutMonths(months),
    ...askAboutRecords(unusual, "line"),
    ...askAboutRepeated(repeated, records),
  ];
}

function askAboutUnits({ column, says, units, rows, firstLines }: OtherUnits): Question {
  const named = units.map((unit) => JSON.stringify(unit)).join(", ");
  return {
    code: "AMOUNT_IS_NOT_CO2E",
    message: `Amounts are read as emissions in CO2e, but column ${JSON.stringify(column)} says ${says}: ${named}.`,
    rows,
    firstLines,
    figures: { column, says, units },
  };
}

function askAboutMonths(found: UnusualMonths | undefined): Question[] {
  if (!found) return [];
  const { month, tonnes, usual, months, rows, firstLines } = found;
  const ratio = ratioOf(tonnes, usual);
  const others = months === 1 ? "" : ` It has ${countOf(months - 1, "other unusual month")}.`;
  return [
    {
      code: "MONTHLY_TOTAL_UNUSUAL",
      message: `The file has ${tonnes} t in ${month}, which is ${ratio} times the organization's usual month of ${usual} t.${others}`,
      rows,
      firstLines,
      figures: { month, monthTonnes: Number(tonnes), usualTonnes: Number(usual), ratio },
    },
  ];
}

function askAboutRepeated({ rows, firstLines }: RepeatedRecords, records: number): Question[] {
  const sharePct = percentOf(String(rows), String(records), 2) ?? 0;
  if (rows < MIN_REPEATED || rows * 100 < REPEATED_PERCENT * records) return [];
  return [
    {
      code: "ALREADY_UNDER_OTHER_REFERENCE",
      message: `${rows} rows (${sharePct} %) are on record with the same day, scope, facility, category and amount, under other references or without one.`,
      rows,
      firstLines,
      figures: { rows, sharePct },
    },
  ];
}
