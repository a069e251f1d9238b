import type { z } from "zod";
import type { Bundle } from "../../domain/bundle.js";
import { readJson } from "./json.js";
import { at, isObject, type Row, readRow, refuseTwins, show } from "./rows.js";
import {
  organizationRow,
  REFERENCE_DATA,
  retirementRow,
  SECTION_NAMES,
  SECTIONS,
  type SectionName,
} from "./sections.js";

/** What was read of a bundle's text. `bundle` is complete, and may be loaded, only where there are no problems. */
export interface ReadBundle {
  readonly bundle: Bundle;
  /** One line each, starting with the path of what is wrong. */
  readonly problems: readonly string[];
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
 * Reads a bundle (JSON; its form is in docs/importing.md). Numbers keep all their digits. Every problem is found in one go, each
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
