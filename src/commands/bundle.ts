import { GraphQLCountryCode, GraphQLCurrency } from "graphql-scalars";
import { isLosslessNumber, parse } from "lossless-json";
import { z } from "zod";
import type { Bundle } from "../data/load-bundle.js";
import { readDecimal } from "../domain/amounts.js";
import { EMISSION_SCOPES, FRAMEWORK_STATUSES, FRAMEWORKS, PRICE_TYPES } from "../domain/enums.js";
import { isIsoDate } from "../domain/window.js";

/** What was read of a bundle's text. `bundle` is complete, and may be loaded, only where there are no problems. */
export interface ReadBundle {
  readonly bundle: Bundle;
  /** One line each, starting with the path of what is wrong. */
  readonly problems: readonly string[];
}

/** A value that `read` makes of a JSON value, or a problem saying that this was `expected`. */
function leaf<T>(expected: string, read: (value: unknown) => T | undefined) {
  return z.unknown().transform((value, context): T => {
    const result = read(value);
    if (result !== undefined) return result;
    context.addIssue({ code: "custom", message: expected });
    return z.NEVER;
  });
}

/** Null says the same as nothing: many programs write it for what they do not have. */
function optional<T>(schema: z.ZodType<T>) {
  return schema.nullish().transform((value) => value ?? undefined);
}

function readText(value: unknown, maxBytes = Number.POSITIVE_INFINITY): string | undefined {
  if (typeof value !== "string") return undefined;
  const trimmed = value.trim();
  // PostgreSQL stores neither NUL nor half a surrogate pair.
  const storable = trimmed !== "" && !/\0|\p{Surrogate}/u.test(trimmed);
  return storable && Buffer.byteLength(trimmed) <= maxBytes ? trimmed : undefined;
}

function readAmount(value: unknown, integerDigits: number, decimals: number): string | undefined {
  if (isLosslessNumber(value)) return readDecimal(value.value, { integerDigits, decimals });
  if (typeof value !== "string" || !/^[-\d.]+$/.test(value)) return undefined;
  return readDecimal(value, { integerDigits, decimals });
}

function readTime(value: unknown): string | undefined {
  const form =
    /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
  if (typeof value !== "string" || !isIsoDate(form.exec(value)?.[1] ?? "")) return undefined;
  const instant = new Date(value);
  const text = Number.isNaN(instant.getTime()) ? "" : instant.toISOString();
  return isIsoDate(text.slice(0, 10)) ? text : undefined;
}

function isOf(scalar: typeof GraphQLCurrency, value: unknown): value is string {
  try {
    scalar.parseValue(value);
    return typeof value === "string" && value === value.toUpperCase();
  } catch {
    return false;
  }
}

const text = leaf("a text that is not empty and holds no NUL", (value) => readText(value));
// An index of PostgreSQL holds at most 2,704 bytes a row, and the longest key has three texts.
const key = leaf("a text of 1 to 800 bytes that holds no NUL", (value) => readText(value, 800));
const slug = leaf("1 to 63 of a-z and 0-9, with single hyphens between them", (value) =>
  typeof value === "string" && value.length <= 63 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value)
    ? value
    : undefined,
);
const date = leaf("a calendar date YYYY-MM-DD", (value) =>
  typeof value === "string" && isIsoDate(value) ? value : undefined,
);
const time = leaf("a time in ISO 8601 with its zone, such as 2026-11-20T09:00:00Z", readTime);
const url = leaf("an absolute URL with http or https", (value) => {
  const link = readText(value);
  return link !== undefined && /^https?:\/\/\S+$/i.test(link) && URL.canParse(link) ? link : undefined;
});
const country = leaf("a country code of ISO 3166-1 alpha-2 in capitals, such as IN", (value) =>
  isOf(GraphQLCountryCode, value) ? value : undefined,
);
const currency = leaf("a currency code of ISO 4217 in capitals, such as EUR", (value) =>
  isOf(GraphQLCurrency, value) ? value : undefined,
);

