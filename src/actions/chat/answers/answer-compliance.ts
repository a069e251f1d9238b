import { EXAMPLES } from "../../../domain/chat/examples.js";
import { listed, notYet, refuse } from "../../../domain/chat/leftovers.js";
import type { ComplianceQuestion } from "../../../domain/chat/question.js";
import { addDays, daysBetween, isoDate } from "../../../domain/window.js";
import { counted, distinct, figure, ofDays, type Reply, reply, writeDay } from "../reply.js";
import type { Ask } from "../tools.js";
import { type Asking, MOST_READ } from "./emission-data.js";
import { contains } from "./match-names.js";

/** Maximum number of deadlines in an answer. */
const MOST_SHOWN = 10;

/** Answers a question about frameworks or deadlines. */
export const answerCompliance = (question: ComplianceQuestion, { ask, now }: Asking): Promise<Reply> =>
  question.intent === "status" ? answerStatus(question, ask) : answerDeadlines(question, ask, now);

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
