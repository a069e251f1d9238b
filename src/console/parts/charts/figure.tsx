import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { messageOf } from "../../gateway/failure.js";
import { Button } from "../button.js";
import { downloadCsv } from "../csv.js";
import { writeDay } from "../moment.js";
import { Exact } from "../numbers.js";
import { Table } from "../table.js";
import { useId } from "../use-id.js";
import type { ChartKind } from "./draw-chart.js";
import { isDay, linkOf, type Series, toCsv } from "./series.js";

interface FigureProps {
  readonly kind: ChartKind;
  readonly numbers: Series;
  /** The operation that reads the numbers, and its variables. */
  readonly source: string;
  readonly variables?: object;
  /** True if the chart fills a row. */
  readonly isWide?: boolean;
}

/** A chart, with its numbers as a table and CSV file, and a link to its query if the gateway serves an explorer. */
export function Figure({ kind, numbers, source, variables = {}, isWide = false }: FigureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { route } = useLocation();
  const [failure, setFailure] = useState<unknown>();
  const scheme = useColorScheme();
  const title = useId();
  const explorer = explorerLink(source, variables);
  const drawn = JSON.stringify(numbers);
  useEffect(() => {
    let erase: (() => void) | undefined;
    let isUnmounted = false;
    import("./draw-chart.js").then(({ drawChart }) => {
      if (canvas.current && !isUnmounted) erase = drawChart(canvas.current, kind, numbers, route);
    }, setFailure);
    return () => {
      isUnmounted = true;
      erase?.();
    };
    // `drawn` identifies the numbers.
  }, [kind, drawn, scheme]);
  return (
    <figure class={isWide ? "card wide" : "card"} aria-labelledby={title}>
      <figcaption id={title}>
        {numbers.title} <span class="quiet">({numbers.unit})</span>
      </figcaption>
      <div class="chart">
        {failure === undefined ? (
          <canvas
            ref={canvas}
            role="img"
            aria-label={`${numbers.title}: a chart. Its numbers are under "Show data".`}
          />
        ) : (
          <p class="complaint">The chart did not load: {messageOf(failure)}</p>
        )}
      </div>
      <div class="tools">
        <details>
          <summary>Show data</summary>
          <Table
            caption={`${numbers.title}, ${numbers.unit}`}
            rows={numbers.rows.map((name, index) => ({ name, index }))}
            isDense
            columns={[
              {
                title: numbers.rowsAre,
                cell: ({ name, index }) =>
                  linked(isDay(name) ? writeDay(name) : name, linkOf(numbers, index)),
              },
              ...numbers.series.map(({ name, values, query }, place) => ({
                title: name,
                isNumber: true,
                cell: ({ index }: { index: number }) =>
                  linked(
                    <Exact value={values[index] ?? null} />,
                    query ? linkOf(numbers, index, place) : null,
                  ),
              })),
            ]}
          />
        </details>
        <Button label="CSV" look="link" onClick={() => downloadCsv(fileOf(numbers), toCsv(numbers))} />
        {explorer && (
          <a href={explorer} target="_blank" rel="noreferrer">
            Open in the explorer
          </a>
        )}
      </div>
    </figure>
  );
}

const linked = (content: ComponentChildren, link: string | null) =>
  link === null ? content : <a href={link}>{content}</a>;

const fileOf = ({ title }: Series) => `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.csv`;

/** Returns the link that opens an operation in the gateway's explorer; null if the gateway serves no explorer. */
function explorerLink(source: string, variables: object): string | null {
  const { explorer } = document.documentElement.dataset;
  const [, name] = /query (\w+)/.exec(source) ?? [];
  if (explorer === undefined || name === undefined) return null;
  return `${explorer}/?${new URLSearchParams({ operation: `${name}Query`, variables: JSON.stringify(variables) })}`;
}

function useColorScheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => setDark(scheme.matches);
    scheme.addEventListener("change", follow);
    return () => scheme.removeEventListener("change", follow);
  }, []);
  return isDark;
}
