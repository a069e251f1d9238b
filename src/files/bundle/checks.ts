import type { z } from "zod";
import { type Row, refuseSameKeys } from "./bundle-rows.js";
import {
  REFERENCE_DATA,
  type retirementRow,
  SECTION_NAMES,
  type SECTIONS,
  type SectionName,
} from "./sections.js";

type RowsOf<Name extends SectionName> = readonly Row<z.infer<(typeof SECTIONS)[Name]>>[];
type BatchRow = RowsOf<"credit_batches">[number] & {
  readonly retirements: readonly Row<z.infer<typeof retirementRow>>[];
};

/** The rows of a bundle by section. */
export type BundleRows = { readonly [Name in Exclude<SectionName, "credit_batches">]: RowsOf<Name> } & {
  readonly credit_batches: readonly BatchRow[];
};

/** Adds a problem for every section that a bundle with (or without) an organization cannot have. */
export function refuseMixedOwners(root: Record<string, unknown>, problems: string[]) {
  for (const name of SECTION_NAMES) {
    const rows = root[name];
    if (!Array.isArray(rows) || rows.length === 0) continue;
    if (root["organization"] === undefined && !REFERENCE_DATA.includes(name)) {
      problems.push(`${name}: expected only in a bundle with an organization, got one without`);
    } else if (root["organization"] !== undefined && name === "benchmarks") {
      problems.push(
        `${name}: expected only in a bundle without an organization (all organizations share them), got one with an organization`,
      );
    }
  }
}

/** Adds a problem for every row with the same natural key as an earlier one. */
export function refuseDuplicates(rows: BundleRows, problems: string[]): void {
  const { facilities, emission_records, frameworks, deadlines, credit_batches } = rows;
  const referenced = emission_records.filter(({ value }) => value.reference !== undefined);
  const retirements = credit_batches.flatMap((batch) => batch.retirements);
  refuseSameKeys(facilities, ["code"], problems);
  refuseSameKeys(referenced, ["reference"], problems);
  refuseSameKeys(frameworks, ["framework"], problems);
  refuseSameKeys(deadlines, ["framework", "title", "due_date"], problems);
  refuseSameKeys(credit_batches, ["reference"], problems);
  refuseSameKeys(retirements, ["reference"], problems);
  refuseSameKeys(rows.market_prices, ["credit_type", "exchange", "as_of"], problems);
  refuseSameKeys(rows.benchmarks, ["sector", "unit", "source", "source_year"], problems);
}

/** Adds a problem for every statutory rate that ends before it begins. */
export function refuseEndedRates({ market_prices }: BundleRows, problems: string[]): void {
  for (const { path, value, bad } of market_prices) {
    const { as_of, statutory_until } = value;
    if (
      bad.has("as_of") ||
      bad.has("statutory_until") ||
      !as_of ||
      !statutory_until ||
      statutory_until >= as_of
    )
      continue;
    problems.push(`${path}.statutory_until: expected ${as_of} or later, got ${statutory_until}`);
  }
}

/** Adds a problem if more of a batch is sold and retired than was issued. */
export function refuseOverdrawn({ path, value, bad, retirements }: BatchRow, problems: string[]): void {
  if (bad.has("quantity") || bad.has("sold")) return;
  const quantities = retirements
    .filter((row) => !row.bad.has("quantity"))
    .map((row) => BigInt(row.value.quantity));
  const retired = quantities.reduce((total, one) => total + one, 0n);
  const taken = retired + BigInt(value.sold ?? 0);
  if (taken <= BigInt(value.quantity)) return;
  problems.push(
    `${path}.quantity: expected at least ${taken} (sold ${value.sold ?? 0}, retired ${retired}), got ${value.quantity}`,
  );
}
