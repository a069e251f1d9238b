import type { EmissionScope, Framework, FrameworkStatus, PriceType } from "../domain/enums.js";
import type { IsoDate } from "../domain/window.js";
import type { Database, SqlSession } from "./database.js";
import { lockOrganization } from "./organizations.js";
import { createRecordIdentity } from "./record-identity.js";
import {
  addCounts,
  BATCHES,
  BENCHMARKS,
  type Counts,
  DEADLINES,
  FACILITIES,
  FRAMEWORKS,
  ORGANIZATIONS,
  PRICE_VALUES,
  PRICES,
  RECORDS,
  RETIREMENTS,
  SALES,
  upsert,
} from "./upsert.js";

/** A validated bundle. Amounts are plain decimals as text, quantities safe integers, times ISO 8601 in UTC. */
export interface Bundle {
  readonly organization: { readonly slug: string; readonly name: string } | undefined;
  readonly facilities: readonly { readonly code: string; readonly name: string; readonly country: string }[];
  readonly emission_records: readonly BundleRecord[];
  readonly frameworks: readonly {
    readonly framework: Framework;
    readonly status: FrameworkStatus;
    readonly last_updated: string;
  }[];
  readonly deadlines: readonly {
    readonly framework: Framework;
    readonly title: string;
    readonly due_date: IsoDate;
    readonly status: string;
  }[];
  readonly credit_batches: readonly BundleBatch[];
  readonly market_prices: readonly BundlePrice[];
  readonly benchmarks: readonly {
    readonly sector: string;
    readonly intensity?: string | undefined;
    readonly unit?: string | undefined;
    readonly region?: string | undefined;
    readonly period?: string | undefined;
    readonly source?: string | undefined;
    readonly source_url?: string | undefined;
    readonly source_year?: number | undefined;
  }[];
}

export interface BundleRecord {
  readonly reference?: string | undefined;
  readonly recorded_on: IsoDate;
  readonly scope: EmissionScope;
  readonly co2e_tonnes: string;
  /** Code of a facility of the bundle or of the database. */
  readonly facility?: string | undefined;
  readonly category?: string | undefined;
  readonly source?: string | undefined;
}

export interface BundleBatch {
  readonly reference: string;
  readonly credit_type: string;
  readonly quantity: number;
  readonly vintage?: number | undefined;
  /** All that is sold by the bundle's account: 0 takes an earlier sale back, absent leaves it. */
  readonly sold?: number | undefined;
  readonly retirements: readonly BundleRetirement[];
}

export interface BundleRetirement {
  readonly reference: string;
  readonly quantity: number;
  readonly retired_on: IsoDate;
  readonly beneficiary?: string | undefined;
}

export interface BundlePrice {
  readonly credit_type: string;
  readonly exchange: string;
  readonly price: string;
  readonly currency: string;
  readonly change_pct_24h?: string | undefined;
  readonly price_type?: PriceType | undefined;
  readonly source: string;
  readonly source_url?: string | undefined;
  readonly as_of?: IsoDate | undefined;
  readonly updated_at?: string | undefined;
}

/** What became of each section that has rows. An organization counts as a row. */
export type LoadSummary = Partial<
  Record<Exclude<keyof Bundle, "organization"> | "organization" | "retirements", Counts>
>;

/** A bundle that cannot be loaded, and why: each problem is one line that starts with its path. */
export class BundleError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "BundleError";
    this.problems = problems;
  }
}

/** One problem for each record whose facility neither the bundle nor its organization in the database has. */
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
  records: readonly BundleRecord[],
): Promise<Counts> {
  const facilities = await sql.query<{ code: string; id: string }>(
    "SELECT code, id FROM facilities WHERE organization_id = $1::uuid",
    [owner],
  );
  const ids = new Map(facilities.map(({ code, id }) => [code, id]));
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
    await upsert(sql, RECORDS, named),
    await upsert(sql, { ...RECORDS, compared: [] }, nameless),
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
    recorded_at: price.updated_at ?? now.toISOString(),
  }));
  const timed = rows.filter(({ updated_at }) => updated_at !== undefined);
  const timeless = rows.filter(({ updated_at }) => updated_at === undefined);
  return addCounts(
    await upsert(sql, PRICES, timed),
    await upsert(sql, { ...PRICES, compared: PRICE_VALUES, touched: ["recorded_at"] }, timeless),
  );
}

interface StoredBatch {
  id: string;
  reference: string;
  credit_type: string;
  vintage: number | null;
  quantity: bigint;
  sold: bigint;
  retired: bigint;
  /** Of `sold`, what bundles said. */
  bundled: bigint;
}

