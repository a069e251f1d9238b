import type { z } from "zod";
import { DECIMAL_LIMITS, readDecimal } from "../domain/decimals.js";
import { maskSecrets } from "../domain/keys/secrets.js";
import { findClosest } from "../domain/texts/closest.js";
import { isWithinLimit } from "../domain/texts/text-limits.js";
import { hideCredentials } from "../domain/texts/web-link.js";
import { MAX_PROBLEMS } from "../errors.js";
import { EXPECTED } from "./expected.js";
import { declaredLimits } from "./input/limits.js";

/** An invalid part of a request. */
export interface InputProblem {
  /** Part that contains the path: `params`, `query` or `body`. */
  readonly part: string;
  /** Path in the part, such as `organization.slug` or `lines[0].mass_t`; empty for the whole part. */
  readonly path: string;
  /** Such as `expected …, got …`. */
  readonly message: string;
}

/** Names of the parts of a request in messages. */
const PARTS: Readonly<Record<string, string>> = { params: "path", query: "query", body: "body" };

/** Formats a problem in one line, such as `query.limit: expected a whole number from 1 to 100, got "abc"`. */
const writeProblem = ({ part, path, message }: InputProblem): string =>
  `${PARTS[part]}${path === "" || path.startsWith("[") ? "" : "."}${path}: ${message}`;

/** Problems with an input. */
export interface InputProblems {
  /** The first MAX_PROBLEMS. */
  readonly named: readonly InputProblem[];
  /** Number of further problems. */
  readonly omitted: number;
  /** The invalid parts of the request. */
  readonly parts: ReadonlySet<PropertyKey | undefined>;
}

/** Returns the message and the details of an error that reports problems. */
export function nameProblems({ named, omitted }: InputProblems) {
  const others = omitted > 0 ? [`and ${omitted} more`] : [];
  return {
    message: [...named.map(writeProblem), ...others].join("; "),
    details: named.map(({ path, message }) => ({ path, message })),
    omittedDetails: omitted,
  };
}

type Shape = z.core.$ZodType;
type Path = readonly PropertyKey[];

/** The properties of a shape's definition that this file uses. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, Shape>>;
  readonly element?: Shape;
  readonly innerType?: Shape;
  readonly in?: Shape;
  readonly options?: readonly Shape[];
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly values?: readonly unknown[];
  readonly format?: string;
  readonly checks?: readonly { readonly _zod: { readonly def: Check } }[];
}

/** The properties of a check's definition that this file uses. */
interface Check {
  readonly check: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly value?: number;
  readonly inclusive?: boolean;
  /** Present for a rule that concerns several values. */
  readonly when?: unknown;
  readonly fn?: (value: unknown) => boolean;
  readonly path?: readonly string[];
  readonly error?: () => string;
}
const checksOf = (shape: Shape): Check[] => (definitionOf(shape).checks ?? []).map(({ _zod }) => _zod.def);
const definitionOf = (shape: Shape) => shape._zod.def as unknown as Definition;

/** Unwraps a shape that is optional, nullable, defaulted or transformed. */
function unwrap(shape: Shape): Shape {
  const { innerType, type, in: before } = definitionOf(shape);
  if (innerType) return unwrap(innerType);
  return type === "pipe" && before ? unwrap(before) : shape;
}

/** Finds the shape at a path inside another shape; undefined if none matches. */
export function shapeAt(shape: Shape, [step, ...rest]: Path): Shape | undefined {
  const plain = unwrap(shape);
  if (step === undefined) return plain;
  const { shape: members, element, options } = definitionOf(plain);
  const name = String(step);
  const member = members && Object.hasOwn(members, name) ? members[name] : undefined;
  const below = member ?? (typeof step === "number" ? element : undefined);
  if (below) return shapeAt(below, rest);
  for (const option of options ?? []) {
    const found = shapeAt(option, [step, ...rest]);
    if (found) return found;
  }
  return undefined;
}

