import type { Bundle, BundlePrice } from "../../domain/bundle.js";
import type { RecordContent } from "../../domain/emissions/records.js";
import { MAX_FACILITIES } from "../../domain/emissions/records.js";
import { defaultRegion, PRICE_UNIT } from "../../domain/market/regions.js";
import type { SqlSession } from "../database/types.js";
import { addCounts, type Counts, upsert } from "../database/upsert.js";
import { createRecordIdentity } from "../emissions/record-identity.js";
import { hasTooManyFacilities } from "../facilities/write-facilities.js";
import { findOrganizationId, listFacilityIds, lockOrganization } from "../organizations/organizations.js";
import { listOverdrawn, listOversizedTotal, loadCredits, readCredits } from "./load-credits.js";
import {
  BENCHMARKS,
  DEADLINES,
  FACILITIES,
  FRAMEWORKS,
  ORGANIZATIONS,
  PRICE_VALUES,
  PRICES,
  RECORD_CONTENT,
  RECORDS,
} from "./targets.js";

/** Counts by section, for sections with rows. An organization counts as one row. */
export type LoadSummary = Partial<Record<keyof Bundle | "retirements", Counts>>;

/** Error for a bundle that cannot be loaded. Each problem is a line that starts with the path of the value. */
export class BundleError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "BundleError";
    this.problems = problems;
  }
}

/** Lists a problem for each record whose facility is neither in the bundle nor stored for the organization. */
export async function listUnknownFacilities(sql: SqlSession, bundle: Bundle): Promise<string[]> {
  const codes = new Set(bundle.facilities.map(({ code }) => code));
  const asked = bundle.emission_records.flatMap(({ facility }) =>
    facility === undefined || codes.has(facility) ? [] : [facility],
  );
  if (asked.length === 0 || bundle.organization?.slug === undefined) return [];
  const stored = await sql.query<{ code: string }>(
    `SELECT f.code FROM facilities f JOIN organizations o ON o.id = f.organization_id
     WHERE o.slug = $1 AND f.code IN (SELECT jsonb_array_elements_text($2::text::jsonb))`,
    [bundle.organization.slug, JSON.stringify([...new Set(asked)])],
  );
  for (const { code } of stored) codes.add(code);
  return bundle.emission_records.flatMap(({ facility }, index) =>
    facility === undefined || codes.has(facility)
      ? []
      : [
          `emission_records[${index}].facility: expected the code of a facility of the bundle or the database, got ${JSON.stringify(facility.slice(0, 60))}`,
        ],
  );
}

async function loadRecords(
  sql: SqlSession,
  owner: string,
  records: readonly RecordContent[],
): Promise<Counts> {
  const ids = await listFacilityIds(sql, owner);
  const identify = createRecordIdentity(owner);
  const rows = records.map((record) => ({
    ...record,
    organization_id: owner,
    id: identify(record),
    facility_id: record.facility === undefined ? null : ids.get(record.facility),
  }));
  const named = rows.filter(({ reference }) => reference !== undefined);
  const nameless = rows.filter(({ reference }) => reference === undefined);
  return addCounts(
    await upsert(sql, RECORDS, named, RECORD_CONTENT),
    await upsert(sql, RECORDS, nameless, ["deleted_at"]),
  );
}

async function loadPrices(
  sql: SqlSession,
  owner: string | null,
  prices: readonly BundlePrice[],
  now: Date,
): Promise<Counts> {
  const rows = prices.map((price) => ({
    ...price,
    organization_id: owner,
    price_type: price.price_type ?? "reference",
    region: price.region ?? defaultRegion(price.credit_type),
    unit: price.unit ?? PRICE_UNIT,
    recorded_at: price.updated_at ?? now.toISOString(),
  }));
  const timed = rows.filter(({ updated_at }) => updated_at !== undefined);
  const timeless = rows.filter(({ updated_at }) => updated_at === undefined);
  return addCounts(await upsert(sql, PRICES, timed), await upsert(sql, PRICES, timeless, PRICE_VALUES));
}

async function loadOrganization(
  sql: SqlSession,
  organization: NonNullable<Bundle["organization"]>,
): Promise<{ owner: string; counts: Counts }> {
  const counts = await upsert(sql, ORGANIZATIONS, [organization]);
  const owner = await findOrganizationId(sql, organization.slug);
  if (owner === undefined) {
    throw new Error(`The organization ${organization.slug} was deleted while it was being loaded.`);
  }
  return { owner, counts };
}

/**
 * Loads a bundle: adds its rows or updates them by natural key, and does not touch others. Loading it again changes
 * nothing. `now` is the time given to prices that have none. Throws BundleError for an unknown facility, an overdrawn
 * batch or too many credits in total; the transaction must then be rolled back.
 */
export async function loadBundle(sql: SqlSession, bundle: Bundle, now: Date): Promise<LoadSummary> {
  await lockOrganization(sql, bundle.organization?.slug);
  const summary: LoadSummary = {};
  let owner: string | null = null;
  if (bundle.organization) {
    const { owner: id, counts } = await loadOrganization(sql, bundle.organization);
    owner = id;
    summary.organization = counts;
    const owned = <Row extends object>(rows: readonly Row[]) =>
      rows.map((row) => ({ ...row, organization_id: id }));
    const credits = await readCredits(sql, id, bundle.credit_batches);
    const problems = [
      ...(await listUnknownFacilities(sql, bundle)),
      ...listOverdrawn(bundle.credit_batches, credits),
      ...(await listOversizedTotal(sql, id, bundle.credit_batches)),
    ];
    if (problems.length > 0) throw new BundleError(problems);

    summary.facilities = await upsert(sql, FACILITIES, owned(bundle.facilities));
    summary.emission_records = await loadRecords(sql, id, bundle.emission_records);
    summary.frameworks = await upsert(sql, FRAMEWORKS, owned(bundle.frameworks));
    summary.deadlines = await upsert(sql, DEADLINES, owned(bundle.deadlines));
    Object.assign(summary, await loadCredits(sql, id, bundle.credit_batches, credits));
    if (summary.facilities.added > 0 && (await hasTooManyFacilities(sql, id)))
      throw new BundleError([`facilities: expected at most ${MAX_FACILITIES} in an organization`]);
  }
  summary.market_prices = await loadPrices(sql, owner, bundle.market_prices, now);
  summary.benchmarks = await upsert(sql, BENCHMARKS, bundle.benchmarks);
  return withRows(summary);
}

function withRows(summary: LoadSummary): LoadSummary {
  const entries = Object.entries(summary);
  return Object.fromEntries(
    entries.filter(([, { added, updated, unchanged }]) => added + updated + unchanged > 0),
  );
}
