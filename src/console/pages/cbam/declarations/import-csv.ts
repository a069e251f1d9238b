import { parse } from "csv-parse/browser/esm/sync";
import { createNumberReader, type ReadNumber } from "../../../../domain/numbers/read-number.js";
import type { CbamBasis, CbamImportInput, CbamQuarter } from "../../../../generated/console.js";
import { GatewayFailure, type Problem } from "../../../gateway/failure.js";
import { LOCALE } from "../../../parts/numbers.js";
import { QUARTERS } from "../names.js";

type Row = Readonly<Record<string, string | undefined>>;

/**
 * Reads imports from a CSV file with the columns of an exported declaration. Throws one GatewayFailure with the
 * problems of all rows, and Error for a file that is not CSV or has no rows.
 */
export function readImports(content: string): readonly CbamImportInput[] {
  const delimiter = findDelimiter(content);
  const rows = parseRows(content, delimiter);
  // Comma-separated files have a decimal point. Other files follow the locale of the page.
  const readNumber = createNumberReader(delimiter === "," ? "en" : LOCALE);
  const problems: Problem[] = [];
  const imports = rows.map((row, index) => {
    const complain = (message: string) => {
      problems.push({ path: `imports[${index}]`, message: `Row ${index + 1}: ${message}` });
      return "";
    };
    return readImport(row, readNumber, complain);
  });
  if (problems.length > 0) throw new GatewayFailure("VALIDATION_FAILED", "", { problems });
  return imports;
}

function findDelimiter(content: string): string {
  const [header = ""] = content.split(/\r?\n/, 1);
  return header.includes(";") ? ";" : header.includes("\t") ? "\t" : ",";
}

function parseRows(content: string, delimiter: string): readonly Row[] {
  try {
    const rows: Row[] = parse(content, {
      bom: true,
      columns: true,
      delimiter,
      skip_empty_lines: true,
      trim: true,
    });
    if (rows.length > 0) return rows;
  } catch (error) {
    throw new Error(`This is not a CSV file: ${error instanceof Error ? error.message : error}`);
  }
  throw new Error("The file has no rows below its header.");
}

function readImport(
  row: Row,
  readNumber: ReadNumber,
  complain: (message: string) => string,
): CbamImportInput {
  const number = (name: string, isRequired = false) => {
    const text = row[name] ?? "";
    if (text === "") return isRequired ? complain(`${name} is missing.`) : null;
    const reading = readNumber(text);
    if ("value" in reading) return reading.value;
    if ("message" in reading) return complain(`${name}: ${reading.message}.`);
    const readings = reading.readings.map(({ value }) => value).join(" or ");
    return complain(`${name}: ${text} may be ${readings}. Write it without thousands separators.`);
  };
  const quarter = (row["quarter"] ?? "").toUpperCase();
  if (!(quarter in QUARTERS)) complain(`quarter must be Q1, Q2, Q3 or Q4 (got ${quarter || "nothing"}).`);
  const basis = (row["basis"] || "default").toUpperCase();
  if (basis !== "DEFAULT" && basis !== "ACTUAL") complain(`basis must be default or actual (got ${basis}).`);
  if (row["precursors"])
    complain("goods with precursors can't be imported from a file. Add them with the form.");
  return {
    quarter: quarter as CbamQuarter,
    goods: {
      cnCode: (row["cn_code"] ?? "").replace(/\s/g, ""),
      country: (row["country"] ?? "").toUpperCase(),
      massT: number("mass_t", true) ?? "",
      basis: basis as CbamBasis,
      route: row["route"] || null,
      good: row["good"] || null,
      directTco2ePerT: number("direct_tco2e_per_t"),
      indirectTco2ePerT: number("indirect_tco2e_per_t"),
      reductionTco2e: number("reduction_tco2e"),
    },
  };
}
