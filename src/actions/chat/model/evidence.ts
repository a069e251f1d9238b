import type { Evidence } from "../../../domain/chat/grounding.js";
import { type KnownDays, readDays } from "../../../domain/chat/named-days.js";
import { MOST_SOURCES } from "../../../domain/chat/question.js";
import type { DateRange } from "../../../domain/window.js";
import { distinct, type Figure, figure, type Source } from "../reply.js";

/** A value in the result of a query. */
interface Leaf {
  readonly path: readonly string[];
  readonly key: string;
  readonly value: string | number;
  /** The objects that contain it, innermost first. */
  readonly within: readonly Readonly<Record<string, unknown>>[];
}

function leavesOf(value: unknown, path: readonly string[] = [], within: Leaf["within"] = []): Leaf[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => leavesOf(item, [...path, String(index + 1)], within));
  if (value instanceof Date) return leavesOf(value.toISOString(), path, within);
  if (typeof value === "object" && value !== null) {
    const inner = [value as Record<string, unknown>, ...within];
    return Object.entries(value).flatMap(([key, below]) => leavesOf(below, [...path, key], inner));
  }
  if (typeof value !== "string" && typeof value !== "number") return [];
  return [{ path, key: path.at(-1) ?? "", value, within }];
}

const COUNTED: Readonly<Record<string, string>> = { emissionFactors: "factors" };

/** Returns the unit of a number, by its name and the objects that contain it; empty if unknown. */
function unitOf({ key, path, within }: Leaf): string {
  const beside = (name: string) => within.find((one) => typeof one[name] === "string")?.[name];
  if (/co2etonnes/i.test(key)) return "tCO2e";
  if (key === "recordCount") return "records";
  if (key === "totalCount") return COUNTED[path.at(-2) ?? ""] ?? path.at(-2) ?? "";
  if (key === "n") return "months";
  if (/percent/i.test(key) || key === "level") return "%";
  if (/days/i.test(key)) return "days";
  if (/^(?:issued|sold|retired|available|quantity)|credits/i.test(key)) return "credits";
  if (key === "factor") return `kg ${beside("gas")}/${beside("unit")}`;
  if (key === "price") return `${beside("currency")}/${beside("unit")}`;
  return /^(?:value|lower|upper)$/.test(key) ? String(beside("unit") ?? "") : "";
}

/** Returns true if a value is a year rather than a figure. */
const isYear = ({ key }: Leaf) => key === "sourceYear" || key === "vintage";

/** Returns the days that query results are about: spans such as `from` and `to`, and points such as `dueDate`. */
function daysOf(leaves: readonly Leaf[], today: string): KnownDays {
  const spans: DateRange[] = [];
  const points: DateRange[] = [];
  for (const leaf of leaves) {
    const { key, value, within } = leaf;
    const days = readDays(isYear(leaf) ? "" : String(value));
    if (isYear(leaf)) points.push({ from: `${value}-01-01`, to: `${value}-12-31` });
    else if (days && !/from$|to$/i.test(key)) points.push(days);
    else if (days && /from$/i.test(key)) {
      const end = readDays(
        String(
          within[0]?.[
            key
              .replace(/rom$/, "o")
              .replace(/F(?=o$)/, "T")
              .replace(/f(?=o$)/, "t")
          ],
        ),
      );
      if (end) spans.push({ from: days.from, to: end.to });
    }
  }
  return { spans, points, today };
}

/** Collects the figures, days and names in the results of a model's queries. */
export function gatherEvidence(answers: readonly unknown[], question: string, today: string) {
  const leaves = leavesOf(answers);
  const figures = leaves.flatMap((leaf): Figure[] =>
    typeof leaf.value === "number" && !isYear(leaf)
      ? [figure(leaf.path.join(" "), leaf.value, unitOf(leaf))]
      : [],
  );
  const names = leaves.flatMap(({ value }) => (typeof value === "string" ? [value] : []));
  const evidence: Evidence<Figure> = { figures, days: daysOf(leaves, today), names, question };
  return { evidence, leaves };
}

/** Returns the publications that the results cite. */
export const sourcesIn = ({ leaves }: ReturnType<typeof gatherEvidence>): Source[] =>
  distinct(
    leaves.flatMap(({ key, value, within }) => {
      const source = within[0]?.["source"];
      return key === "sourceUrl"
        ? [{ sourceUrl: String(value), source: typeof source === "string" ? source : null }]
        : [];
    }),
  ).slice(0, MOST_SOURCES);
