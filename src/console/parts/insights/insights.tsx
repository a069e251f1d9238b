import { useLocation } from "preact-iso";
import { type ConsoleInsightFragment, graphql, type TypedOperation } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { addDays, type Days, todayInUtc } from "../days.js";
import { nameOf } from "../names.js";
import { Exact } from "../numbers.js";
import { linkToRecords } from "../record-links.js";
import { Loaded } from "../states.js";

graphql(`
  fragment ConsoleInsight on Insight {
    id kind severity title body figures { name value unit } series { facility scope } query { name variables } sourceUrl
  }
`);

export type Insight = ConsoleInsightFragment;

interface InsightsProps {
  readonly insights: readonly Insight[];
  /** The previous period, for comparison. */
  readonly previous?: Days;
}

/** Insights with their figures and links, in the given order. Renders nothing without insights. */
export function Insights({ insights, previous }: InsightsProps) {
  if (insights.length === 0) return null;
  return (
    <section aria-label="Insights">
      <h2>Insights</h2>
      <ul class="insights">
        {insights.map((insight) => (
          <li key={insight.id} class="card">
            <p>
              <span class={`severity ${insight.severity.toLowerCase()}`}>{nameOf(insight.severity)}</span>{" "}
              <strong>{insight.title}</strong>
            </p>
            <p>
              {insight.body} <MainLink insight={insight} />
            </p>
            <details>
              <summary>How this was computed</summary>
              <ul class="tags">
                {insight.figures.map((figure) => (
                  <Figure key={figure.name} insight={insight} figure={figure} previous={previous} />
                ))}
              </ul>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ReadInsightsProps<Data> {
  readonly operation: TypedOperation<Data, Record<string, never>>;
  readonly find: (data: Data) => readonly Insight[] | undefined;
}

/** Reads and shows the insights of a page. */
export const ReadInsights = <Data,>({ operation, find }: ReadInsightsProps<Data>) => (
  <Loaded answer={useQuery(operation, {})} skeleton="short">
    {(data) => <Insights insights={find(data) ?? []} />}
  </Loaded>
);

interface FigureProps {
  readonly insight: Insight;
  readonly figure: Insight["figures"][number];
  readonly previous: Days | undefined;
}

function Figure({ insight, figure: { name, value, unit }, previous }: FigureProps) {
  const link = linkOf(insight, name, previous);
  const label = LABELS[name] ?? nameOf(name.replace(/_percent$/, "").toUpperCase());
  const shown = (
    <>
      {label}: <Exact value={value} unit={unit.replace("CO2e", "CO₂e")} isChange={CHANGES.test(name)} />
    </>
  );
  return <li>{link === null ? shown : <a href={link}>{shown}</a>}</li>;
}

/** Names of figures that are changes or differences. */
const CHANGES = /^(?:change|difference|slope)/;

/** Labels of figures whose names would give a wrong or unclear label. */
const LABELS: Readonly<Record<string, string>> = {
  findings: "Unusual months",
  robust_z: "Robust score",
  p_value: "p-value",
};

/** Labels of the links from insights to pages. */
const LINKS: Readonly<Record<Insight["kind"], string>> = {
  LARGEST_CHANGE: "Show records",
  TOP_CONTRIBUTOR: "Show records",
  COVERAGE: "Show missing months",
  NEW_ANOMALIES: "Review unusual months",
  TREND: "Show forecast",
  BENCHMARK: "Open source",
  DEADLINE: "Show deadlines",
  INTENSITY_TARGET: "Show CCTS periods",
  CONCENTRATION: "Show credits",
  PRICE_MOVE: "Show prices",
};

/** The link from an insight to its page, unless that is the current page. */
function MainLink({ insight }: { insight: Insight }) {
  const { path } = useLocation();
  const link = linkOf(insight, insight.kind === "BENCHMARK" ? "benchmark" : "", undefined);
  return link === null || link === path ? null : <a href={link}>{LINKS[insight.kind]}</a>;
}

const ANOMALIES = "/console/records/findings";

/** Returns the link to the page or source of a figure of an insight, with filters; null if it has none. */
export function linkOf(
  { kind, series, query, sourceUrl, figures }: ConsoleInsightFragment,
  figure: string,
  previous: Days | undefined,
): string | null {
  switch (kind) {
    case "LARGEST_CHANGE":
    case "TOP_CONTRIBUTOR": {
      const days = figure === "previous" ? previous : (query.variables["range"] as Days | undefined);
      if (!days) return null;
      const { facility, scope } = figure === "total" ? {} : (series ?? {});
      return linkToRecords(days, { facility, scope });
    }
    case "COVERAGE":
      return ANOMALIES;
    case "NEW_ANOMALIES":
      return query.name === "InsightCreditAnomalies" ? "/console/credits" : ANOMALIES;
    case "TREND":
      return "#forecast";
    case "BENCHMARK":
      return figure === "benchmark" ? sourceUrl : null;
    case "DEADLINE":
      return `/console/compliance?year=${addDays(todayInUtc(), figures[0]?.value ?? 0).slice(0, 4)}`;
    case "INTENSITY_TARGET":
      return "/console/compliance#ccts";
    case "CONCENTRATION":
      return "/console/credits";
    case "PRICE_MOVE":
      return "/console/market";
  }
}
