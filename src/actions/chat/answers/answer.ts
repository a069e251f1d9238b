import { refuse } from "../../../domain/chat/leftovers.js";
import { MOST_FIGURES, type Question } from "../../../domain/chat/question.js";
import { distinct, figure, type Reply, reply } from "../reply.js";
import type { Ask } from "../tools.js";
import { answerCompliance } from "./answer-compliance.js";
import { answerCredits } from "./answer-credits.js";
import { answerEmissions } from "./answer-emissions.js";
import { answerMarket } from "./answer-market.js";
import { type Asking, MOST_READ, nameScope } from "./emission-data.js";

/** Answers a question that was understood completely. Rejects with the errors of the graph, and with Unanswerable. */
export async function answer(question: Question, asking: Asking): Promise<Reply> {
  const { ask } = asking;
  switch (question.subject) {
    case "emissions":
      return answerEmissions(question, asking);
    case "credits":
      return answerCredits(question, ask);
    case "market":
      return answerMarket(question, ask);
    case "compliance":
      return answerCompliance(question, asking);
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
  const { nodes, pageInfo } = (await ask("findFacilities", { includeArchived: false, first: MOST_READ }))
    .facilities;
  const followUps = ["Show emissions by facility"];
  if (pageInfo.hasNextPage) return reply(`You have more than ${MOST_READ} facilities.`, [], followUps);
  const { length } = nodes;
  const names = nodes.slice(0, MOST_FIGURES).map(({ name, code }) => `${name} (${code})`);
  const head = `You have ${length} ${length === 1 ? "facility" : "facilities"}${length > 0 ? ":" : "."}`;
  return reply([head, ...names].join("\n"), [figure("Facilities", length, "facilities")], followUps);
}

/** Maximum number of factors in an answer. */
const MOST_SHOWN = 10;

/** Answers with emission factors. Factors whose name starts with the search come first: diesel before biodiesel. */
async function answerFactor(search: string, ask: Ask): Promise<Reply> {
  const { nodes, pageInfo } = (await ask("searchEmissionFactors", { search, first: MOST_READ }))
    .emissionFactors;
  if (nodes.length === 0)
    refuse(`There is no emission factor for "${search}".`, "What is an emission factor?");
  const begins = (activity: string) => activity.toLowerCase().startsWith(search);
  const shown = nodes
    .toSorted((one, other) => Number(begins(other.activity)) - Number(begins(one.activity)))
    .slice(0, MOST_SHOWN);
  const figures = shown.map(
    ({ activity, detail, scope, category, region, sourceYear, factor, gas, unit }) => {
      const about = [detail, nameScope(scope), category, region, sourceYear];
      const name = `${activity} (${about.filter((part) => part !== null).join(", ")})`;
      return { name, value: factor, unit: `kg ${gas}/${unit}` };
    },
  );
  const lines = figures.map(({ name, value, unit }) => `${name}: ${value} ${unit.replace("/", " per ")}`);
  const all = pageInfo.hasNextPage ? `more than ${MOST_READ}` : String(nodes.length);
  const cut = nodes.length > shown.length ? `, ${shown.length} of ${all}` : "";
  return {
    ...reply(`Emission factors for "${search}"${cut}:\n${lines.join("\n")}`, figures),
    sources: distinct(shown),
  };
}
