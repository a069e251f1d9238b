import { monthOf } from "../../parts/moment.js";
import type { Forecast } from "./read-forecast.js";

type Backtest = NonNullable<Forecast["backtest"]>;

/** The forecast in words: its direction, the meaning of the bands, and its accuracy. */
export function ForecastInWords({ forecast }: { forecast: Forecast }) {
  const { n, from, to, backtest, notices } = forecast;
  return (
    <>
      <p>
        <strong>{directionOf(forecast)}</strong> The forecast continues the straight line through the {n}{" "}
        months with emissions from {monthOf(from)} to {monthOf(to)}. Each month will be within the inner band
        with a probability of 80 %, and within the outer one with 95 %.
      </p>
      <p>
        {backtest === null
          ? "There are too few months to test the forecast on past ones."
          : `Tested on ${monthsOf(backtest)}, each forecast from the months before it: off by ${figure.format(backtest.mae)} tCO₂e on average${shareOf(backtest)}, against ${figure.format(backtest.naiveMae)} tCO₂e for “the same as last month”.`}{" "}
        {notices.includes("NAIVE_IS_BETTER") && (
          <strong>So the last month is a better guess than this line.</strong>
        )}
      </p>
      <p>
        Months that stand out are listed under <a href="/console/records/findings">Anomalies</a>.
      </p>
    </>
  );
}

function directionOf({ model: { direction, slope, pValue } }: Forecast): string {
  if (pValue === null) return "Flat: all months are the same.";
  const p = pValue < 0.0001 ? "p\u00a0<\u00a00.0001" : `p\u00a0=\u00a0${probability.format(pValue)}`;
  if (direction === "FLAT") return `Flat: no clear trend, ${p}.`;
  const change = `${figure.format(Math.abs(slope))} tCO₂e a month`;
  return `${direction === "INCREASING" ? "Increasing" : "Decreasing"} by ${change}, ${p}.`;
}

/** Three significant digits, enough for small emitters. */
const figure = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const probability = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 });

const monthsOf = ({ folds }: Backtest) => (folds === 1 ? "1 past month" : `${folds} past months`);

const shareOf = ({ wapePercent }: Backtest) =>
  wapePercent === null ? "" : ` (${figure.format(wapePercent)} % of the amounts)`;
