import type { z } from "zod";
import type { Bundle } from "../../domain/bundle.js";
import { at, isObject, type Row, readRow, show } from "./bundle-rows.js";
import {
  type BundleRows,
  refuseDuplicates,
  refuseEndedRates,
  refuseMixedOwners,
  refuseOverdrawn,
} from "./checks.js";
import { readJson } from "./json.js";
import { organizationRow, retirementRow, SECTION_NAMES, SECTIONS, type SectionName } from "./sections.js";

/** A bundle, complete only if there are no problems. */
export interface ReadBundle {
  readonly bundle: Bundle;
  /** One line each, starting with the path of the value. */
  readonly problems: readonly string[];
}

/**
 * Reads a bundle (JSON, as described in docs/importing.md). Numbers keep all their digits. Finds all problems at once,
 * each with its path, the expected value and the actual one.
 */
export function readBundle(json: string): ReadBundle {
  const problems: string[] = [];
  const root = readRoot(json, problems);
  const organization =
    root["organization"] === undefined
      ? undefined
      : readRow(organizationRow, root["organization"], "organization", problems).value;
  const rows = readSections(root, problems);
  refuseMixedOwners(root, problems);
  refuseDuplicates(rows, problems);
  refuseEndedRates(rows, problems);
  for (const batch of rows.credit_batches) refuseOverdrawn(batch, problems);
  return { bundle: { organization, ...valuesOf(rows) }, problems };
}

/** Parses a bundle; empty if it is not a JSON object. Adds a problem for every unknown section. */
function readRoot(json: string, problems: string[]): Record<string, unknown> {
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
  return root;
}

function readSections(root: Record<string, unknown>, problems: string[]): BundleRows {
  const rows = <S extends z.ZodObject>(schema: S, path: string, value: unknown): Row<z.infer<S>>[] => {
    if (Array.isArray(value))
      return value.map((row, index) => readRow(schema, row, at(path, index), problems));
    if (value !== undefined) problems.push(`${path}: expected a list, got ${show(value)}`);
    return [];
  };
  const section = <N extends SectionName>(name: N) => rows(SECTIONS[name], name, root[name]);
  return {
    facilities: section("facilities"),
    emission_records: section("emission_records"),
    frameworks: section("frameworks"),
    deadlines: section("deadlines"),
    credit_batches: section("credit_batches").map((batch) => ({
      ...batch,
      retirements: rows(retirementRow, at(batch.path, "retirements"), batch.value.retirements),
    })),
    market_prices: section("market_prices"),
    benchmarks: section("benchmarks"),
  };
}

function valuesOf(rows: BundleRows): Omit<Bundle, "organization"> {
  const values = <T>(read: readonly Row<T>[]) => read.map(({ value }) => value);
  return {
    facilities: values(rows.facilities),
    emission_records: values(rows.emission_records),
    frameworks: values(rows.frameworks),
    deadlines: values(rows.deadlines),
    credit_batches: rows.credit_batches.map(({ value, retirements }) => ({
      ...value,
      retirements: values(retirements),
    })),
    market_prices: values(rows.market_prices),
    benchmarks: values(rows.benchmarks),
  };
}
