import type { Ahead } from "../../../domain/chat/periods.js";
import { figure, type Reply, saying, written } from "../reply.js";
import { required } from "./emission-subject.js";

/** The parts of a forecast that answers show. */
export interface ForecastData {
  readonly unit: string;
  readonly n: number;
  readonly from: string;
  readonly to: string;
  readonly model: { readonly direction: string };
  readonly points: readonly {
    readonly month: string;
    readonly value: number;
    readonly prediction: readonly { readonly lower: number; readonly upper: number }[];
  }[];
  readonly notices: readonly string[];
}

interface Asked {
  /** The months to forecast; null for the next 6. */
  readonly ahead: Ahead | null;
  /** Name of the quantity to forecast. */
  readonly what: string;
  readonly run: (horizon: number) => Promise<ForecastData | null | undefined>;
  readonly followUps: readonly string[];
}

const MOST_MONTHS = 12;
const DEFAULT_AHEAD: Ahead = { first: 1, last: 6 };

/** Answers with a forecast of monthly amounts and its 95 % prediction interval. */
export async function answerForecast({ ahead, what, run, followUps }: Asked): Promise<Reply> {
  const { first, last } = ahead ?? DEFAULT_AHEAD;
  if (last < first) return saying("I can forecast at least one month.", followUps);
  if (last > MOST_MONTHS) {
    return saying(
      `I can forecast ${MOST_MONTHS} months, the present one included, and not as far as that.`,
      followUps,
    );
  }
  const { unit, points, from, to, n, model, notices } = required(await run(last));
  const shown = points.slice(first - 1);
  const lines = shown.map(({ month, value, prediction: [interval] }) => {
    const within = interval
      ? `, with 95 % probability ${written(interval.lower)} to ${written(interval.upper)}`
      : "";
    return `${month}: ${written(value)} ${unit}${within}`;
  });
  const direction =
    model.direction === "FLAT" ? "no significant trend" : `a trend that is ${model.direction.toLowerCase()}`;
  const caution = notices.includes("NAIVE_IS_BETTER")
    ? " In past months, repeating the month before was a better forecast."
    : "";
  return {
    text: `${what}, forecast by a line through ${n} months with data from ${from} to ${to}, which show ${direction}:\n${lines.join("\n")}${caution && `\n${caution.trim()}`}`,
    figures: shown.map(({ month, value }) => figure(`Forecast of ${month}`, value, unit)),
    sources: [],
    followUps,
  };
}
