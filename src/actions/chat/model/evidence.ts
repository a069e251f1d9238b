import type { Evidence } from "../../../domain/chat/grounding.js";
import { isGrounded } from "../../../domain/chat/grounding.js";
import { MOST_FIGURES, MOST_SOURCES } from "../../../domain/chat/question.js";
import { distinct, type Figure, figure, type Source } from "../reply.js";

/** A value in what a query answered. */
interface Leaf {
  /** Such as `emissions byFacility 1 co2eTonnes`. */
  readonly name: string;
  readonly key: string;
  readonly value: string | number;
  readonly beside: Readonly<Record<string, unknown>>;
}

function leavesOf(
  value: unknown,
  path: readonly string[] = [],
  beside: Record<string, unknown> = {},
): Leaf[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => leavesOf(item, [...path, String(index + 1)], beside));
  if (value instanceof Date) return leavesOf(value.toISOString(), path, beside);
  if (typeof value === "object" && value !== null) {
    const inner = value as Record<string, unknown>;
    return Object.entries(inner).flatMap(([key, below]) => leavesOf(below, [...path, key], inner));
  }
  if (typeof value !== "string" && typeof value !== "number") return [];
  return [{ name: path.join(" "), key: path.at(-1) ?? "", value, beside }];
}

/** The unit of a number, by its name and what stands beside it. */
function unitOf({ key, beside }: Leaf): string {
  if (/co2etonnes/i.test(key)) return "tCO2e";
  if (/percent/i.test(key)) return "%";
  if (/days/i.test(key)) return "days";
  if (/^(?:issued|sold|retired|available|quantity)|credits/i.test(key)) return "credits";
  if (key === "price") return `${beside["currency"]}/${beside["unit"]}`;
  return typeof beside["unit"] === "string" ? beside["unit"] : "";
}

/** What was answered to the queries of a model, and asked in them. */
export function gatherEvidence(answers: readonly unknown[], variables: readonly unknown[], question: string) {
  const leaves = leavesOf(answers);
  const texts = [...leaves, ...leavesOf(variables)].flatMap(({ value }) =>
    typeof value === "string" ? [value] : [],
  );
  const numeric = leaves.filter((leaf): leaf is Leaf & { value: number } => typeof leaf.value === "number");
  const evidence: Evidence = { numbers: numeric.map(({ value }) => value), texts, question };
  return { evidence, leaves, numeric };
}

/** The numbers that a text shows, each with its name. */
export function figuresIn(text: string, { evidence, numeric }: ReturnType<typeof gatherEvidence>): Figure[] {
  const shown = text.match(/\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?/g) ?? [];
  const isShown = (value: number) =>
    shown.some((number) => isGrounded(number, { ...evidence, numbers: [value], texts: [], question: "" }));
  return numeric
    .filter(({ value, key }) => key !== "sourceYear" && isShown(value))
    .slice(0, MOST_FIGURES)
    .map((leaf) => figure(leaf.name, leaf.value, unitOf(leaf)));
}

/** The publications that are named in what was read. */
export const sourcesIn = ({ leaves }: ReturnType<typeof gatherEvidence>): Source[] =>
  distinct(
    leaves.map(({ key, value, beside: { source } }) =>
      key === "sourceUrl"
        ? { title: typeof source === "string" ? source : String(value), url: String(value) }
        : null,
    ),
  ).slice(0, MOST_SOURCES);
