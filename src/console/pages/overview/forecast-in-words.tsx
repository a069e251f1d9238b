import { monthOf } from "../../parts/moment.js";
import { Sum, writeSum } from "../../parts/numbers.js";
import { Table } from "../../parts/table.js";
import type { Forecast } from "./read-forecast.js";

const METHODS: Readonly<Record<Forecast["method"], string>> = {
  NAIVE: "Repeating the last month",
  SEASONAL_NAIVE: "Repeating the same month of last year",
  OLS: "A straight line",
  OLS_SEASONAL: "A straight line with seasons",
  BEST: "The best method",
};

/** A summary of the forecast: total, method, error and bands. */
export function ForecastInWords({ forecast }: { forecast: Forecast }) {
  const { method, points, backtest } = forecast;
  const total = points.reduce((sum, { value }) => sum + value, 0);
  return (
    <>
      <p>
        <strong>
          About {writeSum(total < 100 ? total : Math.round(total))} tCO₂e in the next {points.length} months.
        </strong>{" "}
        {backtest === null
          ? "There is too little data to test a forecast, so it repeats the last month."
          : `${METHODS[method]} was the most accurate method. Over the last ${nameMonths(backtest.folds)} it was off by ${writeSum(backtest.mae)} t${shareOf(backtest)} on average.`}{" "}
        The actual value falls within the inner band with 80 % probability, and within the outer band with 95
        %.
      </p>
      <p>
        {trendOf(forecast)} Months that stand out are under{" "}
        <a href="/console/records/findings">Unusual months</a>.
      </p>
    </>
  );
}

/** Errors of the tested methods, and the trend. */
export function Computation({ forecast: { n, from, to, model, backtest } }: { forecast: Forecast }) {
  const { pValue } = model;
  return (
    <details>
      <summary>How this was computed</summary>
      {backtest && (
        <>
          <p>
            Each of the last {nameMonths(backtest.folds)} was forecast from the months before it, with every
            method that had enough data. The method with the smallest average error makes the forecast.
          </p>
          <Table
            caption="Methods"
            rows={backtest.methods}
            columns={[
              { title: "Method", wraps: true, cell: ({ method }) => METHODS[method] },
              { title: "Average error, tCO₂e", isNumber: true, cell: ({ mae }) => <Sum value={mae} /> },
            ]}
          />
        </>
      )}
      <p>
        The trend is a straight line through the {n} months with emissions from {monthOf(from)} to{" "}
        {monthOf(to)}
        {pValue !== null &&
          `. The probability of such a trend by chance is p\u00a0${pValue < 0.0001 ? "<\u00a00.0001" : `=\u00a0${probability.format(pValue)}`}`}
        .
      </p>
    </details>
  );
}

function trendOf({ from, to, model: { direction, slope } }: Forecast): string {
  const change = `${direction === "INCREASING" ? "rose" : "fell"} by ${figure.format(Math.abs(slope))} t a month`;
  return `From ${monthOf(from)} to ${monthOf(to)}, emissions ${direction === "FLAT" ? "had no clear trend" : change}.`;
}

/** Three significant digits, enough for small emitters. */
const figure = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const probability = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 });

const nameMonths = (months: number) => (months === 1 ? "month" : `${months} months`);

const shareOf = ({ wapePercent }: NonNullable<Forecast["backtest"]>) =>
  wapePercent === null ? "" : ` (${Math.round(wapePercent)} %)`;
