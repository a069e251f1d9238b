import type { EmissionScope } from "../enums.js";
import type { IssueBasis, IssueBoundary } from "../inventory/issue.js";
import { canonicalJson } from "../texts/canonical-json.js";
import type { DateRange, IsoDate } from "../window.js";
import type { AssuranceLevel, Opinion } from "./states.js";

/** Emissions of a scope in tCO2e, as a plain decimal without redundant zeros. */
export interface ScopeTotal {
  readonly scope: EmissionScope;
  readonly co2eTonnes: string;
}

/** The person who decided and the organization they accepted the request for, by their names on the day of issue. */
export interface CertifiedVerifier {
  readonly name: string;
  readonly organization: string;
}

/** A certificate's statement about an issued inventory. */
export interface CertifiedInventory {
  readonly year: number;
  readonly issue: number;
  readonly basis: IssueBasis;
  readonly digest: string;
  readonly boundary: IssueBoundary;
  /** Null if unknown. */
  readonly scope2MarketBasedCo2eTonnes: string | null;
}

/** Content of a certificate; amounts are plain decimals without redundant zeros. */
export interface Certified {
  readonly number: string;
  /** `name` is the name on the day of issue. */
  readonly organization: { readonly id: string; readonly name: string; readonly slug: string };
  readonly verifier: CertifiedVerifier;
  readonly issuedOn: IsoDate;
  readonly period: DateRange;
  readonly level: AssuranceLevel;
  readonly materialityPercent: string;
  readonly opinion: Opinion;
  readonly recordCount: number;
  readonly totals: readonly ScopeTotal[];
  readonly totalCo2eTonnes: string;
  readonly snapshotDigest: string;
  /** Omitted or null if no inventory was verified. */
  readonly inventory?: CertifiedInventory | null;
}

const stateInventory = ({ boundary, ...inventory }: CertifiedInventory) => ({
  boundary: { approach: boundary.approach, entities: boundary.entities, facilities: boundary.facilities },
  inventory: {
    basis: inventory.basis,
    digest: inventory.digest,
    issue: inventory.issue,
    year: inventory.year,
  },
  scope_2_market_based_co2e_tonnes: inventory.scope2MarketBasedCo2eTonnes,
});

/** Writes the text of a certificate to sign: canonical JSON of format 2. */
export const writeStatement = ({
  organization,
  verifier,
  period,
  inventory,
  ...certified
}: Certified): string =>
  canonicalJson({
    ...(inventory && stateInventory(inventory)),
    certificate_number: certified.number,
    format: 2,
    issued_on: certified.issuedOn,
    level: certified.level,
    materiality_pct: certified.materialityPercent,
    opinion: certified.opinion,
    organization: { id: organization.id, name: organization.name, slug: organization.slug },
    period: { from: period.from, to: period.to },
    record_count: certified.recordCount,
    scopes: certified.totals.map(({ scope, co2eTonnes }) => ({ co2e_tonnes: co2eTonnes, scope })),
    snapshot_digest: certified.snapshotDigest,
    total_co2e_tonnes: certified.totalCo2eTonnes,
    verifier: { name: verifier.name, organization: verifier.organization },
  });

/** Parts that statements of both formats have. */
interface CommonContent {
  readonly level: AssuranceLevel;
  readonly materiality_pct: string;
  readonly opinion: Opinion;
  readonly period: DateRange;
  readonly record_count: number;
  readonly scopes: readonly { readonly scope: EmissionScope; readonly co2e_tonnes: string }[];
  readonly total_co2e_tonnes: string;
}

/**
 * In the first format, `organization` is a slug, and the only optional part is `boundary`, an approach. Format 2 has
 * `verifier` and `issued_on`, and the other optional parts if an inventory was verified.
 */
interface SignedStatement extends CommonContent {
  readonly boundary?: "operational_control" | IssueBoundary;
  readonly inventory?: Omit<CertifiedInventory, "boundary" | "scope2MarketBasedCo2eTonnes">;
  readonly scope_2_market_based_co2e_tonnes?: string | null;
  readonly organization: string | Certified["organization"];
  readonly verifier?: CertifiedVerifier;
  readonly issued_on?: IsoDate;
}

/** Content of a signed statement. Parts that it lacks are null. */
export interface StatementContent extends CommonContent {
  readonly boundary: "operational_control" | IssueBoundary | null;
  readonly inventory: NonNullable<SignedStatement["inventory"]> | null;
  readonly scope_2_market_based_co2e_tonnes: string | null;
  /** Name on the day of issue; the slug in the first format. */
  readonly organization: string;
  readonly verifier: CertifiedVerifier | null;
  readonly issued_on: IsoDate | null;
}

/** Parses a statement signed by this gateway. */
export function readStatement(text: string): StatementContent {
  const { organization, ...signed }: SignedStatement = JSON.parse(text);
  return {
    ...signed,
    organization: typeof organization === "string" ? organization : organization.name,
    boundary: signed.boundary ?? null,
    inventory: signed.inventory ?? null,
    scope_2_market_based_co2e_tonnes: signed.scope_2_market_based_co2e_tonnes ?? null,
    verifier: signed.verifier ?? null,
    issued_on: signed.issued_on ?? null,
  };
}
