import type { Question } from "../../../domain/chat/question.js";
import { addDays, isoDate } from "../../../domain/window.js";
import type { Ask } from "../ask.js";
import { deadlinesQuery, frameworksQuery } from "../queries.js";
import { counted, distinct, figure, type Reply, saying, written } from "../reply.js";
import { required } from "./emission-subject.js";

type ComplianceQuestion = Extract<Question, { subject: "compliance" }>;

const FOLLOW_UPS = ["Which deadlines are overdue?", "What is our status in each framework?"];
const MOST_SHOWN = 10;

/** Answers a question about deadlines or frameworks. */
export const answerCompliance = (question: ComplianceQuestion, ask: Ask, now: Date): Promise<Reply> =>
  question.intent === "status" ? answerStatus(question, ask) : answerDeadlines(question, ask, now);

async function answerStatus({ framework }: ComplianceQuestion, ask: Ask): Promise<Reply> {
  const all = required((await ask(frameworksQuery, {})).compliance).frameworks;
  const shown = all.filter((state) => framework === null || state.framework === framework);
  if (shown.length === 0) {
    return saying(
      framework === null
        ? "You are registered for no framework."
        : `You are not registered for ${framework}.`,
    );
  }
  const lines = shown.map(
    ({ framework, status, lastUpdated }) =>
      `${framework}: ${status.toLowerCase().replaceAll("_", " ")}, as of ${isoDate(new Date(lastUpdated))}`,
  );
  return saying(`Status by framework:\n${lines.join("\n")}`, ["What is our next deadline?"]);
}

async function answerDeadlines(question: ComplianceQuestion, ask: Ask, now: Date): Promise<Reply> {
  const { framework, isOverdue, isNext, intent } = question;
  const today = isoDate(now);
  const filter = {
    ...(framework !== null && { frameworks: [framework] }),
    statuses: isOverdue ? ["pending", "missed"] : ["pending"],
    ...daysOf(question, today),
  };
  const { nodes, totalCount } = required((await ask(deadlinesQuery, { filter })).compliance).deadlines;
  const which = `${isOverdue ? "overdue deadlines" : "open deadlines"}${framework === null ? "" : ` of ${framework}`}`;
  const days = describeDays(filter);
  const [first] = nodes;
  if (!first) return saying(`There are no ${which} ${days}.`, FOLLOW_UPS);
  if (intent === "count") {
    const reply = saying(`Number of ${which} ${days}: ${written(totalCount)}.`, FOLLOW_UPS);
    return { ...reply, figures: [figure("Deadlines", totalCount, "deadlines")] };
  }
  const shown = isNext
    ? nodes.filter(({ dueDate }) => dueDate === first.dueDate)
    : nodes.slice(0, MOST_SHOWN);
  const lines = shown.map(({ framework, title, dueDate, daysRemaining }) => {
    const when =
      daysRemaining < 0 ? `${counted(-daysRemaining, "day")} ago` : `in ${counted(daysRemaining, "day")}`;
    return `${dueDate} (${when}): ${title} (${framework})`;
  });
  const head = isNext
    ? `The next of the ${which} ${days}`
    : `${counted(totalCount, "deadline")}: ${which} ${days}`;
  const cut = !isNext && totalCount > shown.length ? `, the first ${shown.length} of them` : "";
  return {
    text: `${head}${cut}:\n${lines.join("\n")}`,
    figures: shown.map(({ title, daysRemaining }) => figure(title, daysRemaining, "days")),
    sources: distinct(
      shown.map(({ source, sourceUrl }) =>
        sourceUrl ? { title: source ?? sourceUrl, url: sourceUrl } : null,
      ),
    ),
    followUps: FOLLOW_UPS,
  };
}

/**
 * Returns the range of due dates to search. Overdue deadlines are due before today; other ranges start today by
 * default.
 */
function daysOf({ isOverdue, due }: ComplianceQuestion, today: string): { dueFrom?: string; dueTo?: string } {
  const yesterday = addDays(new Date(today), -1);
  if (isOverdue)
    return { ...(due && { dueFrom: due.from }), dueTo: due && due.to < yesterday ? due.to : yesterday };
  if (!due) return { dueFrom: today };
  return { dueFrom: due.from, dueTo: due.to };
}

function describeDays({ dueFrom, dueTo }: { dueFrom?: string; dueTo?: string }): string {
  if (dueFrom === undefined) return `due by ${dueTo}`;
  return dueTo === undefined ? `due from ${dueFrom} on` : `due from ${dueFrom} to ${dueTo}`;
}
