import { GatewayFailure } from "../../gateway/failure.js";
import { useQuery } from "../../gateway/use-query.js";
import { Figure } from "../../parts/charts/figure.js";
import type { Series } from "../../parts/charts/series.js";
import { daysOfMonths } from "../../parts/days.js";
import { monthOf } from "../../parts/moment.js";
import { Empty, LoadedField } from "../../parts/states.js";
import { Computation, ForecastInWords } from "./forecast-in-words.js";
import { type Forecast, READ_FORECAST, READ_MONTHS, type Trend } from "./read-forecast.js";

/** Forecast of the next 6 months, with the recorded months it is based on. */
export function ForecastOverview() {
  const answer = useQuery(READ_MONTHS, {});
  const isTooEarly = answer.error instanceof GatewayFailure && answer.error.code === "INSUFFICIENT_DATA";
  return (
    <section aria-label="Forecast" id="forecast">
      <h2>Forecast</h2>
      {isTooEarly ? (
        <Empty>A forecast needs at least 6 complete months with emissions in the last 36 months.</Empty>
      ) : (
        <LoadedField answer={answer} skeleton="figure" field="emissions">
          {({ forecast }) => forecast && <Months {...forecast} />}
        </LoadedField>
      )}
    </section>
  );
}

/** The forecast and the recorded months it is based on. */
function Months({ from, to }: Pick<Forecast, "from" | "to">) {
  const variables = { range: daysOfMonths(from, to) };
  const answer = useQuery(READ_FORECAST, variables);
  return (
    <LoadedField answer={answer} skeleton="figure" field="emissions">
      {({ trend, forecast }) =>
        forecast && (
          <>
            <ForecastInWords forecast={forecast} />
            <div class="cards">
              <Figure
                kind="lines"
                numbers={seriesOf(trend, forecast)}
                source={READ_FORECAST.source}
                variables={variables}
                isWide
              />
            </div>
            <Computation forecast={forecast} />
          </>
        )
      }
    </LoadedField>
  );
}

/**
 * Returns the recorded months, then the forecast with a band for each level. The chart draws both from the last
 * recorded month.
 */
function seriesOf(trend: Trend, { points }: Forecast): Series {
  const recorded = trend.map(({ co2eTonnes, isGap }) => (isGap ? null : co2eTonnes));
  type Take = (point: Forecast["points"][number]) => number | null;
  const ahead = (take: Take) => {
    const values = [...recorded.map(() => null), ...points.map(take)];
    const last = recorded.findLastIndex((value) => value !== null);
    return { values, drawn: values.with(last, recorded[last] ?? null) };
  };
  const levels = points[0]?.prediction.map(({ level }) => level) ?? [];
  return {
    title: `Emissions of the next ${points.length} months`,
    unit: "tCO₂e",
    rowsAre: "Month",
    rows: [...trend.map(({ from }) => from), ...points.map(({ month }) => month)].map(monthOf),
    series: [
      { name: "Recorded", values: [...recorded, ...points.map(() => null)] },
      { name: "Forecast", ...ahead(({ value }) => value) },
      ...levels.flatMap((level, index) =>
        (["lower", "upper"] as const).map((edge) => ({
          name: `${level} %, ${edge === "lower" ? "from" : "to"}`,
          ...ahead(({ prediction }) => prediction[index]?.[edge] ?? null),
          edge,
        })),
      ),
    ],
  };
}