function oneOf<T extends string>(values: readonly T[]) {
  return leaf(`one of ${values.join(", ")}`, (value) => values.find((known) => known === value));
}

function amount(integerDigits: number, decimals: number, least?: 0) {
  const range = `${least === 0 ? "of 0 or more, " : ""}under 1e${integerDigits}`;
  return leaf(`a decimal ${range}, with at most ${decimals} decimals`, (value) => {
    const decimal = readAmount(value, integerDigits, decimals);
    return least === 0 && decimal?.startsWith("-") ? undefined : decimal;
  });
}

function whole(least: number, most: number) {
  return leaf(`a whole number from ${least} to ${most}`, (value) => {
    const number = Number(readAmount(value, 16, 0) ?? Number.NaN);
    return number >= least && number <= most ? number : undefined;
  });
}

const quantity = whole(1, Number.MAX_SAFE_INTEGER);
// Not a text, as an amount may be: a year that is quoted is more likely in the wrong field.
const year = leaf("a whole number from 1900 to 2100", (value) => {
  const number = isLosslessNumber(value) ? Number(readAmount(value, 4, 0) ?? Number.NaN) : Number.NaN;
  return number >= 1900 && number <= 2100 ? number : undefined;
});
const list = leaf("a list", (value) => (Array.isArray(value) ? (value as unknown[]) : undefined));

const organizationRow = z.strictObject({ slug, name: text });
const retirementRow = z.strictObject({
  reference: key,
  quantity,
  retired_on: date,
  beneficiary: optional(text),
});

const SECTIONS = {
  facilities: z.strictObject({ code: key, name: text, country }),
  emission_records: z.strictObject({
    reference: optional(key),
    recorded_on: date,
    scope: oneOf(EMISSION_SCOPES),
    co2e_tonnes: amount(18, 6, 0),
    facility: optional(key),
    category: optional(text),
    source: optional(text),
  }),
  frameworks: z.strictObject({
    framework: oneOf(FRAMEWORKS),
    status: oneOf(FRAMEWORK_STATUSES),
    last_updated: time,
  }),
  deadlines: z.strictObject({ framework: oneOf(FRAMEWORKS), title: key, due_date: date, status: text }),
  credit_batches: z.strictObject({
    reference: key,
    credit_type: key,
    quantity,
    vintage: optional(year),
    sold: optional(whole(0, Number.MAX_SAFE_INTEGER)),
    retirements: optional(list),
  }),
  market_prices: z.strictObject({
    credit_type: key,
    exchange: key,
    price: amount(15, 9, 0),
    currency,
    change_pct_24h: optional(amount(15, 9)),
    price_type: optional(oneOf(PRICE_TYPES)),
    source: text,
    source_url: optional(url),
    as_of: optional(date),
    updated_at: optional(time),
  }),
  benchmarks: z.strictObject({
    sector: key,
    intensity: optional(amount(15, 9)),
    unit: optional(key),
    region: optional(text),
    period: optional(text),
    source: optional(key),
    source_url: optional(url),
    source_year: optional(year),
  }),
};

type SectionName = keyof typeof SECTIONS;
const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];
/** What everybody shares: a bundle of no organization may have these and nothing else. */
const REFERENCE_DATA: readonly SectionName[] = ["market_prices", "benchmarks"];

/** A row, so far as it could be read. */
interface Row<T> {
  readonly path: string;
  /** Without the fields that are bad. */
  readonly value: T;
  readonly bad: ReadonlySet<string>;
}

function cut(value: string): string {
  return value.length > 60 ? `${value.slice(0, 59).replace(/[\ud800-\udbff]$/, "")}…` : value;
}

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (isLosslessNumber(value)) return cut(value.value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? JSON.stringify(cut(value)) : String(value);
}

