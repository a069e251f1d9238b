import { randomUUID } from "node:crypto";
import { hashKey } from "../../../src/access/secrets/api-key.js";
import { hashPassword } from "../../../src/access/secrets/password.js";
import { generateToken } from "../../../src/access/secrets/token.js";
import { type Bench, inTurn, medianOf, medianRatio } from "../bench.js";
import { callsOfKeys, graphqlCall, mixedCalls, SMALL_QUERY } from "../calls.js";
import { type Call, loadFor, type Round } from "../load.js";
import { type Latencies, paceFor } from "../paced.js";
import type { Server } from "../server-process.js";

const PASSWORD = "a long enough passphrase";

export interface Person {
  readonly email: string;
  readonly token: string;
}

/** Adds ten owners to each tenant, each with a session. */
export async function fillPeople({ tenants, sql }: Pick<Bench, "tenants" | "sql">): Promise<Person[]> {
  const passwordHash = await hashPassword(PASSWORD);
  const people = tenants.flatMap(({ id }) =>
    Array.from({ length: 10 }, () => {
      const userId = randomUUID();
      return { organizationId: id, userId, email: `${userId}@example.org`, token: generateToken("session") };
    }),
  );
  const rows = JSON.stringify(people.map((one) => ({ ...one, hash: hashKey(one.token, undefined) })));
  await sql.query("BEGIN");
  for (const statement of [
    `INSERT INTO users (id, email, name, password_hash) SELECT "userId", email, 'Bench', '${passwordHash}' FROM person`,
    `INSERT INTO memberships (organization_id, user_id, role) SELECT "organizationId", "userId", 'owner' FROM person`,
    `INSERT INTO sessions (user_id, organization_id, kind, token_hash, token_expires_at, authenticated_at, last_used_at, expires_at)
     SELECT "userId", "organizationId", 'token', hash, now() + interval '1 day', now(), now(), now() + interval '1 day' FROM person`,
  ]) {
    const columns = `"organizationId" uuid, "userId" uuid, email text, hash text`;
    await sql.query(`WITH person AS (SELECT * FROM jsonb_to_recordset($1) AS p (${columns})) ${statement}`, [
      rows,
    ]);
  }
  await sql.query("COMMIT");
  return people;
}

/** Returns a call with a user's session instead of a key. */
export const asPerson = (call: Call, { token }: Person): Call => {
  const { "X-API-Key": _, ...headers } = call.headers;
  return { ...call, headers: { ...headers, Authorization: `Bearer ${token}` } };
};

/** Compares requests with sessions and with keys, and measures sign-ins and audited changes. */
export async function people(bench: Bench): Promise<void> {
  const owners = await fillPeople(bench);
  await bench.withServers(["gateway"], async ({ gateway }) => {
    await compareSessions(bench, gateway, owners);
    await signIn(bench, gateway, owners);
    await beginSignIn(bench, gateway);
  });
  await bench.withServers(["gateway", "fastify"], async ({ gateway, fastify }) => {
    await compareChanges(bench, [gateway, fastify], owners);
  });
}

const rate = ({ requestsPerSecond }: Round) => requestsPerSecond;

/** Compares one operation with a session and with a key, in turns. */
async function compareSessions(bench: Bench, gateway: Server, owners: readonly Person[]): Promise<void> {
  const name = "a small operation with a session, unchanged";
  bench.say(name);
  const withKeys = callsOfKeys(bench.tenants, (key) => graphqlCall(SMALL_QUERY, key));
  const withSessions = withKeys.map((call, index) => asPerson(call, owners[index % owners.length] as Person));
  await bench.warmUp([gateway], [...withKeys, ...withSessions]);
  const rounds = new Map<readonly Call[], Round[]>([
    [withSessions, []],
    [withKeys, []],
  ]);
  for (let round = 0; round < bench.rounds; round += 1) {
    for (const [calls, found] of inTurn([...rounds], round)) {
      await bench.forgetLimits();
      found.push(await loadFor(gateway, calls, bench.seconds));
    }
  }
  const [sessions = [], keys = []] = [...rounds.values()];
  bench.report({
    case: name,
    against: "the same with a key",
    target: { atLeast: 0.9 },
    measured: medianRatio(sessions, keys, (a, b) => rate(a) / rate(b)),
    byCpu: medianRatio(sessions, keys, (a, b) => b.cpuPerRequest / a.cpuPerRequest),
    gateway: `${Math.round(medianOf(sessions, rate))}/s`,
    other: `${Math.round(medianOf(keys, rate))}/s`,
    figures: { sessions, keys },
  });
}

/** Calls a second to the REST endpoints while users sign in: a tenth of full load. */
const CALLS_PER_SECOND = 1_000;

