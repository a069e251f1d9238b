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
import { addDays, daysBetween, isoDate } from "../../../domain/window.js";
import { type Ask, required } from "../ask.js";
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
import { answerEmissions } from "./answer-emissions.js";
import { answerForecast } from "./answer-forecast.js";

/** Answers a question that was understood completely. Rejects with the errors of the graph, and with Declined. */
export async function answer(question: Question, ask: Ask, now: Date): Promise<Reply> {
  switch (question.subject) {
    case "emissions":
      return answerEmissions(question, ask, now);
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
  const { nodes, pageInfo } = required(
    (await ask("listFacilities", { includeArchived: false, first: 100 })).facilities,
  );
  if (pageInfo.hasNextPage)
    return reply("You have more than 100 facilities.", [], ["Show emissions by facility"]);
  const names = nodes.map(({ name, code }) => `${name} (${code})`);
  return reply(
    [
      `You have ${nodes.length === 1 ? "1 facility" : `${nodes.length} facilities`}${names.length > 0 ? ":" : "."}`,
      ...names.slice(0, MOST_FIGURES),
    ].join("\n"),
    [figure("Facilities", nodes.length, "facilities")],
    ["Show emissions by facility"],
  );
}

const MOST_FACTORS = 10;

/** Answers with emission factors. Factors whose name starts with the search come first: diesel before biodiesel. */
async function answerFactor(search: string, ask: Ask): Promise<Reply> {
  const { nodes, pageInfo } = required(
    (await ask("listEmissionFactors", { search, first: 100 })).emissionFactors,
  );
  if (nodes.length === 0)
    refuse(`There is no emission factor for "${search}".`, "What is an emission factor?");
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
  const all = pageInfo.hasNextPage ? "more than 100" : String(nodes.length);
  return {
    ...reply(
      `Emission factors for "${search}"${nodes.length > shown.length ? `, ${shown.length} of ${all}` : ""}:\n${lines.join("\n")}`,
      named.map(({ name, factor, gas, unit }) => ({ name, value: factor, unit: `kg ${gas}/${unit}` })),
    ),
    sources: distinct(shown),
  };
}

const CREDIT_FOLLOW_UPS = ["Show credits by type", "How many credits did we retire last year?"];

/** Returns true if a name contains each of some words. */
const contains = (name: string, about: string | null): boolean => {
  const plain = ` ${name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")}`;
  return (about ?? "")
    .split(/[^\p{L}\p{N}]+/u)
    .every((word) => plain.includes(` ${word.replace(/(?<=.{3})s$/, "")}`) || word === "");
};

async function answerCredits(question: CreditQuestion, ask: Ask): Promise<Reply> {
  const { about, state, by, period, ahead, isForecast } = question;
  if (isForecast)
    return answerForecast("Credits that will be retired", ahead, async (horizon) => {
      return (await ask("getCreditForecast", { horizon, levels: [95] })).credits?.forecast;
    });
  const all = required((await ask("getCreditPortfolio", {})).credits).byTypeAndVintage;
  const groups = all.filter(({ creditType }) => contains(creditType, about));
  const types = [...new Set(groups.map(({ creditType }) => creditType))];
  if (about !== null && types.length === 0)
    refuse(`There are no "${about.slice(0, 100)}" credits in your portfolio.`, "Show credits by type");
  const what = about === null ? "credits" : `${listed(types)} credits`;
  const sumOf = (some: typeof groups, key: CreditState) => some.reduce((sum, group) => sum + group[key], 0);
  if (period) {
    const isSale = state === "sold";
    const total = await sumMoved(isSale, { ...period, ...(about !== null && { creditTypes: types }) }, ask);
    const note = isSale
      ? ` Sales without a day are not counted; ${written(sumOf(groups, "sold"))} were sold in all.`
      : "";
    return reply(
      `${written(total)} ${what} were ${state} ${ofDays(period)}.${note}`,
      [figure(isSale ? "Sold" : "Retired", total, "credits")],
      ["And last year?", "How many credits are available?"],
    );
  }
  const nameOf = (group: (typeof groups)[number]) =>
    by === "vintage" ? String(group.vintage ?? "no vintage") : group.creditType;
  const figures = by
    ? [...new Set(groups.map(nameOf))].map((name) =>
        figure(
          name,
          sumOf(
            groups.filter((group) => nameOf(group) === name),
            state ?? "available",
          ),
          "credits",
        ),
      )
    : (state ? [state] : CREDIT_STATES).map((key) => figure(capital(key), sumOf(groups, key), "credits"));
  const lines = figures.slice(0, MOST_FIGURES).map(({ name, value }) => `${name}: ${written(value)}`);
  const head = by ? `${capital(state ?? "available")} ${what} by ${by}` : capital(what);
  return reply(
    `${head}, as of today:\n${lines.join("\n")}`,
    figures.slice(0, MOST_FIGURES),
    CREDIT_FOLLOW_UPS,
  );
}

const MOST_PAGES = 4;
interface Moved {
  readonly nodes: readonly { readonly quantity: number }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Adds up the credits that were sold or retired in a period. */
async function sumMoved(
  isSale: boolean,
  { from, to, creditTypes }: { from: string; to: string; creditTypes?: string[] },
  ask: Ask,
): Promise<number> {
  const variables = { from, to, ...(creditTypes && { creditTypes }), first: 100 };
  let total = 0;
  let after: string | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page: Moved = isSale
      ? required((await ask("listSales", { ...variables, after })).credits).sales
      : required((await ask("listCreditRetirements", { ...variables, after })).credits).retirements;
    for (const { quantity } of page.nodes) total += quantity;
    after = page.pageInfo.endCursor;
    if (!page.pageInfo.hasNextPage) return total;
  }
  return refuse("There are too many to add up. Ask for a shorter period.", ...CREDIT_FOLLOW_UPS);
}

/** Maximum number of prices, and of deadlines, in an answer. */
const MOST_SHOWN = 10;

async function answerMarket({ isForecast, about, ahead }: MarketQuestion, ask: Ask): Promise<Reply> {
  const page = required((await ask("listInstruments", { first: 100 })).market).instruments;
  const nodes = page.nodes.filter((one) => contains(`${one.creditType} ${one.exchange}`, about));
  const [only, ...others] = nodes;
  if (!only)
    refuse(`There is no price of "${(about ?? "").slice(0, 100)}" that you can see.`, "Show all prices");
  const { creditType, exchange } = only;
  if (isForecast && others.length > 0)
    refuse(
      "There are several such prices. Which one?",
      ...nodes.slice(0, 6).map((one) => `Price forecast of ${one.creditType} on ${one.exchange}`),
    );
  if (isForecast)
    return answerForecast(`Price of ${creditType} on ${exchange}`, ahead, async (horizon) => {
      return (await ask("getMarketForecast", { creditType, exchange, horizon, levels: [95] })).market
        ?.forecast;
    });
  const shown = nodes.slice(0, MOST_SHOWN);
  const of = (day: string | null) => (day === null ? "of an unknown day" : `of ${writeDay(day)}`);
  const lines = shown.map(({ creditType, exchange, change, latestPrice: latest }) => {
    const before = change ? `; before, ${priced(change.previous.price)} ${of(change.previous.asOf)}` : "";
    const stale = latest.isStale ? ", which is out of date" : "";
    return `${creditType}, ${exchange}: ${priced(latest.price)} ${latest.currency} per ${latest.unit} ${of(latest.asOf)}${stale}${before}`;
  });
  const all = page.pageInfo.hasNextPage ? "more than 100" : String(nodes.length);
  const cut =
    nodes.length > shown.length
      ? `\nThese are ${shown.length} of ${all}. Ask for a credit type to see others.`
      : "";
  return {
    text: `Latest prices:\n${lines.join("\n")}${cut}`,
    figures: shown.map(({ creditType, exchange, latestPrice: { price, currency, unit } }) => ({
      ...figure(`${creditType}, ${exchange}`, price, `${currency}/${unit}`),
    })),
    sources: distinct(shown.map(({ latestPrice }) => latestPrice)),
    followUps: [`What is the price forecast for ${creditType}?`, "Show all prices"],
  };
}

const DEADLINE_FOLLOW_UPS = ["Which deadlines are overdue?", "What is our status in each framework?"];

async function answerStatus({ frameworks, status, about }: ComplianceQuestion, ask: Ask): Promise<Reply> {
  if (about !== null) refuse(notYet(about));
  const all = required((await ask("listFrameworks", {})).compliance).frameworks;
  const isWanted = (one: string) =>
    status === "open"
      ? !/^(?:compliant|not_applicable)$/i.test(one)
      : one.toLowerCase() === (status ?? one.toLowerCase());
  const shown = all.filter((one) =>
    frameworks.length === 0 ? isWanted(one.status) : frameworks.includes(one.framework),
  );
  const which =
    status === null || frameworks.length > 0
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
  const lines = shown.map(
    (one) =>
      `${one.framework}: ${one.status.toLowerCase().replaceAll("_", " ")}, as of ${writeDay(isoDate(new Date(one.lastUpdated)))}`,
  );
  return reply(`Frameworks${which}:\n${lines.join("\n")}`, [], ["What is our next deadline?"]);
}

async function answerDeadlines(question: ComplianceQuestion, ask: Ask, now: Date): Promise<Reply> {
  const { frameworks, isOverdue, count, due, intent, about } = question;
  const today = isoDate(now);
  const yesterday = addDays(now, -1);
  const dueFrom = due?.from ?? (isOverdue ? undefined : today);
  const dueTo = isOverdue && (!due || due.to > yesterday) ? yesterday : due?.to;
  const { nodes, pageInfo } = required(
    (
      await ask("listDeadlines", {
        ...(dueFrom !== undefined && { dueFrom }),
        ...(dueTo !== undefined && { dueTo }),
        ...(frameworks.length > 0 && { frameworks }),
        states: isOverdue ? ["PENDING", "MISSED"] : ["PENDING"],
        first: 100,
      })
    ).compliance,
  ).deadlines;
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
    text: `${head}:\n${lines.join("\n")}`,
    figures: shown.map(({ title, dueDate }) => figure(title, left(dueDate), "days")),
    sources: distinct(shown),
    followUps: DEADLINE_FOLLOW_UPS,
  };
}
