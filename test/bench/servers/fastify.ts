// The five endpoints written by hand: Fastify, prepared statements, no cache.
import { createHash, randomBytes } from "node:crypto";
import pg from "pg";
import { isoDate, lastTwelveMonths } from "../../../src/domain/window.js";
import { createAdmission, Refusal, requireScope, requireVariable, type StoredKey } from "./admission.js";
import { createWeb, listen } from "./web.js";

const pool = new pg.Pool({ connectionString: requireVariable("DATABASE_URL"), max: 10 });

/** Returns a prepared statement as a function from values to rows. */
function prepare<Row extends pg.QueryResultRow>(name: string, text: string) {
  return async (...values: unknown[]): Promise<Row[]> => (await pool.query<Row>({ name, text, values })).rows;
}

const findKey = prepare<StoredKey & pg.QueryResultRow>(
  "find key",
  `SELECT id, organization_id AS "organizationId", tier, scopes, expires_at AS "expiresAt", revoked_at AS "revokedAt"
   FROM api_keys WHERE hash = $1`,
);
const admit = createAdmission(requireVariable("REDIS_URL"), async (hash) => (await findKey(hash))[0] ?? null);

type Read = (organizationId: string, now: Date) => Promise<unknown>;

const sumEmissions = prepare<{
  total: string | null;
  record_count: string;
  latest_record: string | null;
  scope_1: string | null;
  scope_2: string | null;
  scope_3: string | null;
}>(
  "sum emissions",
  `SELECT sum(co2e_tonnes) AS total, count(*) AS record_count, max(recorded_on)::text AS latest_record,
     sum(co2e_tonnes) FILTER (WHERE scope = 'scope_1') AS scope_1,
     sum(co2e_tonnes) FILTER (WHERE scope = 'scope_2') AS scope_2,
     sum(co2e_tonnes) FILTER (WHERE scope = 'scope_3') AS scope_3
   FROM emission_records WHERE organization_id = $1 AND recorded_on BETWEEN $2 AND $3`,
);

const readEmissions: Read = async (organizationId, now) => {
  const { from, to } = lastTwelveMonths(now);
  const [row] = await sumEmissions(organizationId, from, to);
  return {
    period: "last_12_months",
    total_co2e_tonnes: Number(row?.total),
    record_count: Number(row?.record_count),
    latest_record: row?.latest_record ?? null,
    scope_breakdown: (["scope_1", "scope_2", "scope_3"] as const).map((scope) => ({
      scope,
      co2e_tonnes: Number(row?.[scope]),
    })),
  };
};

const listFrameworks = prepare<{ framework: string; status: string; last_updated: Date }>(
  "list frameworks",
  "SELECT framework, status, last_updated FROM compliance_statuses WHERE organization_id = $1 ORDER BY framework",
);
const listDeadlines = prepare(
  "list deadlines",
  `SELECT framework, title, due_date::text AS due_date, status FROM compliance_deadlines
   WHERE organization_id = $1 AND due_date >= $2 ORDER BY compliance_deadlines.due_date, framework, title LIMIT 10`,
);

const readCompliance: Read = async (organizationId, now) => {
  const [frameworks, deadlines] = await Promise.all([
    listFrameworks(organizationId),
    listDeadlines(organizationId, isoDate(now)),
  ]);
  return { frameworks, upcoming_deadlines: deadlines };
};

const sumCredits = prepare<{
  credit_type: string;
  available: string;
  batches: string;
  retired: string;
}>(
  "sum credits",
  `SELECT credit_type, sum(available) AS available, count(*) FILTER (WHERE available > 0) AS batches,
     sum(retired) AS retired
   FROM credit_batches WHERE organization_id = $1 GROUP BY credit_type ORDER BY credit_type`,
);
const countRetirements = prepare<{ count: string }>(
  "count retirements",
  "SELECT count(*) AS count FROM credit_retirements WHERE organization_id = $1",
);