function at(path: string, step: string | number): string {
  if (typeof step === "number") return `${path}[${step}]`;
  if (!/^\w{1,60}$/.test(step)) return `${path}[${show(step)}]`;
  return path === "" ? step : `${path}.${step}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

function readRow<S extends z.ZodObject>(
  schema: S,
  value: unknown,
  path: string,
  problems: string[],
): Row<z.infer<S>> {
  const fields = Object.keys(schema.shape);
  if (!isObject(value)) {
    problems.push(`${path}: expected an object with ${fields.join(", ")}, got ${show(value)}`);
    return { path, value: {} as z.infer<S>, bad: new Set(fields) };
  }
  const result = schema.safeParse(value);
  if (result.success) return { path, value: result.data, bad: new Set() };

  const bad = new Set<string>();
  for (const issue of result.error.issues) {
    if (issue.code === "unrecognized_keys") {
      for (const name of issue.keys) {
        problems.push(
          `${at(path, name)}: unknown key, expected one of ${fields.join(", ")}; got ${show(value[name])}`,
        );
      }
      continue;
    }
    const name = String(issue.path[0]);
    bad.add(name);
    problems.push(`${at(path, name)}: expected ${issue.message}, got ${show(value[name])}`);
  }
  const good = fields.filter((name) => !bad.has(name));
  const partial = good.map((name) => [name, z.safeParse(schema.shape[name] as z.ZodType, value[name]).data]);
  return { path, value: Object.fromEntries(partial) as z.infer<S>, bad };
}

/** A problem for each row that has all of `fields` in common with an earlier one; each names the first. */
function refuseTwins<T extends object>(
  rows: readonly Row<T>[],
  fields: (keyof T & string)[],
  problems: string[],
) {
  const first = new Map<string, string>();
  for (const { path, value, bad } of rows) {
    if (fields.some((field) => bad.has(field))) continue;
    const identity = JSON.stringify(fields.map((field) => value[field] ?? null));
    const twin = first.get(identity);
    if (twin === undefined) first.set(identity, path);
    else if (fields.length > 1)
      problems.push(`${path}: expected another ${fields.join(", ")}, got those of ${twin}`);
    else
      problems.push(
        `${path}.${fields[0]}: expected another than that of ${twin}, got ${show(value[fields[0] as keyof T])}`,
      );
  }
}

/** Paths of keys that stand twice in one object of valid JSON: the parser passes those that have the same value. */
function listTwinKeys(json: string): string[] {
  const twins: string[] = [];
  const open: { path: string; step: string | number; keys: Set<string> }[] = [];
  for (const [token, string, colon] of json.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[[\]{},]/g)) {
    const inner = open.at(-1);
    if (token === "{" || token === "[") {
      open.push({
        path: inner ? at(inner.path, inner.step) : "",
        step: token === "[" ? 0 : "",
        keys: new Set(),
      });
    } else if (token === "}" || token === "]") open.pop();
    else if (token === "," && typeof inner?.step === "number") inner.step += 1;
    else if (inner && string !== undefined && colon !== undefined) {
      inner.step = JSON.parse(string) as string;
      if (inner.keys.has(inner.step)) twins.push(at(inner.path, inner.step));
      inner.keys.add(inner.step);
    }
  }
  return twins;
}

function readJson(json: string, problems: string[]): unknown {
  if (json.startsWith("\ufeff")) {
    problems.push("bundle: expected UTF-8 without a byte order mark, got one");
    return undefined;
  }
  try {
    const value = parse(json, null, { onDuplicateKey: ({ oldValue }) => oldValue });
    for (const path of listTwinKeys(json)) problems.push(`${path}: expected the key once, got it again`);
    return value;
  } catch (error) {
    const message = error instanceof RangeError ? "it is nested too deeply" : (error as Error).message;
    const position = Number(/position (\d+)$/.exec(message)?.[1] ?? 0);
    const lines = json.slice(0, position).split("\n");
    const what = message.replace(/ at position \d+$/, "").replace(/\s+/g, " ");
    const where = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    problems.push(`bundle: expected valid JSON, got an error at ${where}: ${what}`);
    return undefined;
  }
}

function refuseMixedOwners(root: Record<string, unknown>, problems: string[]) {
  for (const name of SECTION_NAMES) {
    const rows = root[name];
    if (!Array.isArray(rows) || rows.length === 0) continue;
    if (root["organization"] === undefined && !REFERENCE_DATA.includes(name)) {
      problems.push(`${name}: expected only in a bundle with an organization, got one without`);
    } else if (root["organization"] !== undefined && name === "benchmarks") {
      problems.push(
        `${name}: expected only in a bundle without an organization (all share them), got one with it`,
      );
    }
  }
}

function refuseOverdrawn(
  batch: Row<{ quantity: number; sold?: number | undefined }>,
  retired: readonly Row<{ quantity: number }>[],
  problems: string[],
) {
  const { path, value, bad } = batch;
  if (bad.has("quantity") || bad.has("sold")) return;
  const quantities = retired
    .filter((row) => !row.bad.has("quantity"))
    .map((row) => BigInt(row.value.quantity));
  const sum = quantities.reduce((total, one) => total + one, 0n);
  const taken = sum + BigInt(value.sold ?? 0);
  if (taken <= BigInt(value.quantity)) return;
  problems.push(
    `${path}.quantity: expected at least ${taken} (sold ${value.sold ?? 0}, retired ${sum}), got ${value.quantity}`,
  );
}

/**
 * Reads a bundle (JSON; its form is in the README). Numbers keep all their digits. Every problem is found in one go, each
 * with the path, what was expected and what came.
 */
export function readBundle(json: string): ReadBundle {
  const problems: string[] = [];
  const parsed = readJson(json, problems);
  const root = isObject(parsed) ? parsed : {};
  if (parsed !== undefined && !isObject(parsed)) {
    problems.push(`bundle: expected an object, got ${show(parsed)}`);
  }
  for (const name of Object.keys(root)) {
    if (Object.hasOwn(SECTIONS, name) || name === "organization") continue;
    problems.push(
      `${at("", name)}: unknown key, expected one of organization, ${SECTION_NAMES.join(", ")}; got ${show(root[name])}`,
    );
  }
  const rows = <S extends z.ZodObject>(schema: S, path: string, value: unknown): Row<z.infer<S>>[] => {
    if (Array.isArray(value))
      return value.map((row, index) => readRow(schema, row, at(path, index), problems));
    if (value !== undefined) problems.push(`${path}: expected a list, got ${show(value)}`);
    return [];
  };
  const section = <N extends SectionName>(name: N) => rows(SECTIONS[name], name, root[name]);

  const organization =
    root["organization"] === undefined
      ? undefined
      : readRow(organizationRow, root["organization"], "organization", problems).value;
  const facilities = section("facilities");
  const records = section("emission_records");
  const frameworks = section("frameworks");
  const deadlines = section("deadlines");
  const batches = section("credit_batches").map((batch) => ({
    ...batch,
    retirements: rows(retirementRow, at(batch.path, "retirements"), batch.value.retirements),
  }));
  const prices = section("market_prices");
  const benchmarks = section("benchmarks");

  refuseMixedOwners(root, problems);
  refuseTwins(facilities, ["code"], problems);
  refuseTwins(
    records.filter(({ value }) => value.reference !== undefined),
    ["reference"],
    problems,
  );
  refuseTwins(frameworks, ["framework"], problems);
  refuseTwins(deadlines, ["framework", "title", "due_date"], problems);
  refuseTwins(batches, ["reference"], problems);
  refuseTwins(
    batches.flatMap(({ retirements }) => retirements),
    ["reference"],
    problems,
  );
  for (const batch of batches) refuseOverdrawn(batch, batch.retirements, problems);
  refuseTwins(prices, ["credit_type", "exchange", "as_of"], problems);
  refuseTwins(benchmarks, ["sector", "unit", "source", "source_year"], problems);

  const values = <T>(read: readonly Row<T>[]) => read.map(({ value }) => value);
  const bundle: Bundle = {
    organization,
    facilities: values(facilities),
    emission_records: values(records),
    frameworks: values(frameworks),
    deadlines: values(deadlines),
    credit_batches: batches.map(({ value, retirements }) => ({ ...value, retirements: values(retirements) })),
    market_prices: values(prices),
    benchmarks: values(benchmarks),
  };
  return { bundle, problems };
}
