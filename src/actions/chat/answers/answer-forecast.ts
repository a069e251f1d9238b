import { refuse } from "../../../domain/chat/leftovers.js";
import type { Ahead } from "../../../domain/chat/periods.js";
import type { ToolForecastFragment } from "../../../generated/tools.js";
import { capital, counted, figure, type Reply, reply, writeMonth, written } from "../reply.js";

const MOST_MONTHS = 12;
const DEFAULT_AHEAD: Ahead = { first: 1, last: 6 };

/** Answers with a forecast of monthly amounts and its 95 % prediction interval. */
export async function answerForecast(
  what: string,
  ahead: Ahead | null,
  read: (horizon: number) => Promise<ToolForecastFragment | null>,
): Promise<Reply> {
  const { first, last } = ahead ?? DEFAULT_AHEAD;
  if (last < first)
    refuse("I can forecast at least one month.", "What is the forecast for the next 3 months?");
  if (last > MOST_MONTHS)
    refuse(
      `I can forecast up to ${MOST_MONTHS} months, the current one included.`,
      "What is the forecast for the next 11 months?",
    );
  const forecast = await read(last);
  if (!forecast) throw new Error("a forecast is null only together with an error");
  const { unit, points, from, to, n, notices } = forecast;
  const shown = points.slice(first - 1);
  const lines = shown.map(({ month, value, prediction }) => {
    const interval = prediction.find(({ level }) => level === 95);
    const within = interval
      ? ` (95 % likely between ${written(interval.lower)} and ${written(interval.upper)})`
      : "";
    return `${writeMonth(month)}: ${written(value)} ${unit}${within}`;
  });
  const sum = shown.reduce((total, { value }) => total + value, 0);
  const together = shown.length > 1 && unit.startsWith("t") ? `\nTogether: ${written(sum)} ${unit}` : "";
  const caution = notices.includes("NAIVE_IS_BETTER")
    ? "\nIn past months, repeating the month before was a better forecast."
    : "";
  return reply(
    `${capital(what)}, from ${counted(n, "month")} of data, ${writeMonth(from)} to ${writeMonth(to)}:\n${lines.join("\n")}${together}${caution}`,
    shown.map(({ month, value }) => figure(`Forecast of ${writeMonth(month)}`, value, unit)),
    ["Show the monthly trend"],
  );
}
