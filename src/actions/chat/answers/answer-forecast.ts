import { requireThat } from "../../../domain/chat/open-question.js";
import type { MonthsAhead } from "../../../domain/chat/periods.js";
import { capitalize } from "../../../domain/texts/capitalize.js";
import type { ToolForecastFragment } from "../../../generated/tools.js";
import { formatCount, formatMonth, formatNumber, list, type Reply } from "../reply.js";

const MAX_MONTHS = 12;

/** Answers with a forecast of monthly amounts and its 95 % prediction interval. */
export async function answerForecast(
  subject: string,
  ahead: MonthsAhead | null,
  read: (asked: { horizon: number; method: "OLS" }) => Promise<ToolForecastFragment | null>,
): Promise<Reply> {
  const { first, last } = ahead ?? { first: 1, last: 6 };
  const example = "What is the forecast for the next 11 months?";
  requireThat(last >= first, "I can forecast one month or more.", example);
  requireThat(last <= MAX_MONTHS, "I can forecast up to 12 months, including the current one.", example);
  const forecast = await read({ horizon: last, method: "OLS" });
  if (!forecast) throw new Error("a forecast is null only together with an error");
  const { unit, points, from, to, n, notices } = forecast;
  const shown = points.slice(first - 1);
  const rows = shown.map(({ month, value, prediction }) => {
    const { lower, upper } = prediction.find(({ level }) => level === 95) ?? {};
    const isKnown = lower !== undefined && upper !== undefined;
    const note = isKnown ? ` (95 % likely between ${formatNumber(lower)} and ${formatNumber(upper)})` : "";
    return { name: formatMonth(month), value, unit, note };
  });
  const sum = shown.reduce((total, { value }) => total + value, 0);
  const foot = [
    ...(shown.length > 1 && unit.startsWith("t") ? [`Total: ${formatNumber(sum)} ${unit}`] : []),
    ...(notices.includes("NAIVE_IS_BETTER")
      ? ["In the past, repeating the previous month would have been a better forecast."]
      : []),
  ];
  const head = `${capitalize(subject)}, from ${formatCount(n, "month")} of data, ${formatMonth(from)} to ${formatMonth(to)}`;
  return list(head, rows, {
    max: MAX_MONTHS,
    foot: foot.join("\n"),
    followUps: ["Show the monthly trend"],
  });
}
