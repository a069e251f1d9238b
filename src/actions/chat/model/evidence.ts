import type { Evidence } from "../../../domain/chat/grounding.js";
import { type KnownDays, readDays } from "../../../domain/chat/known-days.js";
import { MAX_SOURCES } from "../../../domain/chat/question.js";
import { type Figure, figure, type Source, sourcesOf } from "../reply.js";

/** A value in a tool's result. */
interface Leaf {
  readonly path: readonly string[];
  readonly key: string;
  readonly value: string | number;
  /** Objects that contain it, innermost first. */
  readonly within: readonly Readonly<Record<string, unknown>>[];
}

function leavesOf(value: unknown, path: readonly string[] = [], within: Leaf["within"] = []): Leaf[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => leavesOf(item, [...path, String(index + 1)], within));
  if (typeof value === "object" && value !== null) {
    const inner = [value as Record<string, unknown>, ...within];
    return Object.entries(value).flatMap(([key, below]) => leavesOf(below, [...path, key], inner));
  }
  if (typeof value !== "string" && typeof value !== "number") return [];
  return [{ path, key: path.at(-1) ?? "", value, within }];
}

/** Units of numbers by field name. `{gas}` is replaced with the nearest `gas` field. */
const UNITS: readonly (readonly [name: RegExp, unit: string])[] = [
  [/(?:co2e|scope2)_tonnes$|^embedded_emissions$/, "tCO2e"],
  [/^record_count$/, "records"],
  [/^n$/, "months"],
  [/percent$|_pct$|^level$/, "%"],
  [/days/, "days"],
  [/^(?:issued|sold|retired|available|quantity)$|credits$/, "credits"],
  [/^factor$/, "kg {gas}/{unit}"],
  [/^price$/, "{currency}/{unit}"],
  [/^(?:value|lower|upper|expected)$/, "{unit}"],
];

/** Returns the unit of a number, or an empty string if unknown. */
function unitOf({ key, within }: Leaf): string {
  const [, unit = ""] = UNITS.find(([name]) => name.test(key)) ?? [];
  return unit.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(within.find((one) => typeof one[name] === "string")?.[name] ?? ""),
  );
}

/** Returns true for a year, which is not a figure. */
const isYear = ({ key }: Leaf) => /^(?:source_)?year$|^vintage$/.test(key);

/** Returns the days in tool results: spans such as `from` and `to`, and points such as `due_date`. */
function daysOf(leaves: readonly Leaf[], today: string): KnownDays {
  const [spans, points]: [KnownDays["spans"][number][], KnownDays["points"][number][]] = [[], []];
  for (const leaf of leaves) {
    const { key, value, within } = leaf;
    const days = isYear(leaf) ? { from: `${value}-01-01`, to: `${value}-12-31` } : readDays(String(value));
    if (!days || /to$/.test(key)) continue;
    if (!/from$/.test(key)) points.push(days);
    const end = readDays(String(within[0]?.[key.replace(/from$/, "to")]));
    if (/from$/.test(key) && end) spans.push({ from: days.from, to: end.to });
  }
  return { spans, points, today };
}

/** Collects the figures, days, names and cited publications in a model's tool results. */
export function gatherEvidence(answers: readonly unknown[], question: string, today: string) {
  const leaves = leavesOf(answers);
  const figures = leaves.flatMap((leaf): Figure[] =>
    typeof leaf.value === "number" && !isYear(leaf)
      ? [figure(leaf.path.join(" "), leaf.value, unitOf(leaf))]
      : [],
  );
  const names = leaves.flatMap(({ value }) => (typeof value === "string" ? [value] : []));
  const evidence: Evidence<Figure> = { figures, days: daysOf(leaves, today), names, question };
  const cited = leaves.flatMap(({ key, value, within: [{ source } = {}] }) =>
    key === "source_url"
      ? [{ sourceUrl: String(value), source: typeof source === "string" ? source : null }]
      : [],
  );
  const sources: Source[] = sourcesOf(cited).slice(0, MAX_SOURCES);
  return { evidence, sources };
}
