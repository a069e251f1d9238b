import { z } from "zod";
import type { Problem } from "../errors.js";
import { isBelow } from "./input/places.js";
import { definitionOf, type InputProblem, listIssues, shapeAt } from "./problems.js";

/** Valid values of the usual forms. Rules that compare values hardly fail alike for both lists. */
const SAMPLES = [
  [
    "x",
    "1",
    "1990-01-01",
    "1990-01-01T00:00:00Z",
    "1990-01",
    "6f1f9a52-6f4e-4c8b-9d57-2b8a9c0e7d16",
    "IN",
    1,
    false,
  ],
  [
    "y",
    "99",
    "2100-12-31",
    "2100-12-31T00:00:00Z",
    "2100-12",
    "0b9fd6a2-4a0f-4f0e-9a38-5a1a3a0f1d3c",
    "DE",
    99,
    true,
  ],
] as const;
const FURTHER = ["https://example.com/", "a@example.com", [], {}];

type Parts = Readonly<Record<string, unknown>>;
type Container = Record<PropertyKey, unknown>;

/** Returns a copy of a request whose body has samples in the place of its invalid values; undefined if none fits. */
function repair(shape: z.ZodObject, given: Parts, issues: readonly z.core.$ZodIssue[], variant: 0 | 1) {
  const repaired = structuredClone(given) as Container;
  for (const issue of issues.flatMap(listIssues)) {
    const at = issue.path.slice(0, -1).reduce<unknown>((value, step) => (value as never)?.[step], repaired);
    const last = issue.path.at(-1) ?? "";
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) delete ((at as Container)[last] as Container)[key];
      continue;
    }
    const found = shapeAt(shape, issue.path);
    const members = definitionOf(shapeAt(shape, issue.path.slice(0, -1)) ?? shape).shape ?? {};
    if (!found || typeof at !== "object" || at === null) return undefined;
    const choices = Object.values(definitionOf(found).entries ?? {});
    const samples = [choices.at(-variant), ...SAMPLES[variant], ...FURTHER];
    if (variant === 0 && members[String(last)]?._zod.optin === "optional") delete (at as Container)[last];
    else (at as Container)[last] = samples.find((sample) => z.safeParse(found, sample).success);
  }
  const { data } = shape.safeParse(repaired);
  return data;
}

/**
 * Returns the problems that the graph's rules find in the valid parts of a body with invalid parts. `check` returns the
 * problems of a valid request. Those that depend on the samples in the place of the invalid parts are left out.
 */
export async function findFurther(
  shape: z.ZodObject,
  given: Parts,
  issues: readonly z.core.$ZodIssue[],
  { named, check }: { named: readonly InputProblem[]; check: (parts: Parts) => Promise<readonly Problem[]> },
): Promise<InputProblem[]> {
  const found: (readonly Problem[])[] = [];
  for (const variant of [0, 1] as const) {
    const repaired = repair(shape, given, issues, variant);
    found.push(repaired ? await check(repaired) : []);
  }
  const [first = [], second = []] = found;
  return first
    .filter(({ path, message }) => second.some((one) => one.path === path && one.message === message))
    .filter(({ path }) => path !== "" && !named.some((one) => isBelow(path, one.path)))
    .map(({ path, message }) => ({ part: "body", path, message, isSentence: true }));
}
