import { type EmissionQuestion, MOST_FIGURES, type Part } from "../../../domain/chat/question.js";
import type { DateRange } from "../../../domain/window.js";
import type { Ask } from "../ask.js";
import { categoriesQuery, countriesQuery, facilitiesQuery, trendQuery } from "../queries.js";
import { figure, ofDays, type Reply, written } from "../reply.js";
import { describe, nothingRecorded, readTotal, required, UNIT, variablesOf } from "./emission-subject.js";

type Broken = Extract<EmissionQuestion, { intent: "breakdown" | "top" }>;

/** Maximum number of parts in a breakdown. */
const MOST_SHOWN = 10;
/** Maximum number of parts that a query returns. */
const MOST_READ = 100;

interface Split extends DateRange {
  readonly recordCount: number;
  readonly parts: readonly { readonly name: string; readonly tonnes: number }[];
}

/** Returns the parts of emissions, largest first; in a breakdown by scope, in the order of the scopes. */
async function readParts(question: Broken, ask: Ask): Promise<Split> {
  const variables = { ...variablesOf(question), first: MOST_READ };
  if (question.by === "scope") {
    const { byScope, ...days } = await readTotal(question, ask);
    const parts = byScope.map(({ scope, co2eTonnes }) => ({
      name: scope.replace("SCOPE_", "Scope "),
      tonnes: co2eTonnes,
    }));
    const sorted =
      question.intent === "top" ? parts.toSorted((one, other) => other.tonnes - one.tonnes) : parts;
    return { ...days, parts: sorted };
  }
  if (question.by === "facility") {
    const { byFacility, ...days } = required((await ask(facilitiesQuery, variables)).emissions);
    const parts = byFacility.map(({ facility, co2eTonnes }) => ({
      name: facility ? `${facility.name} (${facility.code})` : "no facility",
      tonnes: co2eTonnes,
    }));
    return { ...days, parts };
  }
  if (question.by === "category") {
    const { byCategory, ...days } = required((await ask(categoriesQuery, variables)).emissions);
    return {
      ...days,
      parts: byCategory.map(({ category, co2eTonnes }) => ({
        name: category ?? "no category",
        tonnes: co2eTonnes,
      })),
    };
  }
  const { byCountry, ...days } = required((await ask(countriesQuery, variables)).emissions);
  return {
    ...days,
    parts: byCountry.map(({ country, co2eTonnes }) => ({
      name: country ?? "no country",
      tonnes: co2eTonnes,
    })),
  };
}

const PLURALS: Readonly<Record<Part, string>> = {
  scope: "scopes",
  facility: "facilities",
  category: "categories",
  country: "countries",
};

/** Answers with the parts of emissions: all of them, or the largest. */
export async function answerParts(question: Broken, ask: Ask): Promise<Reply> {
  const { parts, recordCount, ...days } = await readParts(question, ask);
  if (recordCount === 0) return nothingRecorded(question, days);
  const shown = parts.slice(0, question.intent === "top" ? question.count : MOST_SHOWN);
  const lines = shown.map(({ name, tonnes }) => `${name}: ${written(tonnes)} ${UNIT}`);
  const all = parts.length === MOST_READ ? `${MOST_READ} or more` : String(parts.length);
  const which =
    shown.length === parts.length
      ? `by ${question.by}`
      : `by ${question.by}, the largest ${shown.length === 1 ? "" : `${shown.length} `}of ${all} ${PLURALS[question.by]}`;
  return {
    text: `${describe(question)} ${ofDays(days)} ${which}:\n${lines.join("\n")}`,
    figures: shown.map(({ name, tonnes }) => figure(name, tonnes, UNIT)),
    sources: [],
    followUps: ["And last year?", "And by month?"],
  };
}

/** Answers with emissions by month, quarter or year. */
export async function answerTrend(
  question: Extract<EmissionQuestion, { intent: "trend" }>,
  ask: Ask,
): Promise<Reply> {
  const { trend, recordCount, ...days } = required(
    (await ask(trendQuery, { ...variablesOf(question), step: question.step.toUpperCase() as "MONTH" }))
      .emissions,
  );
  if (recordCount === 0) return nothingRecorded(question, days);
  const shown = trend.slice(-MOST_FIGURES);
  const lines = shown.map(
    ({ from, to, co2eTonnes, isGap }) =>
      `${from} to ${to}: ${isGap ? "no records" : `${written(co2eTonnes)} ${UNIT}`}`,
  );
  const cut = shown.length < trend.length ? `, the last ${shown.length}` : "";
  return {
    text: `${describe(question)} ${ofDays(days)} by ${question.step}${cut}:\n${lines.join("\n")}`,
    figures: shown
      .filter(({ isGap }) => !isGap)
      .map(({ from, to, co2eTonnes }) => figure(`${from} to ${to}`, co2eTonnes, UNIT)),
    sources: [],
    followUps: ["And by quarter?", "What is the forecast for the next 3 months?"],
  };
}
