import type { EmissionQuestion } from "../../../domain/chat/question.js";
import type { Ask } from "../ask.js";
import { emissionForecastQuery } from "../queries.js";
import { counted, figure, ofDays, type Reply, saying, written } from "../reply.js";
import { compare, compareWithYearBefore } from "./answer-comparison.js";
import { answerForecast } from "./answer-forecast.js";
import { answerParts, answerTrend } from "./answer-parts.js";
import { describe, nothingRecorded, readTotal, UNIT, variablesOf } from "./emission-subject.js";

/** Answers a question about emissions. */
export async function answerEmissions(question: EmissionQuestion, ask: Ask, now: Date): Promise<Reply> {
  switch (question.intent) {
    case "total":
    case "count":
      return answerTotal(question, ask);
    case "breakdown":
    case "top":
      return answerParts(question, ask);
    case "trend":
      return answerTrend(question, ask);
    case "forecast":
      return answerForecast({
        ahead: question.ahead,
        what: describe(question),
        run: async (horizon) => {
          const { filter } = variablesOf(question);
          return (await ask(emissionForecastQuery, { filter, horizon })).emissions?.forecast;
        },
        followUps: ["What were our total emissions in the last 12 months?", "Show the monthly trend"],
      });
    case "year_on_year":
      return compareWithYearBefore(question, ask, now);
    case "compare":
      return compare(question, ask, now);
  }
}

const FOLLOW_UPS = ["And scope 2?", "And by facility?", "And last year?"];

async function answerTotal(question: EmissionQuestion, ask: Ask): Promise<Reply> {
  const emissions = await readTotal(question, ask);
  const { totalCo2eTonnes: total, recordCount } = emissions;
  if (question.intent === "count") {
    const text = `There ${recordCount === 1 ? "is" : "are"} ${counted(recordCount, "record")} of ${lowerFirst(describe(question))} ${ofDays(emissions)}.`;
    return { ...saying(text, FOLLOW_UPS), figures: [figure("Records", recordCount, "records")] };
  }
  if (recordCount === 0) return nothingRecorded(question, emissions);
  return {
    text: `${describe(question)} ${ofDays(emissions)}: ${written(total)} ${UNIT}, in ${counted(recordCount, "record")}.`,
    figures: [figure("Total", total, UNIT)],
    sources: [],
    followUps: FOLLOW_UPS,
  };
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
