import type { SqlSession } from "./types.js";

/** What became of the rows of one section. */
export interface Counts {
  readonly added: number;
  readonly updated: number;
  /** They were there already, just so. */
  readonly unchanged: number;
}

/** A table, and how a row of it is recognised and compared. */
export interface UpsertTarget {
  readonly table: string;
  /** The columns that are written, and their PostgreSQL types. */
  readonly columns: Readonly<Record<string, string>>;
  /** Columns or expressions of the unique index that says whether a row is there already. */
  readonly key: readonly string[];
  /** Columns of which a difference makes an update. Without any, rows are only added. */
  readonly compared: readonly string[];
  /** Columns that an update sets too, though a difference in them alone makes none. */
  readonly touched?: readonly string[];
}

const CHUNK = 5_000;

/** Two statements, of which either tells how many rows it wrote. (Partitioned tables have no `xmax` to tell them by.) */
function statements({ table, columns, key, compared, touched = [] }: UpsertTarget) {
  const names = Object.keys(columns);
  const list = (of: readonly string[], prefix: string) => of.map((name) => prefix + name).join(", ");
  const insert = `INSERT INTO ${table} AS t (${list(names, "")})
    SELECT ${list(names, "r.")}
    FROM jsonb_to_recordset($1::text::jsonb) AS r(${names.map((name) => `${name} ${columns[name]}`).join(", ")})
    ON CONFLICT (${list(key, "")})`;
  return {
    add: `${insert} DO NOTHING`,
    update: `${insert} DO UPDATE SET ${[...compared, ...touched].map((name) => `${name} = EXCLUDED.${name}`).join(", ")}
      WHERE (${list(compared, "t.")}) IS DISTINCT FROM (${list(compared, "EXCLUDED.")})`,
  };
}

/**
 * Adds the rows that are new and updates those that differ, 5,000 at a time. Rows are objects with the target's
 * columns as keys; an absent one is null. No two rows may have the same key.
 */
export async function upsert(
  sql: SqlSession,
  target: UpsertTarget,
  rows: readonly object[],
): Promise<Counts> {
  const { add, update } = statements(target);
  let [added, updated] = [0, 0];
  for (let from = 0; from < rows.length; from += CHUNK) {
    const chunk = rows.slice(from, from + CHUNK);
    const json = JSON.stringify(chunk);
    const inserted = await sql.execute(add, [json]);
    added += inserted;
    if (target.compared.length > 0 && inserted < chunk.length) updated += await sql.execute(update, [json]);
  }
  return { added, updated, unchanged: rows.length - added - updated };
}

/** The counts of two disjoint lots of rows together. */
export function addCounts(a: Counts, b: Counts): Counts {
  return {
    added: a.added + b.added,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
  };
}

export const ORGANIZATIONS: UpsertTarget = {
  table: "organizations",
  columns: { slug: "text", name: "text" },
  key: ["slug"],
  compared: ["name"],
};

export const FACILITIES: UpsertTarget = {
  table: "facilities",
  columns: { organization_id: "uuid", code: "text", name: "text", country: "text" },
  key: ["organization_id", "code"],
  compared: ["name", "country"],
};

export const RECORDS: UpsertTarget = {
  table: "emission_records",
  columns: {
    id: "uuid",
    organization_id: "uuid",
    reference: "text",
    recorded_on: "date",
    scope: "emission_scope",
    co2e_tonnes: "numeric",
    facility_id: "uuid",
    category: "text",
    source: "text",
  },
  key: ["organization_id", "id"],
  compared: ["recorded_on", "scope", "co2e_tonnes", "facility_id", "category", "source"],
};

export const FRAMEWORKS: UpsertTarget = {
  table: "compliance_statuses",
  columns: {
    organization_id: "uuid",
    framework: "framework",
    status: "framework_status",
    last_updated: "timestamptz",
  },
  key: ["organization_id", "framework"],
  compared: ["status", "last_updated"],
};

export const DEADLINES: UpsertTarget = {
  table: "compliance_deadlines",
  columns: {
    organization_id: "uuid",
    framework: "framework",
    title: "text",
    due_date: "date",
    status: "text",
  },
  key: ["organization_id", "due_date", "framework", "text_digest(title)"],
  compared: ["status"],
};

export const BATCHES: UpsertTarget = {
  table: "credit_batches",
  columns: {
    organization_id: "uuid",
    reference: "text",
    credit_type: "text",
    vintage: "integer",
    quantity: "bigint",
  },
  key: ["organization_id", "reference"],
  compared: ["credit_type", "vintage", "quantity"],
};

export const SALES: UpsertTarget = {
  table: "credit_sales",
  columns: { organization_id: "uuid", batch_id: "uuid", reference: "text", quantity: "bigint" },
  key: ["organization_id", "batch_id", "reference"],
  compared: ["quantity"],
};

export const RETIREMENTS: UpsertTarget = {
  table: "credit_retirements",
  columns: {
    organization_id: "uuid",
    batch_id: "uuid",
    reference: "text",
    quantity: "bigint",
    retired_on: "date",
    beneficiary: "text",
  },
  key: ["organization_id", "reference"],
  compared: ["batch_id", "quantity", "retired_on", "beneficiary"],
};

/** What a price is compared by where nothing says when it was recorded. */
export const PRICE_VALUES = [
  "price",
  "currency",
  "change_pct_24h",
  "price_type",
  "source",
  "source_url",
] as const;

export const PRICES: UpsertTarget = {
  table: "market_prices",
  columns: {
    organization_id: "uuid",
    credit_type: "text",
    exchange: "text",
    as_of: "date",
    price: "numeric",
    currency: "text",
    change_pct_24h: "numeric",
    price_type: "price_type",
    source: "text",
    source_url: "text",
    recorded_at: "timestamptz",
  },
  key: ["organization_id", "credit_type", "exchange", "as_of"],
  compared: [...PRICE_VALUES, "recorded_at"],
};

export const BENCHMARKS: UpsertTarget = {
  table: "benchmarks",
  columns: {
    sector: "text",
    intensity: "numeric",
    unit: "text",
    region: "text",
    period: "text",
    source: "text",
    source_url: "text",
    source_year: "integer",
  },
  key: ["sector", "unit", "text_digest(source)", "source_year"],
  compared: ["intensity", "region", "period", "source_url"],
};