/** Returns the names of the members of the object at a path. */
export function namesAt(shape: Shape, path: Path): string[] {
  const found = shapeAt(shape, path);
  if (!found) return [];
  const { shape: members, options } = definitionOf(found);
  return members ? Object.keys(members) : (options ?? []).flatMap((option) => namesAt(option, []));
}

/** Limits of a size or a number. */
interface Limits {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Exclusive lower limit of a number. */
  readonly above?: number | undefined;
}

/** Returns the limits that a shape's checks set. */
const limitsOf = (shape: Shape): Limits => Object.assign({}, ...checksOf(shape).map(limitOf));

function limitOf({ check, minimum, maximum, value, inclusive }: Check): Limits {
  if (check === "min_length") return { min: minimum };
  if (check === "max_length") return { max: maximum };
  if (check === "less_than") return { max: value };
  if (check !== "greater_than") return {};
  return inclusive ? { min: value } : { above: value };
}

const write = (number: number): string => number.toLocaleString("en");

/** Returns ` from 1 to 100` or ` of at most 10`; empty without limits. */
function describeLimits({ min, max, above }: Limits): string {
  if (above !== undefined)
    return ` above ${write(above)}${max === undefined ? "" : `, at most ${write(max)}`}`;
  if (min === undefined) return max === undefined ? "" : ` of at most ${write(max)}`;
  return max === undefined ? ` of ${write(min)} or more` : ` from ${write(min)} to ${write(max)}`;
}

/** Returns `1 to 100 items` or `at most 10 items`; undefined without limits. */
function describeSize({ min = 0, max }: Limits, unit: string): string | undefined {
  if (max === undefined) return min > 0 ? `${min} or more ${unit}` : undefined;
  if (min === max) return `${min} ${unit}`;
  return min > 0 ? `${min} to ${write(max)} ${unit}` : `at most ${write(max)} ${unit}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: EXPECTED.Date,
  datetime: EXPECTED.DateTime,
  uuid: EXPECTED.UUID,
  guid: EXPECTED.UUID,
  email: "an e-mail address",
  url: EXPECTED.URL,
};

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`;

/** Returns the name of a shape for `expected …`; undefined if it has none. */
function nameShape(shape: Shape): string | undefined {
  const { type, format = "", entries = {}, values = [], options = [] } = definitionOf(shape);
  switch (type) {
    case "string": {
      const size = describeSize(limitsOf(shape), "characters");
      return FORMATS[format] ?? (size ? `text of ${size}` : "text");
    }
    case "number": {
      const isWhole = [format, ...checksOf(shape).map((check) => check.format)].some((one) =>
        /int/.test(one ?? ""),
      );
      return `${isWhole ? "a whole number" : "a number"}${describeLimits(limitsOf(shape))}`;
    }
    case "boolean":
      return "true or false";
    case "enum":
      return oneOf(Object.values(entries).filter((value) => value !== ""));
    case "literal":
      return oneOf(values);
    case "array":
      return describeSize(limitsOf(shape), "items") ?? "a list";
    case "object":
      return "an object";
    case "union": {
      const names = options.map((option) => nameShape(unwrap(option)));
      return names.includes(undefined) ? undefined : [...new Set(names)].join(" or ");
    }
    default:
      return undefined;
  }
}

/**
 * For a body that fits none of several shapes, returns the issues of the shape with the fewest unknown properties.
 */
function listIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || issue.path.join() !== "body" || issue.errors.length === 0)
    return [issue];
  const unknown = (issues: readonly z.core.$ZodIssue[]) =>
    issues.flatMap((each) => (each.code === "unrecognized_keys" && each.path.length === 0 ? each.keys : []))
      .length;
  const [closest = []] = issue.errors.toSorted((one, other) => unknown(one) - unknown(other));
  return closest.map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
}

/**
 * Lists the problems with `given`, the parts of a request, from the issues that `shape` reports. Describes only those
 * that the error will name, because a large body may have thousands.
 */
