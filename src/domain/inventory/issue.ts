import type { Json } from "../texts/canonical-json.js";
import { snakeCase } from "../texts/snake-case.js";
import { createGap } from "./gaps.js";
import type { ConsolidationApproach, EnergyInstrumentKind, Inventory, InventoryGap } from "./inventory.js";

export type IssueBasis = "reported" | "restated";

/** Reasons for restating an inventory. */
export const RESTATEMENT_REASONS = [
  "acquisition",
  "divestment",
  "outsourcing",
  "insourcing",
  "method",
  "factor",
  "error",
  "boundary",
] as const;
export type RestatementReason = (typeof RESTATEMENT_REASONS)[number];

/** Boundary of an issued inventory. */
export interface IssueBoundary {
  readonly approach: ConsolidationApproach;
  /** Number of entities with a share above 0 in a month of the year. */
  readonly entities: number;
  /** Number of facilities with records within the boundary. */
  readonly facilities: number;
}

/** Entity with the consolidation shares of its facilities, each from a month on. */
export interface IssuedEntity {
  readonly code: string;
  readonly name: string;
  readonly parent: string | null;
  readonly shares: readonly { readonly from: string; readonly share: string }[];
}

/** Claim as an issue prints it. */
export interface IssuedClaim {
  readonly kind: EnergyInstrumentKind;
  readonly reference: string;
  readonly registry: string | null;
  readonly certificateNumber: string | null;
  readonly cancelledOn: string | null;
  readonly cancellation: string | null;
  readonly facility: string;
  readonly mwhExact: string | null;
  /** Reason for claiming energy generated outside the year. */
  readonly reason: string | null;
}

/** Publication of factors that the records use. */
export interface IssuedPublication {
  readonly source: string;
  readonly year: number;
  readonly recordCount: number;
}

/** Content of an issue. */
export interface Issued {
  readonly organization: { readonly id: string; readonly name: string; readonly slug: string };
  readonly issue: number;
  readonly basis: IssueBasis;
  readonly reasons: readonly RestatementReason[];
  readonly note: string | null;
  readonly inventory: Inventory;
  /** Gaps found only when issuing. */
  readonly gaps: readonly InventoryGap[];
  readonly boundary: IssueBoundary;
  readonly entities: readonly IssuedEntity[];
  readonly claims: readonly IssuedClaim[];
  readonly publications: readonly IssuedPublication[];
}

/** Returns the statement of an issue, with the keys of REST. Amounts and percentages are strings. */
export function createIssueStatement({ inventory, ...issued }: Issued): Readonly<Record<string, Json>> {
  const { policy } = inventory;
  return {
    basis: issued.basis,
    boundary: withRestKeys(issued.boundary),
    claims: withRestKeys(issued.claims),
    completeness: withRestKeys(inventory.completeness),
    entities: withRestKeys(issued.entities),
    gaps: withRestKeys([...inventory.gaps, ...issued.gaps]),
    holdings_as_of: inventory.holdingsAsOf?.slice(0, 7) ?? null,
    issue: issued.issue,
    ledger_co2e_tonnes: inventory.ledgerCo2eTonnesExact,
    lines: withRestKeys(inventory.lines),
    note: issued.note,
    organization: withRestKeys(issued.organization),
    period: withRestKeys(inventory.period),
    policy: withRestKeys({ approach: policy.approach, fromYear: policy.fromYear, scopes: policy.scopes }),
    publications: withRestKeys(issued.publications),
    reasons: withRestKeys(issued.reasons),
    scope_2: withRestKeys(inventory.scope2),
    scopes: withRestKeys(inventory.scopes),
    total: withRestKeys(inventory.total),
    uncertainty: withRestKeys(inventory.uncertainty),
    unmapped: withRestKeys(inventory.unmapped),
    year: inventory.year,
  };
}

const KEYS = new Map<string, string>();

/** Returns the REST key of a property. Cached, because a statement repeats a few names many times. */
function keyOf(name: string): string {
  const known = KEYS.get(name);
  if (known !== undefined) return known;
  const key = snakeCase(name.replace(/Exact$/, "")).replace(/percent$/, "pct");
  KEYS.set(name, key);
  return key;
}

/** Converts a value to the keys of REST. Only whole numbers stay numbers. */
function withRestKeys(value: unknown): Json {
  if (Array.isArray(value)) return value.map(withRestKeys);
  if (typeof value !== "object" || value === null) return value as Json;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const key = keyOf(name);
      return [key, key.endsWith("pct") && part !== null ? String(part) : withRestKeys(part)];
    }),
  );
}

/** Returns the gaps that the records' factors reveal. Expects `isLifeCycle` to be true only for scope 2. */
export function findFactorGaps(
  factors: readonly { readonly source: string; readonly gas: string; readonly isLifeCycle: boolean }[],
): InventoryGap[] {
  const sourcesOf = (matches: (factor: (typeof factors)[number]) => boolean) =>
    [...new Set(factors.filter(matches).map(({ source }) => source))].join("; ");
  const gaps: InventoryGap[] = [];
  const lifeCycle = sourcesOf(({ isLifeCycle }) => isLifeCycle);
  if (lifeCycle !== "") {
    const message = `Scope 2 uses life-cycle factors (${lifeCycle}). They include emissions upstream of generation, which belong to the line fuel_and_energy of scope 3.`;
    gaps.push(createGap("LIFE_CYCLE_FACTOR", message, { line: "purchased_electricity", scope: "scope_2" }));
  }
  const co2Only = sourcesOf(({ gas }) => gas === "CO2");
  if (co2Only !== "") {
    const message = `Factors count only CO2, without methane and nitrous oxide: ${co2Only}.`;
    gaps.push(createGap("CO2_ONLY", message));
  }
  return gaps;
}
