import { requireThat } from "../../../domain/chat/open-question.js";
import { MAX_FIGURES, type Question } from "../../../domain/chat/question.js";
import { figure, formatCount, list, type Reply, reply } from "../reply.js";
import type { Ask } from "../tools.js";
import { answerCompliance } from "./answer-compliance.js";
import { answerCredits } from "./answer-credits.js";
import { answerEmissions } from "./answer-emissions.js";
import { answerMarket } from "./answer-market.js";
import { type AnswerContext, MAX_READ, nameScope } from "./emission-data.js";

/** Answers a fully understood question. Rejects with GraphQL errors, and with Unanswerable. */
export async function answer(question: Question, context: AnswerContext): Promise<Reply> {
  const { ask } = context;
  switch (question.subject) {
    case "emissions":
      return answerEmissions(question, context);
    case "credits":
      return answerCredits(question, ask);
    case "market":
      return answerMarket(question, ask);
    case "compliance":
      return answerCompliance(question, context);
    case "factors":
      return answerFactor(question.search, ask);
    case "facilities":
      return listFacilities(ask);
    case "terms": {
      const { term, text, source } = question.definition;
      return { ...reply(`${term}: ${text}.`), sources: [source] };
    }
  }
}

async function listFacilities(ask: Ask): Promise<Reply> {
  const { nodes, pageInfo } = (await ask("findFacilities", { includeArchived: false, first: MAX_READ }))
    .facilities;
  const rows = nodes.map(({ name, code }) => ({ name, value: null, unit: "", line: `${name} (${code})` }));
  const number = pageInfo.hasNextPage
    ? `more than ${MAX_READ} facilities`
    : formatCount(nodes.length, "facility");
  return {
    ...list(`You have ${number}`, rows, { max: MAX_FIGURES, followUps: ["Show emissions by facility"] }),
    figures: pageInfo.hasNextPage ? [] : [figure("Facilities", nodes.length, "facilities")],
  };
}

/** Answers with emission factors. Those whose name starts with the search term come first: diesel before biodiesel. */
async function answerFactor(search: string, ask: Ask): Promise<Reply> {
  const { nodes, pageInfo } = (await ask("searchEmissionFactors", { search, first: MAX_READ }))
    .emissionFactors;
  requireThat(nodes.length > 0, `I found no emission factor for "${search}".`, "What is an emission factor?");
  const begins = (activity: string) => activity.toLowerCase().startsWith(search);
  const found = nodes.toSorted((one, other) => Number(begins(other.activity)) - Number(begins(one.activity)));
  const rows = found.map(({ activity, detail, scope, category, region, sourceYear, factor, gas, unit }) => {
    const about = [detail, nameScope(scope), category, region, sourceYear].filter((part) => part !== null);
    const name = `${activity} (${about.join(", ")})`;
    return { name, value: factor, unit: `kg ${gas}/${unit}` };
  });
  return list(`Emission factors for "${search}"`, rows, {
    all: pageInfo.hasNextPage ? `more than ${MAX_READ}` : undefined,
    quoted: found,
  });
}
