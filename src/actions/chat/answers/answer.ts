import type {
  ComplianceQuestion,
  CreditQuestion,
  MarketQuestion,
  Question,
} from "../../../domain/chat/question.js";
import { CREDIT_STATES, MOST_FIGURES } from "../../../domain/chat/question.js";
import { addDays, isoDate } from "../../../domain/window.js";
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
import { Declined } from "./emission-data.js";

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
    throw new Declined(`There is no emission factor for "${search}".`, ["What is an emission factor?"]);
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
    sources: distinct(shown.map(({ source, sourceUrl }) => ({ title: source, url: sourceUrl }))),
  };
}

const CREDIT_FOLLOW_UPS = ["Show credits by type", "How many credits did we retire last year?"];

async function answerCredits(question: CreditQuestion, ask: Ask): Promise<Reply> {
  const { creditType, state, by, periods, ahead } = question;
  if (question.intent === "forecast")
    return answerForecast(
      "Credits that will be retired",
      ahead,
      async (horizon) => (await ask("getCreditForecast", { horizon, levels: [95] })).credits?.forecast,
    );
  if (periods.length > 0) return answerMoved(question, ask);
  const groups = required((await ask("getCreditPortfolio", {})).credits).byTypeAndVintage.filter(
    (one) => creditType === null || one.creditType === creditType,
  );
  if (groups.length === 0) return reply("You have no credits in your portfolio.");
  const what = `${creditType === null ? "" : `${creditType} `}credits`;
  const sumOf = (all: typeof groups, key: (typeof CREDIT_STATES)[number]) =>
    all.reduce((sum, group) => sum + group[key], 0);
  if (by) {
    const nameOf = (group: (typeof groups)[number]) =>
      by === "type" ? group.creditType : String(group.vintage ?? "no vintage");
    const names = [...new Set(groups.map(nameOf))];
    const amounts = names
      .map((name) => ({
        name,
        amount: sumOf(
          groups.filter((group) => nameOf(group) === name),
          state ?? "available",
        ),
      }))
      .sort((one, other) => (by === "type" ? other.amount - one.amount : one.name < other.name ? -1 : 1))
      .slice(0, MOST_FIGURES);
    const lines = amounts.map(({ name, amount }) => `${name}: ${written(amount)}`);
    return reply(
      `${capital(state ?? "available")} ${what} by ${by}, as of today:\n${lines.join("\n")}`,
      amounts.map(({ name, amount }) => figure(name, amount, "credits")),
      ["How many credits have we retired?"],
    );
  }
  const shown = state === null ? CREDIT_STATES : [state];
  const figures = shown.map((key) => figure(capital(key), sumOf(groups, key), "credits"));
  const lines = figures.map(({ name, value }) => `${name.toLowerCase()} ${written(value)}`);
  return reply(`${capital(what)} as of today: ${lines.join(", ")}.`, figures, CREDIT_FOLLOW_UPS);
}

const MOST_PAGES = 4;

