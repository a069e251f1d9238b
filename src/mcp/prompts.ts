import { type GetPromptResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { FRAMEWORKS } from "../domain/enums.js";
import { escapeHidden } from "../domain/texts/clean.js";
import type { Serve } from "./surface.js";

interface Argument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** Matches the allowed values of the argument. No other value gets into the prompt's text. */
  readonly pattern: RegExp;
}

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  readonly write: (values: Readonly<Record<string, string>>) => string;
}

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const YEAR = /^[12]\d{3}$/;

const year: Argument = {
  name: "year",
  description: "Calendar year, such as 2025.",
  required: true,
  pattern: YEAR,
};
const day = (name: string, description: string): Argument => ({
  name,
  description,
  required: true,
  pattern: DAY,
});
const FACILITY: Argument = {
  name: "facility",
  description: "Code of a facility, as in list_facilities; the whole organization if omitted.",
  required: false,
  pattern: /^[\p{L}\p{N}][\p{L}\p{N} ._/-]{0,99}$/u,
};

const FRAMEWORK: Argument = {
  name: "framework",
  description: `Framework, one of ${FRAMEWORKS.join(", ")}; all if omitted.`,
  required: false,
  pattern: new RegExp(`^(?:${FRAMEWORKS.join("|")})$`),
};

const SOURCES =
  "Name the source of every figure: the tool, its range and as_of.seq, and the publication if the result names one. If the ledger has no figure, say so. Do not estimate.";

const ofFacility = (facility: string | undefined): string =>
  facility === undefined ? "" : ` for the facility with the code "${facility}"`;

const QUARTERS = [
  ["01-01", "03-31"],
  ["04-01", "06-30"],
  ["07-01", "09-30"],
  ["10-01", "12-31"],
] as const;

const PROMPTS: readonly Prompt[] = [
  {
    name: "quarterly_review",
    title: "Quarterly review",
    description:
      "Review the emissions of a quarter: total, change, largest sources, anomalies and upcoming deadlines.",
    arguments: [
      {
        name: "quarter",
        description: "Quarter, such as 2026-Q3.",
        required: true,
        pattern: /^[12]\d{3}-Q[1-4]$/,
      },
      FACILITY,
      FRAMEWORK,
    ],
    write({ quarter = "", facility, framework }) {
      const [from, to] = QUARTERS[Number(quarter.at(-1)) - 1] ?? QUARTERS[0];
      const days = `from ${quarter.slice(0, 4)}-${from} to ${quarter.slice(0, 4)}-${to}`;
      return `Review the emissions of ${quarter}${ofFacility(facility)}.
1. get_organization: check whether the data reaches the end of the quarter.
2. get_emissions_summary ${days}: total, scopes, and the change from the period before.
3. rank_emission_sources by facility and by category for the same days.
4. find_anomalies for the months of the quarter; get_emission_record for the records that explain them.
5. list_deadlines for the 90 days after the quarter${framework === undefined ? "" : `, for ${framework}`}.
Write at most one page. ${SOURCES}`;
    },
  },
  {
    name: "find_gaps",
    title: "Find gaps",
    description: "Find months and facilities without records in a year, and implausible jumps.",
    arguments: [year, FACILITY],
    write: ({
      year: of = "",
      facility,
    }) => `Find what is missing in the ledger of ${of}${ofFacility(facility)}.
1. list_facilities: all pages.
2. get_emissions_trend from ${of}-01-01 to ${of}-12-31 by month, for the organization and for each facility. A step whose gap is true has no records.
3. find_anomalies from ${of}-01 to ${of}-12.
4. get_emission_kpis: coverage of the last 12 months.
List each gap with facility, scope and months, and say who could fill it only if the ledger says so. ${SOURCES}`,
  },
  {
    name: "prepare_verification",
    title: "Prepare a verification",
    description:
      "Check a period before its verification: totals, gaps, anomalies and records without a calculation.",
    arguments: [day("from", "First day, YYYY-MM-DD."), day("to", "Last day, YYYY-MM-DD.")],
    write: ({ from = "", to = "" }) => `Prepare the verification of ${from} to ${to}.
1. get_verification: check whether a request covers these days already, and whether they are locked.
2. get_emissions_summary and get_emissions_trend for these days.
3. find_anomalies for their months.
4. search_emission_records by amount, largest first: for the 10 largest, call get_emission_record and check whether each has a calculation with a factor and a publication.
List what a verifier would ask about, the most material first. The method is in carbon://methodology/verification. ${SOURCES}`,
  },
  {
    name: "cbam_what_if",
    title: "CBAM: what if",
    description: "Estimate the certificates that imports need, and compare countries, routes or years.",
    arguments: [year],
    write: ({ year: of = "" }) => `Estimate the CBAM certificates of imports in ${of}.
1. list_cbam_declarations: what is declared for ${of}.
2. Ask which goods (CN code), countries of origin and tonnes are meant, if they are not known.
3. estimate_cbam for the imports as they are, and once for each change to compare. At most 20 lines a call.
Give certificates, cost and the differences in a table, with the price used and its source. The method is in carbon://methodology/cbam. ${SOURCES}`,
  },
];

/** Finds a prompt by name; undefined if it does not exist. */
const findPrompt = (name: string) => PROMPTS.find((prompt) => prompt.name === name);

/** The part that lists and writes prompts, which are the same for every caller. */
export const servePrompts: Serve = (server) => {
  server.setRequestHandler("prompts/list", () => ({
    prompts: PROMPTS.map(({ write: _, arguments: all, ...prompt }) => ({
      ...prompt,
      arguments: all.map(({ pattern: __, ...argument }) => argument),
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params }): GetPromptResult => {
    const prompt = findPrompt(params.name);
    if (!prompt) throw invalid(`Unknown prompt: ${escapeHidden(params.name.slice(0, 100))}`);
    const given = params.arguments ?? {};
    for (const { name, description, required, pattern } of prompt.arguments) {
      const value = given[name];
      if (value === undefined ? required : !pattern.test(value)) {
        throw invalid(`${name}: expected ${description}`);
      }
    }
    return {
      description: prompt.description,
      messages: [{ role: "user", content: { type: "text", text: prompt.write(given) } }],
    };
  });
};

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
