import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartEvent,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from "chart.js";
import { monthOf, writeDay } from "../moment.js";
import { writeDecimal, writeSum } from "../numbers.js";
import { isDay, linkOf, type Series } from "./series.js";

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

/**
 * `columns` are stacked, `groups` stand side by side, and `bars` are stacked horizontally. `lines` have gaps at missing
 * values if there is only one line, or if there are bands. If all rows are dates, `lines` have a time axis.
 */
export type ChartKind = "columns" | "groups" | "bars" | "lines";

/** Maximum number of rows drawn with large points. */
const MAX_LARGE_POINTS = 100;

/**
 * Draws a chart in the page's colours and returns a function that removes it. A click on a number or its row calls
 * `onFollow` with the link, if it has one.
 */
export function drawChart(
  canvas: HTMLCanvasElement,
  kind: ChartKind,
  numbers: Series,
  onFollow: (link: string) => void,
): () => void {
  const { rows, series, unit, unfinished = [] } = numbers;
  const style = getComputedStyle(canvas);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const isLines = kind === "lines";
  const stacked = kind === "columns" || kind === "bars";
  const axis = kind === "bars" ? "y" : "x";
  const lines = { grid: { color: color("--chart-grid") }, ticks: { color: color("--pico-muted-color") } };
  const amounts = {
    ...lines,
    stacked,
    beginAtZero: !isLines,
    title: { display: true, text: unit, color: color("--pico-muted-color") },
  };
  const longest = (canvas.parentElement?.clientWidth ?? 0) < 400 ? 16 : 32;
  const shortNames = (_value: unknown, index: number) => shortenName(rows[index] ?? "", longest);
  const names = {
    ...lines,
    stacked,
    grid: { display: false },
    ticks: { ...lines.ticks, callback: shortNames },
  };
  const days = isLines && rows.every(isDay) ? rows.map((row) => Date.parse(row) / MS_PER_DAY) : null;
  const hasBands = series.some(({ edge }) => edge);
  // With several lines, a row may have a value for only one of them, so the others span the gap.
  const line = {
    borderWidth: 2,
    pointRadius: rows.length > MAX_LARGE_POINTS ? 1 : 3,
    spanGaps: series.length > 1 && !hasBands,
  };
  const bandColor = color(`--chart-${series.findLastIndex(({ edge }) => !edge) + 1}`);
  const lower = {
    borderWidth: 0,
    pointRadius: 0,
    pointHoverRadius: 0,
    borderColor: bandColor,
    backgroundColor: `${bandColor}33`,
  };
  const bar = { maxBarThickness: 44 };
  const written = (value: number) => `${isLines ? writeDecimal(String(value)) : writeSum(value)} ${unit}`;
  const linkAt = (event: ChartEvent, chart: Chart) => {
    const found = (mode: "nearest" | "index", intersect: boolean) =>
      chart.getElementsAtEventForMode(event as unknown as Event, mode, { intersect, axis }, false)[0];
    const number = found("nearest", true);
    if (number) return linkOf(numbers, number.index, number.datasetIndex);
    const row = found("index", false);
    return row ? linkOf(numbers, row.index) : null;
  };
  const edges = { lower, upper: { ...lower, fill: "-1" } };
  const chart = new Chart(canvas, {
    type: isLines ? "line" : "bar",
    data: {
      labels: [...(days ?? rows)] as unknown[],
      datasets: series.map(({ name, values, drawn, edge }, index) => {
        const shade = color(`--chart-${(index % 6) + 1}`);
        return {
          label: name,
          data: [...(drawn ?? values)],
          backgroundColor: isLines ? shade : rows.map((_row, at) => (unfinished[at] ? `${shade}55` : shade)),
          borderColor: shade,
          ...(edge
            ? edges[edge]
            : isLines
              ? line
              : { ...bar, borderWidth: unfinished.map((is) => (is ? 1 : 0)) }),
          ...(drawn && { spanGaps: true, borderDash: [6, 4] }),
        };
      }),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      indexAxis: axis,
      interaction: { mode: "index", intersect: false, axis },
      onClick: (event, _found, clicked) => {
        const link = linkAt(event, clicked);
        if (link !== null) onFollow(link);
      },
      onHover: (event, _found, hovered) => {
        canvas.style.cursor = linkAt(event, hovered) === null ? "" : "pointer";
      },
      scales:
        kind === "bars"
          ? { x: amounts, y: names }
          : { x: days ? { ...names, ...timeAxis(days, lines.ticks) } : names, y: amounts },
      plugins: {
        tooltip: {
          callbacks: {
            title: ([first]) => {
              const row = rows[first?.dataIndex ?? -1] ?? "";
              return isDay(row) ? writeDay(row) : row;
            },
            label: ({ dataset, raw }) => ` ${dataset.label}: ${written(Number(raw))}`,
            footer: (found) =>
              stacked && found.length > 1
                ? `Total: ${written(found.reduce((sum, { raw }) => sum + Number(raw), 0))}`
                : "",
          },
        },
        legend: {
          display: series.length > 1,
          position: "bottom",
          labels: {
            color: color("--pico-color"),
            boxWidth: 12,
            boxHeight: 12,
            // By default, the legend would have the lighter colour of an incomplete first row.
            generateLabels: (drawn) =>
              Chart.defaults.plugins.legend.labels
                .generateLabels(drawn)
                .map((label) => ({ ...label, fillStyle: label.strokeStyle ?? "" })),
            filter: ({ datasetIndex = 0 }) => !series[datasetIndex]?.edge,
          },
        },
      },
    },
  });
  return () => chart.destroy();
}

const MS_PER_DAY = 86_400_000;
/** Maximum length in days of an axis with ticks at days. Longer axes have ticks at months. */
const MAX_DAYS = 92;
const MAX_TICKS = 7;

/** Returns the options of a time axis. `days` count from 1970. */
function timeAxis(days: readonly number[], look: { readonly color: string }) {
  const [first, last] = [Math.min(...days), Math.max(...days)];
  const isShort = last - first <= MAX_DAYS;
  const dateOf = (day: number) => new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
  return {
    type: "linear" as const,
    min: first,
    max: last,
    afterBuildTicks: (axis: { ticks: { value: number }[] }) => {
      axis.ticks = (isShort ? listDays(first, last) : listMonths(first, last)).map((value) => ({ value }));
    },
    ticks: {
      ...look,
      maxRotation: 0,
      autoSkipPadding: 12,
      callback: (day: number | string) => (isShort ? writeDay : monthOf)(dateOf(Number(day))),
    },
  };
}

const listDays = (first: number, last: number): number[] => {
  const step = Math.max(1, Math.ceil((last - first) / (MAX_TICKS - 1)));
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
};

/** Returns first days of months, far enough apart to keep the ticks few. */
function listMonths(first: number, last: number): number[] {
  const start = new Date(first * MS_PER_DAY);
  const step = Math.ceil((last - first) / 30 / MAX_TICKS);
  return Array.from(
    { length: MAX_TICKS + 1 },
    (_, index) => Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1 + index * step) / MS_PER_DAY,
  ).filter((day) => day <= last);
}

const shortenName = (name: string, longest: number) =>
  name.length > longest ? `${name.slice(0, longest - 1)}…` : name;
