import type { Question } from "../../../domain/chat/question.js";
import type { Ask } from "../ask.js";
import { facilityCountQuery, factorsQuery } from "../queries.js";
import { distinct, figure, type Reply, saying, written } from "../reply.js";
import { answerCompliance } from "./answer-compliance.js";
import { answerEmissions } from "./answer-emissions.js";
import { answerCredits, answerMarket } from "./answer-markets.js";
import { required } from "./emission-subject.js";

/** Answers a question that was understood completely. Rejects with the errors of the graph. */
export async function answer(question: Question, ask: Ask, now: Date): Promise<Reply> {
  switch (question.subject) {
    case "emissions":
      return answerEmissions(question, ask, now);
    case "credits":
      return answerCredits(question, ask);
    case "market":
      return answerMarket(question, ask);
    case "compliance":
      return answerCompliance(question, ask, now);
    case "factors":
      return answerFactor(question.search, ask);
    case "facilities": {
      const { totalCount } = required((await ask(facilityCountQuery, {})).facilities);
      const text = `Number of your facilities that are not archived: ${written(totalCount)}.`;
      return {
        ...saying(text, ["And by facility?"]),
        figures: [figure("Facilities", totalCount, "facilities")],
      };
    }
    case "terms": {
      const { term, text, source } = question.definition;
      return { ...saying(`${term}: ${text}.`), sources: [source] };
    }
  }
}

const MOST_FACTORS = 10;

/** Answers with emission factors. Factors whose name starts with the search come first: diesel before biodiesel. */
async function answerFactor(search: string, ask: Ask): Promise<Reply> {
  const { nodes, totalCount } = required((await ask(factorsQuery, { search })).emissionFactors);
  if (nodes.length === 0) {
    return saying(`There is no emission factor whose name and region contain each word of "${search}".`);
  }
  const begins = (activity: string) => activity.toLowerCase().startsWith(search);
  const shown = nodes
    .toSorted((one, other) => Number(begins(other.activity)) - Number(begins(one.activity)))
    .slice(0, MOST_FACTORS);
  const named = shown.map((factor) => {
    const { activity, detail, scope, category, region, sourceYear } = factor;
    const about = [detail, scope?.toLowerCase().replace("_", " "), category, region, sourceYear];
    return { ...factor, name: `${activity} (${about.filter((part) => part != null).join(", ")})` };
  });
  const lines = named.map(({ name, factor, gas, unit }) => `${name}: ${factor} kg ${gas} per ${unit}`);
  const cut = totalCount > shown.length ? `, ${shown.length} of ${written(totalCount)}` : "";
  return {
    text: `Emission factors for "${search}"${cut}:\n${lines.join("\n")}`,
    figures: named.map(({ name, factor, gas, unit }) => figure(name, factor, `kg ${gas}/${unit}`)),
    sources: distinct(shown.map(({ source, sourceUrl }) => ({ title: source, url: sourceUrl }))),
    followUps: [],
  };
}