const readCredits: Read = async (organizationId) => {
  const [types, [retirements]] = await Promise.all([
    sumCredits(organizationId),
    countRetirements(organizationId),
  ]);
  const total = (name: "available" | "batches" | "retired") =>
    types.reduce((sum, type) => sum + Number(type[name]), 0);
  return {
    available_credits: total("available"),
    available_count: total("batches"),
    retired_credits: total("retired"),
    retired_count: Number(retirements?.count),
    by_type: types
      .map(({ credit_type, available }) => ({ credit_type, quantity: Number(available) }))
      .filter(({ quantity }) => quantity > 0),
  };
};

const listBenchmarks = prepare<{ intensity: string | null }>(
  "list benchmarks",
  `SELECT sector, intensity, unit, source, source_url, source_year FROM benchmarks
   WHERE source IS NOT NULL AND source_url IS NOT NULL AND source_year IS NOT NULL
   ORDER BY sector, source_year DESC, unit, source`,
);

const readBenchmarks: Read = async () => {
  const rows = await listBenchmarks();
  return {
    benchmarks: rows.map((row) => ({
      ...row,
      intensity: row.intensity === null ? null : Number(row.intensity),
    })),
    message: rows.length === 0 ? "No sector benchmark with a cited source" : null,
  };
};

const listPrices = prepare<{ price: string; change_pct_24h: string | null }>(
  "list prices",
  `SELECT DISTINCT ON (credit_type, exchange) credit_type, exchange, price, currency, change_pct_24h, price_type,
     source, source_url, as_of::text AS as_of, recorded_at AS updated_at
   FROM market_prices WHERE organization_id = $1 OR organization_id IS NULL
   ORDER BY credit_type, exchange, market_prices.as_of DESC NULLS LAST, recorded_at DESC, id`,
);
const findLiveFeed = prepare(
  "find live feed",
  "SELECT FROM exchange_feeds WHERE last_reported_at >= now() - interval '5 minutes' LIMIT 1",
);

const readMarket: Read = async (organizationId) => {
  const [prices, feeds] = await Promise.all([listPrices(organizationId), findLiveFeed()]);
  return {
    prices: prices.map((row) => ({
      ...row,
      price: Number(row.price),
      change_pct_24h: row.change_pct_24h === null ? null : Number(row.change_pct_24h),
    })),
    live_feed_connected: feeds.length > 0,
    message: prices.length === 0 ? "No live exchange feed connected" : null,
  };
};

const ENDPOINTS: Readonly<Record<string, Read>> = {
  emissions: readEmissions,
  compliance: readCompliance,
  credits: readCredits,
  benchmarks: readBenchmarks,
  market: readMarket,
};

const web = createWeb();
for (const [name, read] of Object.entries(ENDPOINTS)) {
  web.get(`/ext/v1/${name}`, async (request, reply) => {
    const now = new Date();
    const { key, headers } = await admit(request.headers["x-api-key"]);
    reply.headers(headers);
    requireScope(key, `read:${name}`);
    const data = await read(key.organizationId, now);
    const meta = { request_id: request.id, timestamp: now.toISOString(), version: "1.0" };
    return { success: true, data, error: null, meta };
  });
}
/** Treats a session as a key of the tier enterprise. */
const findSession = prepare<StoredKey & { userId: string } & pg.QueryResultRow>(
  "find session",
  `SELECT s.user_id AS id, s.user_id AS "userId", s.organization_id AS "organizationId", 'enterprise' AS tier,
     ARRAY[m.role::text] AS scopes, s.expires_at AS "expiresAt", s.revoked_at AS "revokedAt"
   FROM sessions AS s JOIN memberships AS m USING (organization_id, user_id) WHERE s.token_hash = $1`,
);
const admitPerson = createAdmission(
  requireVariable("REDIS_URL"),
  async (hash) => (await findSession(hash))[0] ?? null,
);

interface InvitationBody {
  readonly email: string;
  readonly role: string;
}