/** Answers with the credits that were sold or retired in a period. */
async function answerMoved(
  { periods: [period], creditType, state }: CreditQuestion,
  ask: Ask,
): Promise<Reply> {
  if (!period) throw new Error("a question about a period has none");
  const variables = {
    from: period.from,
    to: period.to,
    ...(creditType !== null && { creditTypes: [creditType] }),
  };
  const isSale = state === "sold";
  const readPage = async (after: string | null) =>
    isSale
      ? required((await ask("listSales", { ...variables, first: 100, after })).credits).sales
      : required((await ask("listCreditRetirements", { ...variables, first: 100, after })).credits)
          .retirements;
  let [total, count] = [0, 0];
  let after: string | null = null;
  for (let pages = 0; ; pages += 1) {
    if (pages === MOST_PAGES)
      throw new Declined(
        `There are too many ${isSale ? "sales" : "retirements"} ${ofDays(period)} to add them up. Ask for a shorter period.`,
        CREDIT_FOLLOW_UPS,
      );
    const page: {
      readonly nodes: readonly { readonly quantity: number }[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    } = await readPage(after);
    total += page.nodes.reduce((sum, { quantity }) => sum + quantity, 0);
    count += page.nodes.length;
    if (!page.pageInfo.hasNextPage) break;
    after = page.pageInfo.endCursor;
  }
  const undated = isSale && (await ask("getCreditPortfolio", {})).credits;
  const sold = undated
    ? undated.byTypeAndVintage.reduce(
        (sum, one) => sum + (creditType === null || one.creditType === creditType ? one.sold : 0),
        0,
      )
    : 0;
  const note = isSale ? ` Sales without a day do not count here; ${written(sold)} were sold in all.` : "";
  return reply(
    `${written(total)} ${creditType === null ? "" : `${creditType} `}credits were ${isSale ? "sold" : "retired"} ${ofDays(period)}, in ${counted(count, isSale ? "sale" : "retirement")}.${note}`,
    [figure(isSale ? "Sold" : "Retired", total, "credits")],
    ["And last year?", "How many credits are available?"],
  );
}

/** Maximum number of prices, and of deadlines, in an answer. */
const MOST_SHOWN = 10;

async function answerMarket(
  { intent, creditType, exchange, ahead }: MarketQuestion,
  ask: Ask,
): Promise<Reply> {
  const filter = {
    ...(creditType !== null && { creditTypes: [creditType] }),
    ...(exchange !== null && { exchanges: [exchange] }),
  };
  const { nodes, pageInfo } = required(
    (await ask("listInstruments", { ...filter, first: 100 })).market,
  ).instruments;
  const [only, ...others] = nodes;
  if (!only) throw new Declined("There is no such price that you can see.", ["Show all prices"]);
  if (intent === "forecast") {
    if (others.length > 0) {
      const choices = nodes
        .slice(0, 6)
        .map((one) => `Price forecast of ${one.creditType} on ${one.exchange}`);
      throw new Declined("There are several such prices. Which one?", choices);
    }
    const instrument = { creditType: only.creditType, exchange: only.exchange };
    return answerForecast(
      `Price of ${only.creditType} on ${only.exchange}`,
      ahead,
      async (horizon) =>
        (await ask("getMarketForecast", { ...instrument, horizon, levels: [95] })).market?.forecast,
    );
  }
  const shown = nodes.slice(0, MOST_SHOWN);
  const lines = shown.map((one) => {
    const { price, currency, unit, asOf, isStale } = one.latestPrice;
    const of = (day: string | null) => (day === null ? "of an unknown day" : `of ${writeDay(day)}`);
    const before = one.change
      ? `; before, ${priced(one.change.previous.price)} ${of(one.change.previous.asOf)}`
      : "";
    return `${one.creditType}, ${one.exchange}: ${priced(price)} ${currency} per ${unit} ${of(asOf)}${isStale ? ", which is out of date" : ""}${before}`;
  });
  const all = pageInfo.hasNextPage ? "more than 100" : String(nodes.length);
  const cut =
    nodes.length > shown.length
      ? `\nThese are ${shown.length} of ${all}. Ask for a credit type to see others.`
      : "";
  return {
    ...reply(
      `Latest prices:\n${lines.join("\n")}${cut}`,
      shown.map(({ creditType, exchange, latestPrice: { price, currency, unit } }) =>
        figure(`${creditType}, ${exchange}`, price, `${currency}/${unit}`),
      ),
      [`What is the price forecast for ${only.creditType}?`, "Show all prices"],
    ),
    sources: distinct(
      shown.map(({ latestPrice: { source, sourceUrl } }) =>
        sourceUrl ? { title: source, url: sourceUrl } : null,
      ),
    ),
  };
}

const DEADLINE_FOLLOW_UPS = ["Which deadlines are overdue?", "What is our status in each framework?"];
const wordsOf = (status: string) => status.toLowerCase().replaceAll("_", " ");
/** Status of frameworks that need nothing. */
const SETTLED = ["compliant", "not applicable"];

async function answerStatus({ frameworks, status }: ComplianceQuestion, ask: Ask): Promise<Reply> {
  const all = required((await ask("listFrameworks", {})).compliance).frameworks;
  const named = all.filter((state) => frameworks.length === 0 || frameworks.includes(state.framework));
  if (named.length === 0)
    return reply(
      frameworks.length === 0
        ? "You have no frameworks yet."
        : `You are not registered for ${frameworks.join(" and ")}.`,
    );
  const wanted = status === null ? null : wordsOf(status);
  const shown =
    frameworks.length > 0 || wanted === null
      ? named
      : named.filter((one) =>
          wanted === "open" ? !SETTLED.includes(wordsOf(one.status)) : wordsOf(one.status) === wanted,
        );
  const which =
    wanted === null || frameworks.length > 0
      ? ""
      : ` with ${wanted === "open" ? "something to do" : `the status "${wanted}"`}`;
  if (shown.length === 0)
    return reply(`You have no framework${which}.`, [], ["What is our status in each framework?"]);
  const lines = shown.map(
    (one) =>
      `${one.framework}: ${wordsOf(one.status)}, as of ${writeDay(isoDate(new Date(one.lastUpdated)))}`,
  );
  return reply(`Frameworks${which}:\n${lines.join("\n")}`, [], ["What is our next deadline?"]);
}

async function answerDeadlines(question: ComplianceQuestion, ask: Ask, now: Date): Promise<Reply> {
  const { frameworks, isOverdue, count, due, intent, title } = question;
  const today = isoDate(now);
  const yesterday = addDays(now, -1);
  const days = isOverdue
    ? { ...(due && { dueFrom: due.from }), dueTo: due && due.to < yesterday ? due.to : yesterday }
    : due
      ? { dueFrom: due.from, dueTo: due.to }
      : { dueFrom: today };
  const page = required(
    (
      await ask("listDeadlines", {
        ...days,
        ...(frameworks.length > 0 && { frameworks }),
        states: isOverdue ? ["PENDING", "MISSED"] : ["PENDING"],
        first: 100,
      })
    ).compliance,
  ).deadlines;
  const words =
    title === null
      ? []
      : title
          .toLowerCase()
          .split(" ")
          .map((one) => one.replace(/s$/, ""));
  const all = page.nodes.filter((one) => words.every((word) => one.title.toLowerCase().includes(word)));
  const which = `${isOverdue ? "overdue" : "open"} deadlines${frameworks.length > 0 ? ` of ${frameworks.join(" and ")}` : ""}${title === null ? "" : ` about "${title}"`}`;
  const nounOf = (length: number) => (length === 1 ? which.replace("deadlines", "deadline") : which);
  const from = "dueFrom" in days ? days.dueFrom : undefined;
  const when =
    "dueTo" in days
      ? from === undefined
        ? `due by ${writeDay(days.dueTo)}`
        : `due ${ofDays({ from, to: days.dueTo })}`
      : "from today on";
  const [first] = all;
  if (!first) return reply(`There are no ${which} ${when}.`, [], DEADLINE_FOLLOW_UPS);
  if (page.pageInfo.hasNextPage && (intent === "count" || title !== null))
    throw new Declined(
      "There are more than 100 such deadlines. Ask for a framework or a shorter period.",
      DEADLINE_FOLLOW_UPS,
    );
  if (intent === "count")
    return reply(
      `There ${all.length === 1 ? "is" : "are"} ${all.length} ${nounOf(all.length)} ${when}.`,
      [figure("Deadlines", all.length, "deadlines")],
      DEADLINE_FOLLOW_UPS,
    );
  const shown =
    count === 1 ? all.filter(({ dueDate }) => dueDate === first.dueDate) : all.slice(0, count ?? MOST_SHOWN);
  const lines = shown.map((one) => {
    const left = daysUntil(one.dueDate, today);
    return `${writeDay(one.dueDate)} (${left < 0 ? `${counted(-left, "day")} ago` : left === 0 ? "today" : `in ${counted(left, "day")}`}): ${one.title} (${one.framework})`;
  });
  const total = page.pageInfo.hasNextPage ? "More than 100" : String(all.length);
  const head =
    count === null
      ? `${total} ${nounOf(all.length)} ${when}${all.length > shown.length ? `, the first ${shown.length} of them` : ""}`
      : `Next of the ${which} ${when}`;
  return {
    ...reply(
      `${head}:\n${lines.join("\n")}`,
      shown.map((one) => figure(one.title, daysUntil(one.dueDate, today), "days")),
      DEADLINE_FOLLOW_UPS,
    ),
    sources: distinct(
      shown.map(({ source, sourceUrl }) =>
        sourceUrl ? { title: source ?? sourceUrl, url: sourceUrl } : null,
      ),
    ),
  };
}

const daysUntil = (day: string, today: string) =>
  Math.round((Date.parse(day) - Date.parse(today)) / 86_400_000);