interface StoredRetirement {
  reference: string;
  batch_id: string;
  quantity: bigint;
}

interface StoredCredits {
  readonly batches: ReadonlyMap<string, StoredBatch>;
  readonly retirements: ReadonlyMap<string, StoredRetirement>;
}

/** What the database has of the batches and retirements of a bundle; the batches stay locked until the end. */
async function readCredits(
  sql: SqlSession,
  owner: string,
  given: readonly BundleBatch[],
): Promise<StoredCredits> {
  const named = [owner, JSON.stringify(given.map(({ reference }) => reference))];
  const among =
    "organization_id = $1::uuid AND reference IN (SELECT jsonb_array_elements_text($2::text::jsonb))";
  // The lock comes in a statement of its own: the next one sees what those that held it have committed.
  await sql.query(`SELECT id FROM credit_batches WHERE ${among} ORDER BY id FOR UPDATE`, named);
  const batches = await sql.query<Record<keyof StoredBatch, string> & { vintage: number | null }>(
    `SELECT id, reference, credit_type, vintage, quantity::text, sold::text, retired::text,
       COALESCE((SELECT s.quantity FROM credit_sales s
         WHERE s.organization_id = b.organization_id AND s.batch_id = b.id AND s.reference = 'bundle'), 0)::text AS bundled
     FROM credit_batches b WHERE ${among}`,
    named,
  );
  const references = given.flatMap(({ retirements }) => retirements.map(({ reference }) => reference));
  const retirements = await sql.query<Record<keyof StoredRetirement, string>>(
    `SELECT reference, batch_id, quantity::text FROM credit_retirements WHERE ${among}`,
    [owner, JSON.stringify(references)],
  );
  return {
    batches: new Map(
      batches.map((row) => [
        row.reference,
        {
          ...row,
          quantity: BigInt(row.quantity),
          sold: BigInt(row.sold),
          retired: BigInt(row.retired),
          bundled: BigInt(row.bundled),
        },
      ]),
    ),
    retirements: new Map(
      retirements.map((row) => [row.reference, { ...row, quantity: BigInt(row.quantity) }]),
    ),
  };
}

/** One problem for each batch of which more would be sold and retired than issued, with what the database has. */
function listOverdrawn(given: readonly BundleBatch[], stored: StoredCredits): string[] {
  const replaced = new Map<string, bigint>();
  for (const { reference } of given.flatMap(({ retirements }) => retirements)) {
    const before = stored.retirements.get(reference);
    if (before) replaced.set(before.batch_id, (replaced.get(before.batch_id) ?? 0n) + before.quantity);
  }
  return given.flatMap((batch, index) => {
    const before = stored.batches.get(batch.reference);
    if (!before) return [];
    const sold = before.sold + (batch.sold === undefined ? 0n : BigInt(batch.sold) - before.bundled);
    const retired = batch.retirements.reduce(
      (sum, { quantity }) => sum + BigInt(quantity),
      before.retired - (replaced.get(before.id) ?? 0n),
    );
    if (sold + retired <= BigInt(batch.quantity)) return [];
    return [
      `credit_batches[${index}].quantity: expected at least ${sold + retired} for ${JSON.stringify(batch.reference)} (sold ${sold}, retired ${retired}, with what the database has already), got ${batch.quantity}`,
    ];
  });
}

/**
 * Loads batches, what is sold of them and their retirements. The database checks every batch at every step, so all that
 * frees credits comes before all that takes them: greater quantities, then less taken, then more, then smaller quantities.
 */
