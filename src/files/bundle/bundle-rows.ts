import { isLosslessNumber } from "lossless-json";
import { z } from "zod";
import { cut, quoted } from "../quoted.js";

/** A row of a section, without its invalid fields. */
export interface Row<T> {
  readonly path: string;
  readonly value: T;
  /** Names of the invalid fields. */
  readonly bad: ReadonlySet<string>;
}

/** Formats a JSON value for a problem: cut, and without the content of a list or an object. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (isLosslessNumber(value)) return cut(value.value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? quoted(value) : String(value);
}

/** Returns the path of a key or index below another path. */
export function at(path: string, step: string | number): string {
  if (typeof step === "number") return `${path}[${step}]`;
  if (!/^\w{1,60}$/.test(step)) return `${path}[${show(step)}]`;
  return path === "" ? step : `${path}.${step}`;
}

/** Returns true if a JSON value is an object. `lossless-json` represents numbers as objects, too. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** Reads a row by its schema. Adds a problem for every invalid field and every unknown key. */
export function readRow<S extends z.ZodObject>(
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

/** Adds a problem for every row with the same `fields` as an earlier one, with the path of the first. */
export function refuseSameKeys<T extends object>(
  rows: readonly Row<T>[],
  fields: (keyof T & string)[],
  problems: string[],
) {
  const first = new Map<string, string>();
  for (const { path, value, bad } of rows) {
    if (fields.some((field) => bad.has(field))) continue;
    const identity = JSON.stringify(fields.map((field) => value[field] ?? null));
    const earlier = first.get(identity);
    if (earlier === undefined) first.set(identity, path);
    else if (fields.length > 1)
      problems.push(`${path}: expected a unique ${fields.join(", ")}, got the same as ${earlier}`);
    else
      problems.push(
        `${path}.${fields[0]}: expected a unique value, got ${show(value[fields[0] as keyof T])} as in ${earlier}`,
      );
  }
}
