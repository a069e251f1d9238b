import { monthOf } from "../../parts/moment.js";
import { shorten } from "../../parts/numbers.js";
import type { Forecast } from "./read-forecast.js";

/** Where the emissions go, what the bands mean, and how far the forecast can be trusted. */
export function ForecastInWords({ forecast }: { forecast: Forecast }) {
  const { n, from, to, backtest, notices } = forecast;
  return (
    <>
      <p>
        <strong>{directionOf(forecast)}</strong> A straight line through the {n} months with emissions from{" "}
        {monthOf(from)} to {monthOf(to)} goes on for 6 months. The amount of a month will be in the darker
        band with a probability of 80 %, and in the lighter one with 95 %.
      </p>
      <p>
        {backtest
          ? `Tried on ${backtest.folds} past months, each by the months before it, the forecast was wrong by ${shorten(backtest.mae)} tCO₂e on average${shareOf(backtest)}; “the same as last month” by ${shorten(backtest.naiveMae)} tCO₂e.`
          : "There are too few months to try the forecast on past ones."}{" "}
        {notices.includes("NAIVE_IS_BETTER") && (
          <strong>So the last month is a better guess than this line.</strong>
        )}
      </p>
      <p>
        Months that stand out are listed under <a href="/console/records/findings">Findings</a>.
      </p>
    </>
  );
}

function directionOf({ model: { direction, slope, pValue } }: Forecast): string {
  if (pValue === null) return "Flat: all months are the same.";
  const p = pValue < 0.0001 ? "p < 0.0001" : `p = ${probability.format(pValue)}`;
  if (direction === "FLAT") return `Flat: no clear trend, ${p}.`;
  const change = `${shorten(Math.abs(slope))} tCO₂e a month`;
  return `${direction === "INCREASING" ? "Increasing" : "Decreasing"} by ${change}, ${p}.`;
}

const probability = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 });

const shareOf = ({ wapePct }: NonNullable<Forecast["backtest"]>) =>
  wapePct === null ? "" : `, ${shorten(wapePct)} % of the amounts`;