export function listProblems(
  shape: z.ZodObject,
  given: Readonly<Record<string, unknown>>,
  issues: readonly z.core.$ZodIssue[],
): InputProblems {
  const listed = issues.flatMap(listIssues);
  const known = new Set(listed.map(({ path }) => path.join(".")));
  const problems = [
    ...listed.flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((name) => () => describeUnknown(shape, issue.path, name))
        : () => describeIssue(shape, issue, given),
    ),
    ...listRules(shape, given["body"], known).map((problem) => () => problem),
  ];
  const named = problems.slice(0, MAX_PROBLEMS).map((describe) => describe());
  const breaches = named.length < MAX_PROBLEMS ? listBreaches(shape, ["body"], given["body"], known) : [];
  const all = [...named, ...breaches];
  return {
    named: all.slice(0, MAX_PROBLEMS),
    omitted: Math.max(problems.length, all.length) - Math.min(all.length, MAX_PROBLEMS),
    parts: new Set([...listed.map(({ path }) => path[0]), ...all.map(({ part }) => part)]),
  };
}

/**
 * Lists problems that concern several values of a body whose shape is already invalid. They come from rules of the
 * graph that the shape repeats, using zod's `when`.
 */
function listRules(shape: Shape, body: unknown, known: ReadonlySet<string>): InputProblem[] {
  const found = shapeAt(shape, ["body"]);
  if (!found || typeof body !== "object" || body === null) return [];
  return checksOf(found).flatMap(({ when, fn, path: steps = [], error }) => {
    const path = ["body", ...steps];
    if (!when || fn?.(body) !== false || known.has(path.join("."))) return [];
    return [problemAt(path, `${error?.()}, got ${show(valueAt(body, steps))}`)];
  });
}

/**
 * Lists blank strings in a body, and values beyond the limits that their shapes state. The graph's rules refuse them as
 * well, but only run for a body with a valid shape.
 */
function listBreaches(shape: Shape, path: Path, given: unknown, known: ReadonlySet<string>): InputProblem[] {
  const at = shapeAt(shape, path);
  const breach = at && !known.has(path.join(".")) && findBreach(at, given);
  if (breach) return [problemAt(path, breach)];
  if (typeof given !== "object" || given === null) return [];
  const members: (readonly [PropertyKey, unknown])[] = Array.isArray(given)
    ? [...given.slice(0, MAX_PROBLEMS).entries()]
    : Object.entries(given).slice(0, MAX_PROBLEMS);
  return members.flatMap(([step, value]) => listBreaches(shape, [...path, step], value, known));
}

/** Describes how a value of the right type breaks a limit; undefined if it does not. */
function findBreach(shape: Shape, given: unknown): string | undefined {
  const { least: min, above, most: max, decimals } = declaredLimits.get(shape) ?? {};
  const isBeyond = (size: number) => size < (min ?? -Infinity) || size > (max ?? Infinity);
  if (Array.isArray(given)) {
    if (!isBeyond(given.length)) return undefined;
    return `expected ${describeSize({ min, max }, "items")}, got ${given.length || "none"}`;
  }
  const { type } = definitionOf(shape);
  if (type === "string" && typeof given === "string") {
    const text = given.trim();
    if (text === "") {
      const size = describeSize(limitsOf(shape), "characters") ?? "1 or more characters";
      return `expected text of ${size} besides spaces, got ${show(given)}`;
    }
    const format = checksOf(shape).find(({ when, fn }) => when && fn?.(text) === false);
    if (format) return `${format.error?.()}, got ${show(given)}`;
    if (max === undefined || isWithinLimit(text, max)) return undefined;
    // Counting the characters of a longer text would block the event loop.
    const count = isWithinLimit(text, 100_000) ? [...text].length : "over 100,000";
    return `expected text of ${describeSize({ min: 1, max }, "characters")}, got ${count} characters`;
  }
  if (typeof given !== "number" && (type !== "union" || typeof given !== "string")) return undefined;
  const isFine =
    !isBeyond(Number(given)) &&
    (above === undefined || Number(given) > above) &&
    (decimals === undefined || readDecimal(String(given), { ...DECIMAL_LIMITS, decimals }) !== undefined);
  if (isFine) return undefined;
  const kind = type === "union" ? "a decimal" : "a whole number";
  const places = decimals === undefined ? "" : ` with at most ${decimals} decimals`;
  return `expected ${kind}${describeLimits({ min, max, above })}${places}, got ${show(given)}`;
}

