import { EXAMPLES } from "../../../domain/chat/examples.js";
import { listed, notYet, refuse } from "../../../domain/chat/leftovers.js";
import {
  type ComplianceQuestion,
  CREDIT_STATES,
  type CreditQuestion,
  type CreditState,
  type MarketQuestion,
  MOST_FIGURES,
  type Question,
} from "../../../domain/chat/question.js";
import { wordsOf } from "../../../domain/chat/text.js";
import { addDays, daysBetween, isoDate } from "../../../domain/window.js";
import {
  capital,
  counted,
  distinct,
  figure,
  ofDays,
  priced,
  type Reply,
  reply,
  writeDay,
  written,
} from "../reply.js";
import { type Ask, readPages } from "../tools.js";
import { answerEmissions } from "./answer-emissions.js";
import { answerForecast } from "./answer-forecast.js";
import { type Asking, MOST_READ } from "./emission-data.js";

/** Answers a question that was understood completely. Rejects with the errors of the graph, and with Unanswerable. */
export async function answer(question: Question, asking: Asking): Promise<Reply> {
  const { ask, now } = asking;
  switch (question.subject) {
    case "emissions":
      return answerEmissions(question, asking);
    case "credits":
      return answerCredits(question, ask);
    case "market":
      return answerMarket(question, ask);
    case "compliance":
      return question.intent === "status" ? answerStatus(question, ask) : answerDeadlines(question, ask, now);
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

/** Maximum number of factors, prices and deadlines in an answer. */
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
      const about = [detail, scope.toLowerCase().replace("_", " "), category, region, sourceYear];
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

const CREDIT_FOLLOW_UPS = ["Show credits by type", "How many credits did we retire last year?"];

/** Returns true if a name contains words that begin with each of some words. */
const contains = (name: string, about: string | null): boolean =>
  wordsOf(about ?? "").every((word) =>
    wordsOf(name).some((one) => one.startsWith(word.replace(/(?<=.{3})s$/, ""))),
  );

async function answerCredits(question: CreditQuestion, ask: Ask): Promise<Reply> {
  const { about, state, by, period, ahead, isForecast } = question;
  if (isForecast)
    return answerForecast("Credits that will be retired", ahead, async (horizon) => {
      return (await ask("forecastRetirements", { horizon, method: "OLS" })).credits.forecast;
    });
  const all = (await ask("getCredits", { first: 1 })).credits.byTypeAndVintage;
  if (all.length === MOST_READ) refuse("There are too many types and vintages of credits to add them up.");
  const groups = all.filter(({ creditType }) => contains(creditType, about));
  const types = [...new Set(groups.map(({ creditType }) => creditType))];
  if (about !== null && types.length === 0)
    refuse(`There are no "${about.slice(0, 100)}" credits in your portfolio.`, "Show credits by type");
  const what = about === null ? "credits" : `${listed(types)} credits`;
  const sumOf = (key: CreditState, some = groups) => some.reduce((sum, group) => sum + group[key], 0);
  if (period) {
    const { from, to } = period;
    const isSale = state === "sold";
    const total = await sumMoved(isSale, { from, to }, about === null ? {} : { creditTypes: types }, ask);
    const note = isSale
      ? ` Sales without a day are not counted; ${written(sumOf("sold"))} were sold in all.`
      : "";
    return reply(
      `${written(total)} ${what} were ${state} ${ofDays(period)}.${note}`,
      [figure(isSale ? "Sold" : "Retired", total, "credits")],
      ["And last year?", "How many credits are available?"],
    );
  }
  const nameOf = ({ vintage, creditType }: (typeof groups)[number]) =>
    by === "vintage" ? String(vintage ?? "no vintage") : creditType;
  const shown = state ?? "available";
  const sums = by
    ? [...new Set(groups.map(nameOf))].map((name) => {
        const some = groups.filter((group) => nameOf(group) === name);
        return figure(name, sumOf(shown, some), "credits");
      })
    : (state ? [state] : CREDIT_STATES).map((key) => figure(capital(key), sumOf(key), "credits"));
  const figures = sums.slice(0, MOST_FIGURES);
  const lines = figures.map(({ name, value }) => `${name}: ${written(value)}`);
  const head = by ? `${capital(shown)} ${what} by ${by}` : capital(what);
  return reply(`${head}, as of today:\n${lines.join("\n")}`, figures, CREDIT_FOLLOW_UPS);
}

const MOST_PAGES = 4;

/** Adds up the credits that were sold or retired in a period. */
async function sumMoved(
  isSale: boolean,
  range: { readonly from: string; readonly to: string },
  types: { readonly creditTypes?: string[] },
  ask: Ask,
): Promise<number> {
  const page = { ...types, first: MOST_READ };
  const { items, isWhole } = await readPages<{ readonly quantity: number }>(MOST_PAGES, async (after) =>
    isSale
      ? (await ask("findSales", { range, ...page, after })).credits.sales
      : (await ask("listRetirements", { range, ...page, after })).credits.retirements,
  );
  if (!isWhole) refuse("There are too many to add up. Ask for a shorter period.", ...CREDIT_FOLLOW_UPS);
  return items.reduce((sum, { quantity }) => sum + quantity, 0);
}

async function answerMarket({ isForecast, about, ahead }: MarketQuestion, ask: Ask): Promise<Reply> {
  const page = (await ask("getMarketPrices", { first: MOST_READ })).market.instruments;
  const prices = page.nodes
    .map(({ latestPrice }) => latestPrice)
    .filter((one) => contains(`${one.creditType} ${one.exchange}`, about));
  const [only, ...others] = prices;
  if (!only)
    refuse(`There is no price of "${(about ?? "").slice(0, 100)}" that you can see.`, "Show all prices");
  const { creditType, exchange } = only;
  if (isForecast && others.length > 0)
    refuse(
      "There are several such prices. Which one?",
      ...prices.slice(0, 6).map((one) => `Price forecast of ${one.creditType} on ${one.exchange}`),
    );
  if (isForecast)
    return answerForecast(`Price of ${creditType} on ${exchange}`, ahead, async (horizon) => {
      return (await ask("forecastPrice", { creditType, exchange, horizon, method: "OLS" })).market.forecast;
    });
  const shown = prices.slice(0, MOST_SHOWN);
  const lines = shown.map(({ creditType, exchange, price, currency, unit, asOf, isStale }) => {
    const day = asOf === null ? "an unknown day" : writeDay(asOf);
    const stale = isStale ? ", which is out of date" : "";
    return `${creditType}, ${exchange}: ${priced(price)} ${currency} per ${unit} of ${day}${stale}`;
  });
  const all = page.pageInfo.hasNextPage ? `more than ${MOST_READ}` : String(prices.length);
  const cut =
    prices.length > shown.length
      ? `\nThese are ${shown.length} of ${all}. Ask for a credit type to see others.`
      : "";
  return {
    ...reply(
      `Latest prices:\n${lines.join("\n")}${cut}`,
      shown.map(({ creditType, exchange, price, currency, unit }) =>
        figure(`${creditType}, ${exchange}`, price, `${currency}/${unit}`),
      ),
      [`What is the price forecast for ${creditType}?`, "Show all prices"],
    ),
    sources: distinct(shown),
  };
}

const DEADLINE_FOLLOW_UPS = ["Which deadlines are overdue?", "What is our status in each framework?"];

async function answerStatus({ frameworks, status, about }: ComplianceQuestion, ask: Ask): Promise<Reply> {
  if (about !== null) refuse(notYet(about));
  const all = (await ask("getComplianceStatus", {})).compliance.frameworks;
  const isWanted = (one: string) =>
    status === "open" ? !/^(?:compliant|not_applicable)$/i.test(one) : one.toLowerCase() === status;
  const isOfStatus = status !== null && frameworks.length === 0;
  const shown = all.filter((one) =>
    isOfStatus ? isWanted(one.status) : frameworks.length === 0 || frameworks.includes(one.framework),
  );
  const which = !isOfStatus
    ? ""
    : status === "open"
      ? " that are not compliant"
      : ` with the status "${status.replace("_", " ")}"`;
  if (shown.length === 0)
    return reply(
      frameworks.length > 0
        ? `You are not registered for ${listed(frameworks)}.`
        : `You have no frameworks${which}.`,
      [],
      EXAMPLES.compliance.slice(4, 5),
    );
  const lines = shown.map((one) => {
    const day = writeDay(isoDate(new Date(one.lastUpdated)));
    return `${one.framework}: ${one.status.toLowerCase().replaceAll("_", " ")}, as of ${day}`;
  });
  return reply(`Frameworks${which}:\n${lines.join("\n")}`, [], ["What is our next deadline?"]);
}

async function answerDeadlines(question: ComplianceQuestion, ask: Ask, now: Date): Promise<Reply> {
  const { frameworks, isOverdue, count, due, intent, about } = question;
  const today = isoDate(now);
  const yesterday = addDays(now, -1);
  const dueFrom = due?.from ?? (isOverdue ? undefined : today);
  const dueTo = isOverdue && (!due || due.to > yesterday) ? yesterday : due?.to;
  const { nodes, pageInfo } = (
    await ask("findDeadlines", {
      ...(dueFrom !== undefined && { dueFrom }),
      ...(dueTo !== undefined && { dueTo }),
      ...(frameworks.length > 0 && { frameworks }),
      states: isOverdue ? ["PENDING", "MISSED"] : ["PENDING"],
      first: MOST_READ,
    })
  ).compliance.deadlines;
  const all = nodes.filter(({ title }) => contains(title, about));
  const of = `${frameworks.length > 0 ? ` of ${listed(frameworks)}` : ""}${about === null ? "" : ` about "${about}"`}`;
  const nounOf = (length: number) =>
    `${isOverdue ? "overdue" : "open"} deadline${length === 1 ? "" : "s"}${of}`;
  const when =
    dueTo === undefined
      ? "from today on"
      : dueFrom === undefined
        ? `due by ${writeDay(dueTo)}`
        : `due ${ofDays({ from: dueFrom, to: dueTo })}`;
  const [first] = all;
  if (!first && about !== null)
    refuse(`${notYet(about)} There are no ${nounOf(0)} ${when}.`, ...DEADLINE_FOLLOW_UPS);
  if (!first) return reply(`There are no ${nounOf(0)} ${when}.`, [], DEADLINE_FOLLOW_UPS);
  if (pageInfo.hasNextPage && (intent === "count" || about !== null))
    refuse(
      "There are more than 100 such deadlines. Ask for a framework or a shorter period.",
      ...DEADLINE_FOLLOW_UPS,
    );
  if (intent === "count") {
    const text = `There ${all.length === 1 ? "is" : "are"} ${all.length} ${nounOf(all.length)} ${when}.`;
    return reply(text, [figure("Deadlines", all.length, "deadlines")], DEADLINE_FOLLOW_UPS);
  }
  const shown =
    count === 1 ? all.filter(({ dueDate }) => dueDate === first.dueDate) : all.slice(0, count ?? MOST_SHOWN);
  const left = (day: string) => daysBetween(today, day);
  const lines = shown.map(({ dueDate, title, framework }) => {
    const days = left(dueDate);
    const distance =
      days < 0 ? `${counted(-days, "day")} ago` : days === 0 ? "today" : `in ${counted(days, "day")}`;
    return `${writeDay(dueDate)} (${distance}): ${title} (${framework})`;
  });
  const total = pageInfo.hasNextPage ? "More than 100" : String(all.length);
  const cut = all.length > shown.length ? `, the first ${shown.length} of them` : "";
  const head =
    count === null ? `${total} ${nounOf(all.length)} ${when}${cut}` : `Next ${nounOf(count)} ${when}`;
  return {
    ...reply(
      `${head}:\n${lines.join("\n")}`,
      shown.map(({ title, dueDate }) => figure(title, left(dueDate), "days")),
      DEADLINE_FOLLOW_UPS,
    ),
    sources: distinct(shown),
  };
}
