import type { Framework } from "../../enums.js";
import { addDays, addMonths, type DateRange, isoDate } from "../../window.js";
import type { Question } from "../question.js";
import type { OpenText } from "../text.js";
import * as words from "../words.js";
import { type Open, refuse, requireNames, takeAll } from "./leftovers.js";

type ComplianceQuestion = Extract<Question, { subject: "compliance" }>;

const MOST_DAYS = 3_650;

/** Takes the named frameworks. */
export const takeFrameworks = (text: OpenText): readonly Framework[] =>
  words.FRAMEWORK_PATTERNS.flatMap(([framework, pattern]) => (takeAll(text, pattern) ? [framework] : []));

/** Takes the days in which deadlines are due; null if the question does not name any. */
function takeDue(text: OpenText, now: Date): DateRange | null {
  const today = isoDate(now);
  const count = text.take(
    words.word("(?:in |within |over |during )?(?:the )?(?:next|coming) (\\d{1,3}) (days|weeks|months)"),
  );
  if (count) {
    const n = Number(count[1]);
    if (count[2] === "months") return { from: today, to: addMonths(today, n) };
    return { from: today, to: addDays(now, Math.min(count[2] === "weeks" ? 7 * n : n, MOST_DAYS)) };
  }
  const span = text.take(words.word("(?:in |during )?(this|the current|next|coming) (month|quarter|year)"));
  if (span) {
    const months = { month: 1, quarter: 3, year: 12 }[span[2] as "month" | "quarter" | "year"];
    const index = now.getUTCMonth();
    const begun = isoDate(new Date(Date.UTC(now.getUTCFullYear(), index - (index % months), 1)));
    const from = /next|coming/.test(span[1] ?? "") ? addMonths(begun, months) : begun;
    return { from, to: addDays(new Date(addMonths(from, months)), -1) };
  }
  const year = text.take(words.word("(?:in |during )?(20\\d\\d)(?![-/\\d])"))?.[1];
  return year === undefined ? null : { from: `${year}-01-01`, to: `${year}-12-31` };
}

/** Reads a question about deadlines or frameworks. Throws Unanswerable. */
export function readCompliance(open: Open<ComplianceQuestion>): Question {
  const { text, now, previous } = open;
  const due = takeDue(text, now);
  const counts = takeAll(text, words.COUNT);
  const isOverdue = takeAll(text, words.OVERDUE);
  const isStatus = takeAll(text, words.STATUS);
  const isNext = takeAll(text, words.word("next|first|upcoming (?=deadline(?!s))|when"));
  takeAll(text, words.word("upcoming|coming|open"));
  const isDeadlines = takeAll(text, words.DEADLINES) || isOverdue || isNext;
  const frameworks = takeFrameworks(text);
  takeAll(text, words.word("with|each|every|by framework"));
  requireNames(open, [], (name) => `There is no framework "${name}" here.`);
  if (!isStatus && !isDeadlines && !counts && !due && frameworks.length === 0) refuse("");
  if (frameworks.length > 1) refuse("I can answer for one framework, or for all.");
  if (isStatus && isDeadlines)
    refuse("Ask for the status of frameworks or for their deadlines, one at a time.");
  const intent = isStatus
    ? "status"
    : counts
      ? "count"
      : !isDeadlines && !due && previous
        ? previous.intent
        : "deadlines";
  if (intent === "status" && due) refuse("I know the status of frameworks as it is now.");
  return {
    subject: "compliance",
    intent,
    isOverdue,
    framework: frameworks[0] ?? previous?.framework ?? null,
    isNext: isNext && !counts,
    due: due ?? (isDeadlines ? null : (previous?.due ?? null)),
  };
}