// By hand: two INSERTs in one transaction, into tables without triggers; the trail is not a chain.
await pool.query("CREATE TABLE IF NOT EXISTS bench_invitations (LIKE invitations INCLUDING ALL)");
await pool.query(
  "CREATE TABLE IF NOT EXISTS bench_trail (id bigserial PRIMARY KEY, at timestamptz, entry jsonb)",
);
web.post<{ Body: InvitationBody }>("/v1/invitations", async (request, reply) => {
  const now = new Date();
  const { key, headers } = await admitPerson(request.headers.authorization?.slice("Bearer ".length));
  reply.headers(headers).code(201);
  requireScope(key, "owner");
  const { email, role } = request.body;
  const token = randomBytes(32).toString("base64url");
  const expiresAt = new Date(now.getTime() + 7 * 86_400_000);
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query({
      name: "add invitation",
      text: `INSERT INTO bench_invitations (organization_id, email, role, token_hash, invited_by, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
      values: [
        key.organizationId,
        email,
        role,
        createHash("sha256").update(token).digest("hex"),
        key.id,
        expiresAt,
      ],
    });
    const entry = { action: "invitation.created", actor: key.id, target: rows[0]?.id, changes: { role } };
    await client.query({
      name: "add entry",
      text: "INSERT INTO bench_trail (at, entry) VALUES ($1, $2)",
      values: [now, JSON.stringify(entry)],
    });
    await client.query("COMMIT");
    const meta = { request_id: request.id, timestamp: now.toISOString(), version: "1.0" };
    return {
      success: true,
      data: { id: rows[0]?.id, email, role, link: `#invitation=${token}` },
      error: null,
      meta,
    };
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
});

interface RecordBody {
  readonly recorded_on: string;
  readonly scope: string;
  readonly co2e_tonnes: number;
  readonly category: string;
}

// By hand: a record, its day's sum, an entry and a message in one transaction, into tables without triggers.
await pool.query("CREATE TABLE IF NOT EXISTS bench_records (LIKE emission_records INCLUDING ALL)");
await pool.query(
  `CREATE TABLE IF NOT EXISTS bench_days (organization_id uuid, recorded_on date, scope text, co2e_tonnes numeric, records bigint,
     PRIMARY KEY (organization_id, recorded_on, scope))`,
);
web.post<{ Body: RecordBody }>("/v1/emissions/records", async (request, reply) => {
  const now = new Date();
  const { key, headers } = await admitPerson(request.headers.authorization?.slice("Bearer ".length));
  reply.headers(headers).code(201);
  requireScope(key, "owner");
  const { recorded_on, scope, co2e_tonnes, category } = request.body;
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query({
      name: "add record",
      text: `INSERT INTO bench_records (organization_id, recorded_on, scope, co2e_tonnes, category, created_by)
             VALUES ($1, $2, $3, $4, $5, $6) RETURNING id, version, created_at`,
      values: [key.organizationId, recorded_on, scope, co2e_tonnes, category, key.id],
    });
    await client.query({
      name: "add to day",
      text: `INSERT INTO bench_days AS d VALUES ($1, $2, $3, $4, 1) ON CONFLICT (organization_id, recorded_on, scope)
             DO UPDATE SET co2e_tonnes = d.co2e_tonnes + EXCLUDED.co2e_tonnes, records = d.records + 1`,
      values: [key.organizationId, recorded_on, scope, co2e_tonnes],
    });
    const changes = { recorded_on, scope, co2e_tonnes, category };
    const entry = { action: "emission_record.created", actor: key.id, target: rows[0]?.id, changes };
    await client.query({
      name: "add entry",
      text: "INSERT INTO bench_trail (at, entry) VALUES ($1, $2)",
      values: [now, JSON.stringify(entry)],
    });
    await client.query({
      name: "announce",
      text: "SELECT pg_notify('bench_changes', $1)",
      values: [`emission_records ${key.organizationId}`],
    });
    await client.query("COMMIT");
    const meta = { request_id: request.id, timestamp: now.toISOString(), version: "1.0" };
    return { success: true, data: { ...rows[0], ...changes, created_by: key.id }, error: null, meta };
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
});

web.setErrorHandler((error, request, reply) => {
  const { statusCode, code, message } =
    error instanceof Refusal ? error : new Refusal(500, "INTERNAL_ERROR", "Internal error.");
  if (statusCode === 500) request.log.error(error);
  const meta = { request_id: request.id, timestamp: new Date().toISOString(), version: "1.0" };
  reply.code(statusCode).send({ success: false, data: null, error: { code, message }, meta });
});
await listen(web);
process.once("SIGTERM", () => process.exit(0));
