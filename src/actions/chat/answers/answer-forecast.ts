import { requireThat } from "../../../domain/chat/open-question.js";
import type { MonthsAhead } from "../../../domain/chat/periods.js";
import type { ToolForecastFragment } from "../../../generated/tools.js";
import { capital, counted, list, type Reply, writeMonth, written } from "../reply.js";

const MOST_MONTHS = 12;

/** Answers with a forecast of monthly amounts and its 95 % prediction interval. */
export async function answerForecast(
  what: string,
  ahead: MonthsAhead | null,
  read: (asked: { horizon: number; method: "OLS" }) => Promise<ToolForecastFragment | null>,
): Promise<Reply> {
  const { first, last } = ahead ?? { first: 1, last: 6 };
  const example = "What is the forecast for the next 11 months?";
  requireThat(last >= first, "I can forecast at least one month.", example);
  requireThat(last <= MOST_MONTHS, "I can forecast up to 12 months, the current one included.", example);
  const forecast = await read({ horizon: last, method: "OLS" });
  if (!forecast) throw new Error("a forecast is null only together with an error");
  const { unit, points, from, to, n, notices } = forecast;
  const shown = points.slice(first - 1);
  const rows = shown.map(({ month, value, prediction }) => {
    const { lower, upper } = prediction.find(({ level }) => level === 95) ?? {};
    const isKnown = lower !== undefined && upper !== undefined;
    const note = isKnown ? ` (95 % likely between ${written(lower)} and ${written(upper)})` : "";
    return { name: writeMonth(month), value, unit, note };
  });
  const sum = shown.reduce((total, { value }) => total + value, 0);
  const foot = [
    ...(shown.length > 1 && unit.startsWith("t") ? [`Together: ${written(sum)} ${unit}`] : []),
    ...(notices.includes("NAIVE_IS_BETTER")
      ? ["In past months, repeating the month before was a better forecast."]
      : []),
  ];
  const head = `${capital(what)}, from ${counted(n, "month")} of data, ${writeMonth(from)} to ${writeMonth(to)}`;
  return list(head, rows, {
    most: MOST_MONTHS,
    foot: foot.join("\n"),
    followUps: ["Show the monthly trend"],
  });
}
