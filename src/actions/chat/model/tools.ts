import { z } from "zod";
import { FRAMEWORKS } from "../../../domain/enums.js";
import { isIsoDate } from "../../../domain/window.js";
import type { Ask } from "../ask.js";
import * as queries from "../queries.js";

/** A tool with which a model reads data. No tool writes. */
interface Tool {
  readonly description: string;
  readonly parameters: z.ZodType;
  run(ask: Ask, given: unknown): Promise<unknown>;
}

const tool = <Given>(
  description: string,
  parameters: z.ZodType<Given>,
  run: (ask: Ask, given: Given) => Promise<unknown>,
): Tool => ({ description, parameters, run: async (ask, given) => run(ask, parameters.parse(given)) });

const day = z.string().refine(isIsoDate, "expected YYYY-MM-DD");
const names = z.array(z.string().min(1).max(200)).max(20).optional();
const emissions = {
  from: day.optional(),
  to: day.optional(),
  scopes: z
    .array(z.enum(["SCOPE_1", "SCOPE_2", "SCOPE_3"]))
    .max(3)
    .optional(),
  facilityCodes: names,
  categories: names,
};
const areBothOrNeither = ({ from, to }: { from?: string | undefined; to?: string | undefined }) =>
  (from === undefined) === (to === undefined);
const BOTH = "expected from and to together";
const emissionsShape = z.strictObject(emissions).refine(areBothOrNeither, BOTH);
const first = 20;

function variablesOf({ from, to, ...filter }: z.infer<typeof emissionsShape>) {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  return { range: from !== undefined && to !== undefined ? { from, to } : null, filter: given };
}

const OF_DAYS = "in tCO2e, from one day to another; of the last 12 months without days";
const months = z.int().min(1).max(12);

/** The tools by name. They run the same fixed queries as the rules. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  emissions: tool(`Total of emissions and their scopes, ${OF_DAYS}.`, emissionsShape, (ask, given) =>
    ask(queries.emissionsQuery, variablesOf(given)),
  ),
  emission_change: tool(
    `Change of emissions from the period before, ${OF_DAYS}.`,
    emissionsShape,
    (ask, given) => ask(queries.changeQuery, variablesOf(given)),
  ),
  emissions_by_facility: tool(
    `The facilities with the largest emissions, ${OF_DAYS}.`,
    emissionsShape,
    (ask, given) => ask(queries.facilitiesQuery, { ...variablesOf(given), first }),
  ),
  emissions_by_category: tool(
    `The categories with the largest emissions, ${OF_DAYS}.`,
    emissionsShape,
    (ask, given) => ask(queries.categoriesQuery, { ...variablesOf(given), first }),
  ),
  emission_trend: tool(
    `Emissions by month, quarter or year, ${OF_DAYS}.`,
    z
      .strictObject({ ...emissions, step: z.enum(["MONTH", "QUARTER", "YEAR"]) })
      .refine(areBothOrNeither, BOTH),
    (ask, { step, ...given }) => ask(queries.trendQuery, { ...variablesOf(given), step }),
  ),
  emission_forecast: tool(
    "Forecast of monthly emissions, from the present month on.",
    z.strictObject({ scopes: emissions.scopes, facilityCodes: names, categories: names, months }),
    (ask, { months: horizon, ...given }) =>
      ask(queries.emissionForecastQuery, { filter: variablesOf(given).filter, horizon }),
  ),
  facilities: tool("Codes and names of the facilities.", z.strictObject({}), (ask) =>
    ask(queries.facilityNamesQuery, {}),
  ),
  credits: tool(
    "Carbon credits: available, issued, sold and retired, and by type.",
    z.strictObject({}),
    (ask) => ask(queries.creditsQuery, {}),
  ),
  prices: tool(
    "Latest prices of instruments, by credit type.",
    z.strictObject({ creditTypes: names }),
    (ask, { creditTypes }) => ask(queries.pricesQuery, { filter: creditTypes ? { creditTypes } : {} }),
  ),
  deadlines: tool(
    "Open compliance deadlines that are due in days.",
    z.strictObject({ from: day.optional(), to: day.optional(), framework: z.enum(FRAMEWORKS).optional() }),
    (ask, { from, to, framework }) =>
      ask(queries.deadlinesQuery, {
        filter: {
          statuses: ["pending"],
          ...(from !== undefined && { dueFrom: from }),
          ...(to !== undefined && { dueTo: to }),
          ...(framework !== undefined && { frameworks: [framework] }),
        },
      }),
  ),
  frameworks: tool("Status in each compliance framework.", z.strictObject({}), (ask) =>
    ask(queries.frameworksQuery, {}),
  ),
  emission_factors: tool(
    "Emission factors whose names and region contain each of these words.",
    z.strictObject({ search: z.string().min(1).max(200) }),
    (ask, { search }) => ask(queries.factorsQuery, { search }),
  ),
};

/** Descriptions of the tools for the model. */
export const TOLD_TOOLS: readonly object[] = Object.entries(TOOLS).map(
  ([name, { description, parameters }]) => ({
    type: "function",
    function: { name, description, parameters: z.toJSONSchema(parameters, { unrepresentable: "any" }) },
  }),
);
