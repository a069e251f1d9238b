import type { Problem } from "../../../gateway/failure.js";
import { need, textOf } from "../../../parts/forms/values.js";
import { FIELDS } from "./columns.js";
import type { Preview } from "./preview.js";

/** Labels of the checkboxes for a file's options. */
export const CHECKBOX_LABELS: Readonly<Record<string, string>> = {
  create_facilities: "Create facilities that do not exist yet",
  round: "Round amounts to 6 decimals",
  skip_blank: "Skip rows without an amount",
  keep_totals: "Keep a row that is the sum of all others",
};

/** Date formats with examples. */
export const DATES: Readonly<Record<string, string>> = {
  "D.M.YYYY": "31.3.2026",
  "D/M/YYYY": "31/3/2026 (day first)",
  "M/D/YYYY": "3/31/2026 (month first)",
  "D-M-YYYY": "31-3-2026 (day first)",
  "M-D-YYYY": "3-31-2026 (month first)",
  "D MMM YYYY": "31 March 2026",
  "M/YYYY": "3/2026",
  "MMM YYYY": "March 2026",
};

/** Fields that determine how the file is split into columns. Changing one discards the choices in all but these. */
export const SPLITTING = ["encoding", "delimiter", "skip_lines"] as const;

/** Query parameters of an import. A name may repeat. */
export type Parameters = readonly (readonly [name: string, value: string])[];

const splitting = (values: FormData): Parameters =>
  SPLITTING.map((name) => [name, textOf(values, name) || "0"]);

/** Returns the column or fixed value of each field that has one. */
const columnsOf = (values: FormData): Parameters =>
  FIELDS.flatMap((field): Parameters => {
    const choice = textOf(values, field);
    if (choice === "") return [];
    return /^\d+$/.test(choice) ? [[`map.${field}`, `#${Number(choice) + 1}`]] : [[`set.${field}`, choice]];
  });

/** Returns the country of new facilities, or of all rows if the file has neither facilities nor regions. */
function countryOf(values: FormData): Parameters {
  const country = textOf(values, "country");
  if (country === "") return [];
  if (textOf(values, "facility") !== "") return values.has("create_facilities") ? [["country", country]] : [];
  return textOf(values, "region") === "" ? [["set.region", country]] : [];
}

/** Import parameters for the file's number format. */
export const NUMBERS: Readonly<Record<string, Parameters>> = {
  point: [["thousands", "true"]],
  comma: [
    ["decimal_comma", "true"],
    ["thousands", "true"],
  ],
};

/**
 * Returns the options in a form as parameters. Omits the date format, number format and checkboxes for which
 * `isOmitted` returns true, so that the gateway guesses them again.
 */
export function parametersOf(
  values: FormData,
  { columns }: Preview,
  isOmitted: (name: string) => boolean = () => false,
): Parameters {
  const mapped = columnsOf(values);
  const used = new Set(mapped.map(([, column]) => column));
  const unused = columns.flatMap(({ name }, index): Parameters => {
    const number = `#${index + 1}`;
    return (FIELDS as readonly string[]).includes(name.toLowerCase()) && !used.has(number)
      ? [["ignore", number]]
      : [];
  });
  const country = countryOf(values);
  // A country applies only to facilities that the import creates, so `create_facilities` is sent with it.
  const isGuessed = (name: string) =>
    isOmitted(name) && !(name === "create_facilities" && country.length > 0);
  const isByRow = textOf(values, "unit") !== "";
  const tonnes = textOf(values, "tonnes_unit");
  const dates = textOf(values, "date_format");
  return [
    ...splitting(values),
    ...mapped,
    ...unused,
    ...country,
    ...(isByRow || tonnes === "t" ? [] : ([["unit", tonnes]] as const)),
    ...(dates === "" || isOmitted("date_format") ? [] : ([["date_format", dates]] as const)),
    ...(isOmitted("numbers") ? [] : (NUMBERS[textOf(values, "numbers")] ?? [])),
    ...Object.keys(CHECKBOX_LABELS)
      .filter((name) => !isGuessed(name))
      .map((name) => [name, String(values.has(name))] as const),
  ];
}

/** Returns the URL of an import or a preview. */
export const importAddress = (path: "import" | "import/preview", parameters: Parameters): string =>
  `/api/v1/emissions/${path}?${new URLSearchParams(parameters.map(([name, value]) => [name, value]))}`;

/** Returns the problems that the browser can find in the options. */
export function checkChoices(values: FormData, { questions }: Preview): readonly Problem[] {
  const isActivity = textOf(values, "amount") !== "";
  const needed = ["recorded_on", ...(isActivity ? ["unit"] : ["co2e_tonnes", "scope"])];
  return [
    ...needed.flatMap((field) =>
      need(field, textOf(values, field) !== "", "Choose a column. Every record needs this field."),
    ),
    ...questions.flatMap(({ code }) => {
      const field = FIELD_OF_QUESTION[code];
      return need(field, textOf(values, field) !== "", "Choose how to read the file.");
    }),
  ];
}

/** Form fields that answer the questions about the format. */
export const FIELD_OF_QUESTION = { DATE_ORDER: "date_format", DECIMAL_MARK: "numbers" } as const;
