import { z } from "zod";
import { RESOLVED_BY } from "../../domain/emissions/activity-report.js";
import { IMPORT_QUESTIONS } from "../../domain/emissions/questions.js";
import { snakeKeys } from "../../domain/texts/snake-case.js";
import { describeExpected } from "../../files/csv/given-options.js";
import type { Problem } from "../../files/csv/problems.js";

/** A column of a file's header, with the field it was read as; null if it was not read. */
export const columnShape = z
  .object({
    name: z.string().meta({ description: "Name in the header." }),
    read_as: z.string().nullable().meta({ description: "Field it was read as; null if it was not read." }),
  })
  .meta({ id: "ImportColumn" });

/** Returns a column in REST's form. */
export const describeColumn = ({
  name,
  readAs,
}: {
  readonly name: string;
  readonly readAs: string | null;
}) => ({
  name,
  read_as: readAs,
});

/** A problem at one place of a file. */
export const fileProblemShape = z
  .object({
    line: z.int().meta({ description: "Line number, starting at 1." }),
    column: z.string().nullable().meta({ description: "Name of the column; null for the whole line." }),
    expected: z
      .string()
      .meta({ description: "Message for people, with parameters that would help, such as `round=true`." }),
    got: z.string().meta({ description: "Actual content of the file, in quotes." }),
  })
  .meta({ id: "ImportProblem" });

/** Returns a problem in REST's form. */
export const describeFileProblem = (problem: Problem): z.infer<typeof fileProblemShape> => {
  const { line, column, got } = problem;
  return { line, column, expected: describeExpected(problem), got };
};

/** A warning about a likely error: its code and figures. */
export const questionShape = z
  .object({
    code: z.enum(IMPORT_QUESTIONS).meta({ description: "Code for `accept`." }),
    message: z.string().meta({ description: "Message for people. The wording may change." }),
    rows: z.int().meta({ description: "Number of rows or records concerned." }),
    first_lines: z.array(z.int()).meta({
      description:
        "Line numbers of the first three in a file, or their positions in a request, starting at 1.",
    }),
    figures: z.union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))]).meta({
      description: "Figures that were compared; for RECORD_UNUSUAL, those of the lines in `first_lines`.",
    }),
  })
  .meta({ id: "ImportQuestion" });

/** Returns a question in REST's spelling. */
export const describeQuestion = (question: unknown) => snakeKeys(question) as z.infer<typeof questionShape>;

const shownFactor = z
  .object({
    id: z.string().meta({ description: "Identifier of the factor." }),
    activity: z.string().meta({ description: "Name of the activity." }),
    factor_exact: z.string().meta({ description: "Kilograms of the gas per `unit`, at full precision." }),
    unit: z.string().meta({ description: "Unit of the activity, such as `kWh (gross CV)`." }),
    source: z.string().meta({ description: "Title of the publication." }),
    source_year: z.int().meta({ description: "Year of the publication." }),
  })
  .meta({ id: "ImportFactor" });

const matchProblem = z
  .object({
    expected: z.string().meta({ description: "Limit of the search, as a text for people." }),
    got: z.string().meta({ description: "The text or file that exceeds it." }),
  })
  .meta({
    id: "ImportActivityProblem",
    description:
      "Why the search for an unresolved activity is incomplete: its text has more than 20 words, or the file takes too long.",
  });

/** The distinct activities in a file, each with its result. */
export const activitiesShape = z
  .object({
    distinct: z.int().meta({ description: "Number of distinct combinations of text, unit and region." }),
    resolved: z.int().meta({ description: "Number of combinations with an emission factor." }),
    unresolved: z.int().meta({ description: "Number of combinations without an emission factor." }),
    unresolved_rows: z.int().meta({ description: "Number of rows without an emission factor." }),
    items: z
      .array(
        z
          .object({
            text: z.string().meta({ description: "Text as in the file." }),
            unit: z.string().meta({ description: "Unit of the amounts." }),
            region: z.string().nullable().meta({ description: "Code of the region; null if unknown." }),
            rows: z.int().meta({ description: "Number of rows." }),
            first_lines: z.array(z.int()).meta({ description: "Line numbers of the first three." }),
            status: z.enum(["resolved", "unresolved"]),
            by: z
              .enum(RESOLVED_BY)
              .nullable()
              .meta({ description: "Origin of the factor; null if none was found." }),
            factors: z
              .array(shownFactor.extend({ year: z.int() }).meta({ id: "ImportFactorOfYear" }))
              .meta({ description: "Factors, one for each edition that the file's years require." }),
            candidates: z.array(shownFactor).meta({ description: "At most three, the best first." }),
            problem: matchProblem.optional(),
          })
          .meta({ id: "ImportActivity" }),
      )
      .meta({ description: "Unresolved ones first, those with most rows first; at most 200." }),
  })
  .meta({ id: "ImportActivities" });