function problemAt([part, ...steps]: Path, message: string): InputProblem {
  const names = steps.map((step) =>
    typeof step === "number" ? `[${step}]` : `.${cut(maskSecrets(String(step)))}`,
  );
  return { part: String(part), path: names.join("").replace(/^\./, ""), message: maskSecrets(message) };
}

function describeUnknown(shape: Shape, path: Path, name: string): InputProblem {
  const isParameter = path[0] === "query";
  const unknown = isParameter ? "unknown parameter" : "unknown field";
  const belongsInBody = isParameter && namesAt(shape, ["body"]).includes(name);
  const closest = belongsInBody ? undefined : findClosest(name, namesAt(shape, path));
  const advice = belongsInBody ? ". Send it in the body" : closest ? `. Did you mean ${closest}?` : "";
  return problemAt([...path, name], unknown + advice);
}

const valueAt = (given: unknown, path: Path) =>
  path.reduce<unknown>((at, step) => (at as never)?.[step], given);

/** Returns the path and value of an issue. For one item of a comma-separated parameter, the path is the parameter's. */
function inParameter(issue: z.core.$ZodIssue, given: unknown): readonly [path: Path, value: unknown] {
  const [part, name, index] = issue.path;
  const text = part === "query" && index !== undefined ? valueAt(given, [part, name ?? ""]) : undefined;
  if (typeof text !== "string") return [issue.path, valueAt(given, issue.path)];
  return [issue.path.slice(0, 2), text.split(",")[Number(index)]];
}

function describeIssue(shape: Shape, original: z.core.$ZodIssue, given: unknown): InputProblem {
  const [path, value] = inParameter(original, given);
  const found = shapeAt(shape, original.path);
  const issue = { ...original, path: [...path] };
  // A complete sentence, such as one about a refused password, needs no value after it. The value may be a secret.
  if (issue.code === "custom" && /^[A-Z].*\.$/.test(issue.message))
    return problemAt(issue.path, issue.message);
  // The shape's own message already states what it expects.
  if (issue.message.startsWith("expected") && !issue.message.includes("received")) {
    const isDone = / got /.test(issue.message) || (typeof value === "object" && issue.code === "custom");
    return problemAt(issue.path, isDone ? issue.message : `${issue.message}, got ${show(value)}`);
  }
  if (issue.path[0] === "query" && Array.isArray(value) && found && definitionOf(found).type !== "array") {
    return problemAt(issue.path, `expected one value, got ${value.length}`);
  }
  const name =
    (found && nameShape(found)) ?? issue.message.replace(/^.*?expected /s, "").replace(/, received .*$/s, "");
  return problemAt(issue.path, `expected ${name}, got ${measure(issue, value) ?? show(value)}`);
}

/** Describes the size of a list of invalid size, or of a string that is too long. */
function measure(issue: z.core.$ZodIssue, value: unknown): string | undefined {
  if (issue.code !== "too_big" && issue.code !== "too_small") return undefined;
  if (Array.isArray(value)) return value.length === 0 ? "none" : `${value.length}`;
  const isLong = typeof value === "string" && issue.code === "too_big" && issue.origin === "string";
  return isLong ? `${[...value].length} characters` : undefined;
}

/** Maximum number of characters of a value in a message. */
export const MAX_VALUE_LENGTH = 60;

/** Formats a value for messages. Hides objects and lists, which may contain secrets. */
export function show(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return cut(hideCredentials(JSON.stringify(value) ?? "nothing"));
}

const cut = (text: string): string =>
  text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH)}…`;