async function loadCredits(
  sql: SqlSession,
  owner: string,
  given: readonly BundleBatch[],
  stored: StoredCredits,
): Promise<{ credit_batches: Counts; retirements: Counts }> {
  const rows = given.map(({ reference, credit_type, vintage, quantity }) => ({
    organization_id: owner,
    reference,
    credit_type,
    vintage,
    quantity,
  }));
  const widest = rows.map((row) => {
    const before = stored.batches.get(row.reference)?.quantity ?? 0n;
    return { ...row, quantity: before > BigInt(row.quantity) ? String(before) : row.quantity };
  });
  await upsert(sql, BATCHES, widest);
  const ids = (await readCredits(sql, owner, given)).batches;

  const sales = given.flatMap(({ reference, sold }) =>
    sold === undefined
      ? []
      : [
          {
            organization_id: owner,
            batch_id: ids.get(reference)?.id,
            reference: "bundle",
            quantity: sold,
            before: stored.batches.get(reference)?.bundled ?? 0n,
          },
        ],
  );
  const retirements = given.flatMap((batch) =>
    batch.retirements.map((row) => {
      const batchId = ids.get(batch.reference)?.id;
      const before = stored.retirements.get(row.reference);
      const moved = before !== undefined && before.batch_id !== batchId;
      return { ...row, organization_id: owner, batch_id: batchId, moved, before: before?.quantity ?? 0n };
    }),
  );
  const moved = retirements.filter((row) => row.moved);
  const among = "IN (SELECT jsonb_array_elements_text($2::text::jsonb))";
  await sql.query(
    `DELETE FROM credit_sales WHERE organization_id = $1::uuid AND reference = 'bundle' AND batch_id::text ${among}`,
    [owner, JSON.stringify(sales.filter((row) => row.quantity === 0).map((row) => row.batch_id))],
  );
  // A retirement that goes to another batch is taken out first and comes back below.
  await sql.query(`DELETE FROM credit_retirements WHERE organization_id = $1::uuid AND reference ${among}`, [
    owner,
    JSON.stringify(moved.map((row) => row.reference)),
  ]);
  const plain = ({ before: _, ...row }: (typeof sales)[number] | (typeof retirements)[number]) => row;
  const kept = sales.filter((row) => row.quantity > 0);
  await upsert(sql, SALES, kept.filter((row) => BigInt(row.quantity) < row.before).map(plain));
  const less = retirements.filter((row) => !row.moved && BigInt(row.quantity) < row.before);
  await upsert(sql, RETIREMENTS, less.map(plain));
  await upsert(sql, SALES, kept.map(plain));
  const rest = await upsert(sql, RETIREMENTS, retirements.map(plain));
  await upsert(sql, BATCHES, rows);

  const added = given.filter(({ reference }) => !stored.batches.has(reference)).length;
  const updated = given.filter((batch) => {
    const before = stored.batches.get(batch.reference);
    return (
      before !== undefined &&
      (before.credit_type !== batch.credit_type ||
        before.vintage !== (batch.vintage ?? null) ||
        before.quantity !== BigInt(batch.quantity) ||
        (batch.sold !== undefined && before.bundled !== BigInt(batch.sold)))
    );
  }).length;
  return {
    credit_batches: { added, updated, unchanged: given.length - added - updated },
    retirements: {
      added: rest.added - moved.length,
      updated: rest.updated + moved.length + less.length,
      unchanged: rest.unchanged - less.length,
    },
  };
}

async function loadOrganization(
  sql: SqlSession,
  organization: NonNullable<Bundle["organization"]>,
): Promise<{ owner: string; counts: Counts }> {
  const counts = await upsert(sql, ORGANIZATIONS, [organization]);
  const [row] = await sql.query<{ id: string }>("SELECT id FROM organizations WHERE slug = $1", [
    organization.slug,
  ]);
  if (!row) throw new Error(`The organization ${organization.slug} vanished while it was being loaded.`);
  return { owner: row.id, counts };
}

/**
 * Loads a bundle in one transaction, all or nothing: what has a natural key is updated by it, what is absent is left
 * alone, and a second time changes nothing. `now` is the time of prices that have none. Throws BundleError for what only
 * the database can tell: an unknown facility, or more sold and retired of a batch than it holds.
 */
export async function loadBundle(database: Database, bundle: Bundle, now: Date): Promise<LoadSummary> {
  return database.transaction(async (sql) => {
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
      ];
      if (problems.length > 0) throw new BundleError(problems);

      summary.facilities = await upsert(sql, FACILITIES, owned(bundle.facilities));
      summary.emission_records = await loadRecords(sql, id, bundle.emission_records);
      summary.frameworks = await upsert(sql, FRAMEWORKS, owned(bundle.frameworks));
      summary.deadlines = await upsert(sql, DEADLINES, owned(bundle.deadlines));
      Object.assign(summary, await loadCredits(sql, id, bundle.credit_batches, credits));
    }
    summary.market_prices = await loadPrices(sql, owner, bundle.market_prices, now);
    summary.benchmarks = await upsert(sql, BENCHMARKS, bundle.benchmarks);
    return withRows(summary);
  });
}

function withRows(summary: LoadSummary): LoadSummary {
  const entries = Object.entries(summary);
  return Object.fromEntries(
    entries.filter(([, { added, updated, unchanged }]) => added + updated + unchanged > 0),
  );
}
