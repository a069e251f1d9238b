import { z } from "zod";
import { RESOLVED_BY } from "../domain/emissions/activity-report.js";
import { IMPORT_QUESTIONS } from "../domain/emissions/questions.js";
import { snakeKeys } from "../domain/texts/snake-case.js";
import { describeExpected } from "../files/csv/given-options.js";
import type { Problem } from "../files/csv/problems.js";

/** A column of a file's header, with the field it was read as; null if it was not read. */
export const columnShape = z
  .object({
    name: z.string().meta({ description: "Its name in the header." }),
    read_as: z.string().nullable().meta({ description: "The field; null if it was not read." }),
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
    line: z.int().meta({ description: "Number of the line, from 1." }),
    column: z.string().nullable().meta({ description: "Name of the column; null for the whole line." }),
    expected: z
      .string()
      .meta({ description: "For people; with the parameters that would help, such as `round=true`." }),
    got: z.string().meta({ description: "Content of the file instead, in quotes." }),
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
    message: z.string().meta({ description: "For people; its wording may change." }),
    rows: z.int().meta({ description: "Number of rows or records that it is about." }),
    first_lines: z.array(z.int()).meta({
      description: "Lines of the first three in a file, or their numbers in a request, from 1.",
    }),
    figures: z
      .union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))])
      .meta({ description: "The figures that are compared; of RECORD_UNUSUAL those of each first line." }),
  })
  .meta({ id: "ImportQuestion" });

/** Returns a question in REST's spelling. */
export const describeQuestion = (question: unknown) => snakeKeys(question) as z.infer<typeof questionShape>;

const shownFactor = z
  .object({
    id: z.string().meta({ description: "Identifier of the factor." }),
    activity: z.string().meta({ description: "Name of the activity." }),
    factor_exact: z.string().meta({ description: "Kilograms of the gas per `unit`, with every digit." }),
    unit: z.string().meta({ description: "Unit of the activity, such as `kWh (gross CV)`." }),
    source: z.string().meta({ description: "Title of the publication." }),
    source_year: z.int().meta({ description: "Year of the publication." }),
  })
  .meta({ id: "ImportFactor" });

/** The distinct activities in a file, each with its result. */
export const activitiesShape = z
  .object({
    distinct: z.int().meta({ description: "Number of different texts, units and regions." }),
    resolved: z.int().meta({ description: "Number of them with an emission factor." }),
    unresolved: z.int().meta({ description: "Number of them without one." }),
    unresolved_rows: z.int().meta({ description: "Number of rows without one." }),
    items: z
      .array(
        z
          .object({
            text: z.string().meta({ description: "As in the file." }),
            unit: z.string().meta({ description: "Unit of the amounts." }),
            region: z.string().nullable().meta({ description: "Code of the region; null if it is unknown." }),
            rows: z.int().meta({ description: "Number of rows." }),
            first_lines: z.array(z.int()).meta({ description: "Lines of the first three." }),
            status: z.enum(["resolved", "unresolved"]),
            by: z
              .enum(RESOLVED_BY)
              .nullable()
              .meta({ description: "Origin of the factor; null if none was found." }),
            factors: z
              .array(shownFactor.extend({ year: z.int() }).meta({ id: "ImportFactorOfYear" }))
              .meta({ description: "One for each edition that the file's years need." }),
            candidates: z.array(shownFactor).meta({ description: "At most three, the best first." }),
          })
          .meta({ id: "ImportActivity" }),
      )
      .meta({ description: "Unresolved ones first, those with most rows first; at most 200." }),
  })
  .meta({ id: "ImportActivities" });
