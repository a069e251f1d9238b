import { cannotAnswerAbout, joinWords, refuse, requireThat } from "../../../domain/chat/open-question.js";
import type { ComplianceQuestion } from "../../../domain/chat/question.js";
import { contains } from "../../../domain/chat/text.js";
import { formatDay } from "../../../domain/insights/insight.js";
import { addDays, daysBetween, isoDate } from "../../../domain/window.js";
import { describeDays, figure, formatCount, list, type Reply, reply } from "../reply.js";
import type { Ask } from "../tools.js";
import { type AnswerContext, MAX_READ } from "./emission-data.js";

export const answerCompliance = (
  question: ComplianceQuestion,
  { ask, now }: AnswerContext,
): Promise<Reply> =>
  question.intent === "status" ? answerStatus(question, ask) : answerDeadlines(question, ask, now);

const FOLLOW_UPS = ["Which deadlines are overdue?", "What is our status under each framework?"];

async function answerStatus({ frameworks, status, about }: ComplianceQuestion, ask: Ask): Promise<Reply> {
  if (about !== null) refuse(cannotAnswerAbout(about));
  const all = (await ask("getComplianceStatus", {})).compliance.frameworks;
  const isAsked = (one: (typeof all)[number]) => {
    if (frameworks.length > 0) return frameworks.includes(one.framework);
    if (status === "open") return !/^(?:compliant|not_applicable)$/i.test(one.status);
    return status === null || one.status.toLowerCase() === status;
  };
  const rows = all.filter(isAsked).map((one) => ({
    name: one.framework,
    value: null,
    unit: "",
    note: `${one.status.toLowerCase().replaceAll("_", " ")}, as of ${formatDay(isoDate(new Date(one.lastUpdated)))}`,
  }));
  const which = status === "open" ? " that are not compliant" : status && ` (${status.replace("_", " ")})`;
  if (rows.length === 0)
    return reply(
      frameworks.length > 0
        ? `You are not registered for ${joinWords(frameworks)}.`
        : `You have no frameworks${which ?? ""}.`,
    );
  return list(`Frameworks${which ?? ""}`, rows, { followUps: ["What is our next deadline?"] });
}

async function answerDeadlines(question: ComplianceQuestion, ask: Ask, now: Date): Promise<Reply> {
  const { frameworks, isOverdue, count, due, intent, about } = question;
  const [today, yesterday] = [isoDate(now), addDays(now, -1)];
  const from = due?.from ?? (isOverdue ? null : today);
  const to = isOverdue && (!due || due.to > yesterday) ? yesterday : (due?.to ?? null);
  const { nodes, pageInfo } = (
    await ask("findDeadlines", {
      dueFrom: from,
      dueTo: to,
      ...(frameworks.length > 0 && { frameworks }),
      states: isOverdue ? ["PENDING", "MISSED"] : ["PENDING"],
      first: MAX_READ,
    })
  ).compliance.deadlines;
  const all = nodes.filter(({ title }) => contains(title, about));
  const of = `${frameworks.length > 0 ? ` of ${joinWords(frameworks)}` : ""}${about === null ? "" : ` about "${about}"`}`;
  const kind = `${isOverdue ? "overdue" : "open"} deadline`;
  const when =
    to === null
      ? "from today on"
      : from === null
        ? `due by ${formatDay(to)}`
        : `due ${describeDays({ from, to })}`;
  const [first] = all;
  if (!first) {
    const nothing = `There are no ${kind}s${of} ${when}.`;
    requireThat(about === null, `${cannotAnswerAbout(about ?? "")} ${nothing}`, ...FOLLOW_UPS);
    return reply(nothing, [], FOLLOW_UPS);
  }
  requireThat(
    !pageInfo.hasNextPage || (intent !== "count" && about === null),
    "There are more than 100 such deadlines. Ask about one framework or a shorter period.",
  );
  const number = `${formatCount(all.length, kind)}${of} ${when}`;
  if (intent === "count")
    return reply(`${number}.`, [figure("Deadlines", all.length, "deadlines")], FOLLOW_UPS);
  // Several deadlines may share the next due date.
  const next =
    count === 1 ? all.filter(({ dueDate }) => dueDate === first.dueDate) : all.slice(0, count ?? undefined);
  const rows = next.map(({ dueDate, title, framework }) => {
    const days = daysBetween(today, dueDate);
    const distance = days < 0 ? `${formatCount(-days, "day")} ago` : `in ${formatCount(days, "day")}`;
    const line = `${formatDay(dueDate)} (${days === 0 ? "today" : distance}): ${title} (${framework})`;
    return { name: title, value: days, unit: "days", line };
  });
  return list(count === null ? number : `Next ${kind}${count > 1 ? "s" : ""}${of} ${when}`, rows, {
    all: pageInfo.hasNextPage ? `more than ${MAX_READ}` : undefined,
    followUps: FOLLOW_UPS,
    quoted: next,
  });
}
