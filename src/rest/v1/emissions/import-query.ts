import { z } from "zod";
import { flag, textsShape } from "../../../catalogue/input/values.js";
import { IMPORT_QUESTIONS } from "../../../domain/emissions/questions.js";
import { snakeCase } from "../../../domain/texts/snake-case.js";
import type { IsoDate } from "../../../domain/window.js";
import { AppError } from "../../../errors.js";
import type { CsvOptions } from "../../../files/csv/csv-options.js";
import { FIELDS, type Field } from "../../../files/csv/fields.js";
import {
  completeOptions,
  describeOption,
  type GivenOptions,
  OPTION_TEXTS,
} from "../../../files/csv/given-options.js";
import { ENCODINGS } from "../../../files/csv/input/encoding.js";

/** Creates the shape of an option whose text is parsed, such as `delimiter`. */
function optionShape<Name extends keyof typeof OPTION_TEXTS>(name: Name, description: string) {
  const { read, expected } = OPTION_TEXTS[name];
  type Value = NonNullable<ReturnType<(typeof OPTION_TEXTS)[Name]["read"]>>;
  return z
    .string()
    .transform((text, context): Value => {
      const value = read(text) as Value | undefined;
      if (value !== undefined) return value;
      const message = `expected ${expected}, got ${JSON.stringify(text.slice(0, 60))}`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    })
    .optional()
    .meta({ description });
}

/** Creates one parameter per field, such as `map.co2e_tonnes`. */
const fieldShapes = <Kind extends "map" | "set">(kind: Kind, describe: (field: Field) => string) =>
  Object.fromEntries(
    FIELDS.map((field) => [
      `${kind}.${field}`,
      z
        .string()
        .trim()
        .min(1)
        .optional()
        .meta({ description: describe(field) }),
    ]),
  ) as Record<`${Kind}.${Field}`, z.ZodOptional<z.ZodString>>;

/** Options of a file, the same as those of the command `import`. */
export const fileQuery = z.strictObject({
  ...fieldShapes("map", (field) => `The column of \`${field}\`, by name or number (\`#7\`).`),
  ...fieldShapes("set", (field) => `The same \`${field}\` for every row.`),
  ignore: textsShape(z.string(), "Column, by name or number, to ignore although it has the name of a field."),
  encoding: optionShape(
    "encoding",
    `Encoding of the file: ${ENCODINGS.join(", ")}. An import reads UTF-8 if it is omitted.`,
  ),
  delimiter: optionShape(
    "delimiter",
    "Field separator, `\\t` for a tab. An import expects commas if it is omitted.",
  ),
  unit: optionShape(
    "unit",
    "Unit of mass of all amounts, such as `kg`. An import reads emissions without a unit as tonnes.",
  ),
  round: flag(
    "True to round amounts to 6 decimals. Otherwise, an amount with more decimals is reported as a problem.",
  ),
  decimal_comma: flag("True if amounts use a decimal comma."),
  locale: optionShape(
    "locale",
    "Number format of the file, such as `de-DE`. Replaces `decimal_comma` and `thousands`.",
  ),
  thousands: flag("True if amounts may have thousands separators."),
  date_format: optionShape("dateFormat", "Date format, such as `DD.MM.YYYY`."),
  skip_lines: optionShape("skipLines", "Number of lines before the header."),
  blank: textsShape(z.string(), "Text to read as an empty field, such as `NA`."),
  skip_blank: flag(
    "True to skip blank amounts, and rows without any amount. Otherwise, they are reported as problems.",
  ),
  keep_totals: flag("True to import a row even if it is the sum of all others."),
  literal: flag(
    "True to read texts unchanged. Otherwise, the import removes the apostrophe that an export puts before texts that look like formulas.",
  ),
  create_facilities: flag("True to create facilities that do not exist."),
  country: optionShape("country", "Country of new facilities, such as `IN`."),
});

export type FileQuery = z.output<typeof fileQuery>;

/** Options of an import. */
export const importQuery = fileQuery.extend({
  accept: z
    .union([z.enum(IMPORT_QUESTIONS), z.array(z.enum(IMPORT_QUESTIONS))])
    .transform((codes) => [codes].flat())
    .optional()
    .meta({
      description: "Code of a warning about a likely error that the sender accepts. May be repeated.",
    }),
  skip_errors: flag(
    "True to skip rows with problems, and to list the problems in `refused`. The file is still refused if it has more than 10,000 problems, or one in every row.",
  ),
  dry_run: flag("True to check and compare the file without importing it."),
  file: z.string().trim().min(1).max(1_000).optional().meta({
    description: "Name of the file in the list of imports, if the body is the file itself.",
  }),
});

export type ImportQuery = z.output<typeof importQuery>;

/** Returns the file options given in a query. */
export function givenOptions(query: FileQuery): GivenOptions {
  const textsOf = (kind: "map" | "set") =>
    new Map(
      FIELDS.flatMap((field) => {
        const text = query[`${kind}.${field}`];
        return text === undefined ? [] : [[field, text] as const];
      }),
    );
  return {
    ...query,
    map: textsOf("map"),
    set: textsOf("set"),
    decimalComma: query.decimal_comma,
    dateFormat: query.date_format,
    skipLines: query.skip_lines,
    skipBlank: query.skip_blank,
    keepTotals: query.keep_totals,
    createFacilities: query.create_facilities,
  };
}

/** Completes the options of a query with defaults. Throws BAD_REQUEST if they contradict each other. */
export function readOptions(given: GivenOptions, today: IsoDate): CsvOptions {
  const options = completeOptions(given, today);
  if (!("message" in options)) return options;
  const needs = Object.entries(options.needs ?? {}).map(
    ([name, value]) => ` and needs ${describeOption(name, value)}`,
  );
  throw new AppError("BAD_REQUEST", `query: ${options.message}${needs.join("")}`);
}

/** Formats options as query parameters, omitting those that are off. */
export function writeOptions(options: GivenOptions): Record<string, string | string[]> {
  const { map = new Map(), set = new Map(), dateFormat, delimiter, ignore, blank, ...others } = options;
  const texts: (readonly [string, string | number | boolean | undefined])[] = [
    ...[...map].map(([field, column]) => [`map.${field}`, column] as const),
    ...[...set].map(([field, text]) => [`set.${field}`, text] as const),
    ["date_format", dateFormat?.name],
    ["delimiter", delimiter === "\t" ? "\\t" : delimiter],
    ...PLAIN.map((name) => [snakeCase(name), others[name]] as const),
  ];
  const lists = Object.entries({ ignore, blank }).flatMap(([name, list = []]) =>
    list.length > 0 ? [[name, [...list]] as const] : [],
  );
  const given = texts.filter(([, value]) => value !== undefined && value !== false);
  return Object.fromEntries([...given.map(([name, value]) => [name, String(value)] as const), ...lists]);
}

const PLAIN = [
  "encoding",
  "skipLines",
  "unit",
  "locale",
  "decimalComma",
  "thousands",
  "round",
  "skipBlank",
  "keepTotals",
  "literal",
  "createFacilities",
  "country",
] as const satisfies readonly (keyof GivenOptions)[];