/** Measures sign-ins at full speed, and their effect on the slowest calls of others. */
async function signIn(bench: Bench, gateway: Server, owners: readonly Person[]): Promise<void> {
  const name = "sign-ins, two hashes at once";
  bench.say(name);
  const signIns = owners.map(
    ({ email }): Call => ({
      method: "POST",
      path: "/v1/auth/login",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email, password: PASSWORD }),
    }),
  );
  const calls = mixedCalls(bench.tenants);
  const pace = async () => {
    await bench.forgetLimits();
    return paceFor(gateway, calls, { perSecond: CALLS_PER_SECOND, seconds: bench.seconds });
  };
  const [alone, meanwhile, rounds]: [Latencies[], Latencies[], Round[]] = [[], [], []];
  await pace();
  for (let round = 0; round < bench.rounds; round += 1) {
    alone.push(await pace());
    const [latencies, load] = await Promise.all([pace(), loadFor(gateway, signIns, bench.seconds, 8)]);
    meanwhile.push(latencies);
    rounds.push(load);
  }
  const p99 = ({ p99 }: Latencies) => p99;
  bench.report({
    case: `p99 of REST calls during ${name}`,
    against: "the same without",
    target: { atMost: 2 },
    measured: medianRatio(meanwhile, alone, (a, b) => a.p99 / b.p99),
    gateway: `${medianOf(rounds, rate).toFixed(1)} sign-ins/s, p99 ${medianOf(meanwhile, p99).toFixed(2)} ms`,
    other: `p99 ${medianOf(alone, p99).toFixed(2)} ms`,
    figures: { alone, meanwhile, signIns: rounds },
  });
}

/** Measures the latency of the first step of a sign-in, at a tenth of full load. */
async function beginSignIn(bench: Bench, gateway: Server): Promise<void> {
  const name = "POST /v1/auth/start, p99";
  bench.say(name);
  const { id } = bench.tenants[0] ?? {};
  await bench.sql.query(
    `INSERT INTO domains (organization_id, domain, token, proven_at, checked_at, created_at)
     VALUES ($1, 'bench.example', repeat('7Qm2', 8), now(), now(), now())`,
    [id],
  );
  await bench.sql.query(
    `INSERT INTO sso_connections (organization_id, issuer, client_id, default_role, missing_email_verified, second_factor, enabled_at)
     VALUES ($1, 'https://provider.example', 'bench', 'viewer', 'refuse', 'provider', now())`,
    [id],
  );
  const calls = Array.from(
    { length: 1_000 },
    (_, index): Call => ({
      method: "POST",
      path: "/v1/auth/start",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: `person-${index}@${index % 2 ? "bench" : `other-${index}`}.example` }),
    }),
  );
  const rounds: Latencies[] = [];
  for (let round = 0; round <= bench.rounds; round += 1) {
    const found = await paceFor(gateway, calls, { perSecond: CALLS_PER_SECOND, seconds: bench.seconds });
    if (round > 0) rounds.push(found);
  }
  const p99 = medianOf(rounds, ({ p99 }) => p99);
  bench.report({
    case: name,
    against: "",
    target: { atMost: 5 },
    unit: "ms",
    measured: p99,
    gateway: `${CALLS_PER_SECOND}/s, p50 ${medianOf(rounds, ({ p50 }) => p50).toFixed(2)} ms`,
    figures: rounds,
  });
}

/** Compares invitations, each with its audit entry, with the same two INSERTs by hand. */
async function compareChanges(bench: Bench, servers: readonly [Server, Server], owners: readonly Person[]) {
  const name = "a change with its entry in the audit trail";
  bench.say(name);
  // Inviting needs a recent password.
  await bench.sql.query("UPDATE sessions SET authenticated_at = now()");
  let made = 0;
  const callsFor = (): Call[] =>
    Array.from({ length: 4_000 }, (_, index) => {
      const { token } = owners[(index * 10) % owners.length] as Person;
      made += 1;
      return {
        method: "POST",
        path: "/v1/invitations",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
        body: JSON.stringify({ email: `invited-${made}@example.org`, role: "viewer" }),
      };
    });
  const found = new Map<Server, Round[]>(servers.map((server) => [server, []]));
  for (let round = 0; round <= bench.rounds; round += 1) {
    for (const server of inTurn(servers, round)) {
      await bench.forgetLimits();
      const load = await loadFor(server, callsFor(), bench.seconds);
      if (round > 0) found.get(server)?.push(load);
    }
  }
  const [own = [], others = []] = [...found.values()];
  bench.report({
    case: name,
    against: "fastify",
    target: { atLeast: 0.5 },
    measured: medianRatio(own, others, (a, b) => rate(a) / rate(b)),
    byCpu: medianRatio(own, others, (a, b) => b.cpuPerRequest / a.cpuPerRequest),
    gateway: `${Math.round(medianOf(own, rate))}/s`,
    other: `${Math.round(medianOf(others, rate))}/s`,
    figures: { gateway: own, other: others },
  });
}
