import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { Redis } from "ioredis";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { describeExamination, examine } from "../../src/commands/doctor/doctor.js";
import { SERVING_WRITES } from "../../src/data/database/schema/serving-role.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { type CommandDatabase, makeCommandDatabase } from "../support/command-database.js";
import { openTestDatabase } from "../support/database.js";
import { addBatch, addRecord, addSale } from "../support/fixtures.js";
import { temporaryFolder } from "../support/process.js";
import { createRedisServer } from "../support/redis-server.js";
import { redisUrl } from "../support/redis-url.js";
import { runCommand } from "../support/run-command.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { startTcpProxy } from "../support/tcp-proxy.js";
import { use, useDatabase } from "../support/use.js";

const services = inject("template").kind === "postgres";
const clock = () => new Date();
/** A test whose statements are the same on every database. */
const onServer = it.skipIf(!services);

/** Returns the findings of a check, each as a status and a message. */
async function find(check: string, env: Record<string, string | undefined>, now = clock) {
  const { checks } = await examine(env, now);
  return checks
    .filter((finding) => finding.check === check)
    .map(({ status, message }) => [status, message] as const);
}

/** Creates a database for one test. */
async function ownDatabase() {
  const own = await makeCommandDatabase();
  onTestFinished(() => own.close());
  return {
    ...own,
    run: (sql: string) => own.use((database) => database.transaction(({ script }) => script(sql))),
    find: (check: string) => find(check, own.env),
  };
}

describe("gateway doctor", () => {
  let commands: CommandDatabase;
  beforeAll(async () => {
    commands = await makeCommandDatabase();
    await commands.use(async (database) => {
      const slug = await makeOrganization(database);
      await makeKey(database, slug);
      await addRecord(database, slug, { category: "fuel" });
    });
  });
  afterAll(() => commands.close());

  it("finds no failures in a healthy setup, as text and as JSON", async () => {
    const text = await runCommand(["doctor"], { env: commands.env });
    expect([text.code, text.stderr]).toEqual([0, ""]);
    expect(text.stdout).toMatch(
      /^ok {7}version {2,}This is version .*\.\nok {7}configuration {2,}All variables are valid\.\n/,
    );
    const json = await runCommand(["doctor", "--json"], { env: commands.env });
    expect([json.code, json.stderr]).toEqual([0, ""]);
    const { failures, checks } = JSON.parse(json.stdout);
    expect(failures).toBe(0);
    const names = (list: { check: string }[]) => [...new Set(list.map(({ check }) => check))];
    const server = ["database", "database version", "clocks", "database role"];
    expect(names(checks)).toEqual([
      "version",
      "configuration",
      "production",
      "temporary files",
      ...(services ? server : ["data folder", "database"]),
      "migrations",
      "change notifications",
      "writing role",
      "emission factors",
      "triggers",
      "sums",
      "credit balances",
      "old rows",
    ]);
    for (const { status, message, mend } of checks) {
      expect(status).toEqual(expect.stringMatching(/^(ok|warning)$/));
      expect(message).toEqual(expect.stringMatching(/\.$/));
      expect(mend).toEqual(status === "ok" ? null : expect.stringMatching(/\S/));
    }
  });

  it("changes nothing", async () => {
    const read = () =>
      commands.use(async ({ prisma }) => [
        await prisma.apiKey.findMany(),
        await prisma.keyEvent.findMany({ orderBy: { id: "asc" } }),
        await prisma.emissionDay.findMany({ orderBy: { id: "asc" } }),
        await prisma.$queryRaw`SELECT * FROM "_prisma_migrations" ORDER BY migration_name`,
      ]);
    const before = await read();
    await examine(commands.env, clock);
    expect(await read()).toEqual(before);
  });

  it("lists every problem of the environment without values, and checks the rest anyway", async () => {
    const env = {
      ...commands.env,
      PORT: "hunter1",
      KEY_PEPPER: "hunter2",
      GRAPHQL_ONLY_TRUSTED: "true",
      METRICS_PORT: "-1",
    };
    const { code, stdout, stderr } = await runCommand(["doctor"], { env });
    expect([code, stderr]).toEqual([1, ""]);
    for (const text of [
      "PORT must be a port, 0 to 65535.",
      "METRICS_PORT must be a port, 0 to 65535.",
      "KEY_PEPPER must be a secret of at least 16 characters.",
      "GRAPHQL_TRUSTED_DOCUMENTS must be set if GRAPHQL_ONLY_TRUSTED is true.",
    ]) {
      expect(stdout).toMatch(new RegExp(`^failure  configuration +${text.replaceAll(".", "\\.")}$`, "m"));
    }
    expect(stdout).toMatch(/^ok {7}migrations/m);
    expect(stdout).not.toContain("hunter");
    expect(stdout).toMatch(/\n4 failures, \d warnings?\.\n$/);
  });

  it.each([
    [{ PORT: "abc", METRICS_PORT: "4000" }, "PORT must be a port, 0 to 65535."],
    [
      { DATABASE_URL: "mysql://x", DATABASE_DIRECT_URL: "postgresql://127.0.0.1/x" },
      "DATABASE_URL must be a postgresql:// URL.",
    ],
  ])("reports a problem, and no others that follow from it: %o", async (env, text) => {
    expect(await find("configuration", { DATA_DIR: temporaryFolder(), ...env })).toEqual([["failure", text]]);
  });

  it.each([
    ["DATABASE_URL_FILE", "/nowhere"],
    ["DATABSE_URL", "postgresql://127.0.0.1/x"],
  ])("blames %s alone for a missing database", async (name, value) => {
    const env = { NODE_ENV: "production", [name]: value, KEY_PEPPER: "sixteen letters!" };
    const { checks } = await examine(env, clock);
    const bad = checks.filter(({ status }) => status !== "ok");
    expect(bad.map(({ check, mend }) => [check, mend])).toEqual([
      ["configuration", `Correct or unset ${name}. docs/operations.md lists all variables.`],
      ["production", "Set REDIS_URL if you run several processes."],
    ]);
  });

  onServer("checks the file of trusted documents", async () => {
    const file = join(temporaryFolder(), "documents.json");
    writeFileSync(file, JSON.stringify({ a: "{ nonsense }" }));
    const env = { ...commands.env, GRAPHQL_TRUSTED_DOCUMENTS: file };
    expect(await find("configuration", env)).toEqual([
      ["failure", expect.stringMatching(/^The trusted document a does not fit the schema: /)],
    ]);
    writeFileSync(file, JSON.stringify({ a: "{ organization { name } }" }));
    expect(await find("configuration", env)).toEqual([["ok", "All variables are valid."]]);
  });

  const VALID = "All variables are valid.";
  const networks = "10.0.0.7/32,127.0.0.0/8,fd00::/8,10.0.0.0/7,169.254.0.0/16";
  it.each([
    [{}, "ok", VALID],
    [{ HOST: "0.0.0.0", PUBLIC_URL: "https://carbon.example.com" }, "ok", VALID],
    [{ PUBLIC_URL: "http://localhost:4000" }, "ok", VALID],
    [{ HOST: "0.0.0.0" }, "warning", "PUBLIC_URL is not set, but HOST allows other machines to connect"],
    [{ SMTP_URL: "smtp://a", MAIL_FROM: "a@b.example" }, "warning", "SMTP_URL is set, but PUBLIC_URL is not"],
    [
      { WEBHOOK_ALLOW_NETWORKS: "10.20.0.0/16" },
      "warning",
      "every organization's webhooks call 10.20.0.0/16.",
    ],
    [{ OIDC_ALLOW_NETWORKS: networks }, "warning", "nor loopback: 10.0.0.0/7, 169.254.0.0/16."],
    [{ PUBLIC_URL: "http://carbon.example.com" }, "warning", "PUBLIC_URL starts with http://"],
  ])("checks PUBLIC_URL and the allowed networks: %o", async (env, status, text) => {
    const DATA_DIR = join(temporaryFolder(), "none");
    expect(await find("configuration", { DATA_DIR, ...env })).toEqual([
      [status, expect.stringContaining(text)],
    ]);
  });

  onServer("warns about what is open in production, and only there", async () => {
    const open = { NODE_ENV: "production", GRAPHQL_SANDBOX: "true", GRAPHQL_INTROSPECTION: "true" };
    const DATA_DIR = join(temporaryFolder(), "none");
    expect(
      (await find("production", { ...open, DATA_DIR })).map(([status, text]) => [
        status,
        text.split(/ (is|are) /)[0],
      ]),
    ).toEqual([
      ["warning", "KEY_PEPPER"],
      ["warning", "Apollo Sandbox and /graphiql"],
      ["warning", "Introspection"],
      ["warning", "The database"],
      ["warning", "REDIS_URL"],
    ]);
    const closed = {
      NODE_ENV: "production",
      KEY_PEPPER: "sixteen letters!",
      DATABASE_URL: "postgresql://127.0.0.1:1/x",
      REDIS_URL: "redis://127.0.0.1:1",
    };
    expect(await find("production", closed)).toEqual([
      ["ok", "NODE_ENV is production, and all settings are as recommended."],
    ]);
    const { NODE_ENV: _, ...development } = closed;
    expect(await find("production", development)).toEqual([
      ["warning", expect.stringContaining("DATABASE_URL is set, but NODE_ENV is not production")],
    ]);
    expect(await find("production", { DATA_DIR })).toEqual([["ok", expect.any(String)]]);
  });

  onServer("finds sums that differ from each other, or from the newest records", async () => {
    const own = await ownDatabase();
    const sums = () => own.find("sums");
    const slug = await own.use(async (database) => {
      const made = await makeOrganization(database);
      for (const recordedOn of ["2026-01-01", "2026-11-01"]) await addRecord(database, made, { recordedOn });
      return made;
    });
    const differs = [["failure", `In one organization, the sums differ from the emission records: ${slug}.`]];
    expect((await sums())[0]?.[0]).toBe("ok");
    await own.run(
      "UPDATE emission_days SET co2e_tonnes = 7 WHERE grain = 'day' AND recorded_on = '2026-01-01'",
    );
    expect(await sums()).toEqual(differs);
    await own.run("UPDATE emission_days SET co2e_tonnes = 1 WHERE grain = 'day'");
    expect((await sums())[0]?.[0]).toBe("ok");
    const [january, november] = ["2026-01-01", "2026-11-01"];
    const moveMonths = (from: string, to: string) =>
      own.run(
        `UPDATE emission_days SET recorded_on = '${to}' WHERE grain = 'month' AND recorded_on = '${from}'`,
      );
    await moveMonths(november, january);
    expect(await sums()).toEqual(differs);
    await own.run(`UPDATE emission_days SET recorded_on = '${november}' WHERE id IN (
      SELECT max(id) FROM emission_days WHERE grain = 'month')`);
    expect((await sums())[0]?.[0]).toBe("ok");
    await own.run("UPDATE emission_days SET record_count = 5 WHERE recorded_on = '2026-11-01'");
    expect(await sums()).toEqual(differs);
    const other = await own.use(async (database) => {
      const made = await makeOrganization(database);
      await addRecord(database, made, { recordedOn: "2026-11-01" });
      return made;
    });
    await own.run("UPDATE emission_days SET record_count = 5");
    const both = [slug, other].toSorted().join(", ");
    expect(await sums()).toEqual([
      ["failure", `In 2 organizations, the sums differ from the emission records: ${both}.`],
    ]);
  });

  onServer("finds nothing wrong with sums that cancel each other out", async () => {
    const own = await ownDatabase();
    // Left by two concurrent transactions that each delete one of two records of the same day, but of different facilities.
    await own.use(async (database) => {
      await makeOrganization(database);
      await database.transaction(({ script }) =>
        script(`
          INSERT INTO emission_days (organization_id, grain, recorded_on, part, scope, co2e_tonnes, record_count)
          SELECT id, 'day', '2026-01-01', '', 'scope_1', tonnes, records
          FROM organizations, (VALUES (5, 1), (-5, -1)) AS sums (tonnes, records)`),
      );
    });
    expect((await own.find("sums"))[0]?.[0]).toBe("ok");
  });

  onServer("finds disabled triggers, wrong balances, and rows that violate a newer check", async () => {
    const own = await ownDatabase();
    const slug = await own.use(async (database) => {
      const made = await makeOrganization(database);
      await addSale(database, await addBatch(database, made, { quantity: 10 }), { quantity: 4 });
      return made;
    });
    const found = async () => [
      ...(await own.find("triggers")),
      ...(await own.find("credit balances")),
      ...(await own.find("old rows")),
    ];
    expect((await found()).map(([status]) => status)).toEqual(["ok", "ok", "ok"]);
    await own.run(`
      ALTER TABLE credit_sales DISABLE TRIGGER credit_sales_move;
      UPDATE credit_sales SET quantity = 5;
      ALTER TABLE organizations DROP CONSTRAINT organizations_name_length;
      UPDATE organizations SET name = repeat('x', 201);
      ALTER TABLE organizations ADD CONSTRAINT organizations_name_length CHECK (char_length(name) <= 200) NOT VALID`);
    expect(await found()).toEqual([
      ["failure", "Triggers of credit_sales are disabled: credit_sales_move."],
      ["failure", `In one organization, the balances differ from the sales and retirements: ${slug}.`],
      [
        "warning",
        "Some rows violate a newer constraint and cannot be updated: 1 of organizations (organizations_name_length).",
      ],
    ]);
  });

  onServer("reports that no emission factors are loaded", async () => {
    const own = await ownDatabase();
    expect(await own.find("emission factors")).toEqual([
      ["warning", "No emission factors are loaded, so activities cannot be calculated."],
    ]);
    await own.use((database) => loadFactors(database, REFERENCE_FOLDER));
    expect(await own.find("emission factors")).toEqual([
      ["ok", "The emission factors that come with the gateway are loaded."],
    ]);
  });

  onServer("finds missing rights and policies of the writing role, and excess rights", async () => {
    const own = await ownDatabase();
    const found = () => own.find("writing role");
    expect(await found()).toEqual([
      ["ok", "gateway_writer has the rights and policies that it should have."],
    ]);
    await own.run(`
      REVOKE UPDATE (role) ON memberships FROM gateway_writer;
      REVOKE SELECT ON users FROM gateway_writer;
      GRANT UPDATE (is_super_admin) ON users TO gateway_writer;
      GRANT DELETE ON sessions TO PUBLIC;
      DROP POLICY own_delete ON memberships;
      ALTER TABLE sessions DISABLE ROW LEVEL SECURITY`);
    expect(await found()).toEqual([
      ["failure", "gateway_writer lacks rights: SELECT ON users; UPDATE (role) ON memberships."],
      [
        "failure",
        "gateway_writer has rights that it should not have: DELETE ON sessions; UPDATE (is_super_admin) ON users.",
      ],
      ["failure", expect.stringMatching(/^The policies of memberships, sessions are missing or disabled, /)],
    ]);
  });

  onServer("names missing migrations, and those of a later version", async () => {
    const own = await ownDatabase();
    await own.run(`UPDATE "_prisma_migrations" SET migration_name = '99990101000000_later'
               WHERE migration_name LIKE '%key_events'`);
    expect(await own.find("migrations")).toEqual([["failure", "Not applied: 20261121120000_key_events."]]);
    expect(await own.find("sums")).toEqual([]);
    await own.run(`INSERT INTO "_prisma_migrations" (id, checksum, finished_at, migration_name)
               SELECT '2', checksum, now(), '20261121120000_key_events' FROM "_prisma_migrations"
               WHERE migration_name LIKE '%later'`);
    expect(await own.find("migrations")).toEqual([
      ["warning", "Applied by a later version of the gateway: 99990101000000_later."],
    ]);
  });
});

describe("gateway doctor, on the folder of an embedded database", () => {
  const folder = (DATA_DIR: string) => find("data folder", { DATA_DIR });

  it("reports that it will be created, and does not create it", async () => {
    const path = temporaryFolder();
    const inside = join(path, "a", "b");
    expect(await folder(inside)).toEqual([
      ["ok", `DATA_DIR (${inside}) does not exist yet; the first start creates it.`],
    ]);
    expect(await folder(path)).toEqual([
      ["ok", `DATA_DIR (${path}) is writable and contains no database yet.`],
    ]);
    expect(readdirSync(path)).toEqual([]);
  });

  it("reports what blocks it", async () => {
    const path = temporaryFolder();
    const file = join(path, "file");
    writeFileSync(file, "");
    expect(await folder(file)).toEqual([["failure", `DATA_DIR (${file}) is not a folder.`]]);
    expect(await folder(join(file, "below"))).toEqual([
      ["failure", `DATA_DIR (${join(file, "below")}) cannot be written: ${file} is not a folder.`],
    ]);
    mkdirSync(join(path, "broken", "postgres"), { recursive: true });
    writeFileSync(join(path, "broken", "postgres", "PG_VERSION"), "9\n");
    const { failures } = await examine({ DATA_DIR: join(path, "broken") }, clock);
    expect(failures).toBe(1);
  });

  it.skipIf(services)("leaves a folder in use alone, and names its process", async () => {
    const commands = await makeCommandDatabase();
    onTestFinished(() => commands.close());
    await commands.use(async () => {
      const { code, stdout } = await runCommand(["doctor"], { env: commands.env });
      expect(code).toBe(0);
      expect(stdout).toMatch(
        new RegExp(`^warning {2}data folder .* is in use by pid ${process.pid} on `, "m"),
      );
      expect(stdout).not.toContain("migrations");
    });
    expect((await folder("DATA_DIR" in commands.env ? commands.env.DATA_DIR : ""))[0]?.[0]).toBe("ok");
  });
});

/** Starts a proxy to PostgreSQL that drops every LISTEN, like a pooler that switches connections between transactions. */
async function startForgetfulPooler(url: URL): Promise<string> {
  const server = createServer((inner) => {
    const outer = connect(Number(url.port || 5432), url.hostname);
    inner.on("data", (chunk) =>
      outer.write(Buffer.from(chunk.toString("latin1").replace("LISTEN ", "RESET  "), "latin1")),
    );
    outer.pipe(inner);
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      socket.on("error", () => undefined).on("close", () => other.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const through = new URL(url);
  [through.hostname, through.port] = ["127.0.0.1", String((server.address() as AddressInfo).port)];
  return through.href;
}

describe.skipIf(!services)("gateway doctor, on PostgreSQL", () => {
  let url: URL;
  const database = useDatabase();
  beforeAll(async () => {
    url = new URL(database.url ?? "");
  });
  const off = (seconds: number) => () => new Date(Date.now() + seconds * 1_000);

  it("detects an unavailable or hanging server and a wrong password, and shows no secret", async () => {
    const away = { DATABASE_URL: "postgresql://me:s3cr%21t@127.0.0.1:1/x" };
    expect(await find("database", away)).toEqual([["failure", expect.stringContaining("ECONNREFUSED")]]);
    const proxy = await startTcpProxy(url);
    proxy.hang();
    onTestFinished(() => proxy.close());
    const through = new URL(url);
    [through.port, through.password] = [String(proxy.port), "s3cr%21t"];
    const examination = await examine({ DATABASE_URL: through.href }, clock);
    expect(examination.failures).toBe(1);
    expect(describeExamination(examination)).not.toMatch(/s3cr(%21|!)t/);
  });

  it("detects that NOTIFY is not delivered, as behind a transaction pooler", async () => {
    expect(await find("change notifications", { DATABASE_URL: url.href })).toEqual([
      ["ok", "NOTIFY messages arrive."],
    ]);
    const pooled = await startForgetfulPooler(url);
    expect(await find("change notifications", { DATABASE_URL: pooled })).toEqual([
      ["failure", expect.stringContaining("NOTIFY messages do not arrive")],
    ]);
  });

  it("reports what is wrong with DATABASE_DIRECT_URL", async () => {
    const check = (direct: URL) =>
      find("direct connection", { DATABASE_URL: url.href, DATABASE_DIRECT_URL: direct.href });
    expect(await check(url)).toEqual([["ok", "DATABASE_DIRECT_URL points to the same database."]]);
    const [elsewhere, nobody] = [new URL(url), new URL(url)];
    elsewhere.pathname = "/postgres";
    nobody.username = "nobody_of_that_name";
    expect(await check(elsewhere)).toEqual([
      [
        "failure",
        `DATABASE_DIRECT_URL points to a different database (postgres) than DATABASE_URL (${url.pathname.slice(1)}).`,
      ],
    ]);
    expect(await check(nobody)).toEqual([
      ["failure", expect.stringMatching(/^Cannot connect to DATABASE_DIRECT_URL: .*nobody_of_that_name/)],
    ]);
  });

  it("detects settings behind a pooler that break the reading of values", async () => {
    const check = (options: string) => {
      const pooled = new URL(url);
      pooled.searchParams.set("options", options);
      return find("session settings", { DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: url.href });
    };
    expect(await check("")).toEqual([["ok", "DateStyle is ISO, MDY, and extra_float_digits is 1."]]);
    expect(await check("-c DateStyle=German")).toEqual([
      ["failure", "DateStyle is German, DMY, and extra_float_digits is 1."],
    ]);
    expect(await check("-c extra_float_digits=0")).toEqual([
      ["failure", "DateStyle is ISO, MDY, and extra_float_digits is 0."],
    ]);
  });

  it("names a migration that was edited after it was applied", async () => {
    const changed = await openTestDatabase();
    onTestFinished(() => changed.close());
    await changed.transaction((sql) =>
      sql.execute(`UPDATE "_prisma_migrations" SET checksum = 'x' WHERE migration_name LIKE '%_initial'`),
    );
    const { checks } = await examine({ DATABASE_URL: changed.url }, clock);
    const [finding] = checks.filter(({ check }) => check === "migrations");
    expect(finding).toMatchObject({
      status: "failure",
      message: "The migration 20261120000000_initial was edited after it had been applied to this database.",
    });
  });

  it("detects clocks that differ by more than two seconds", async () => {
    const env = { DATABASE_URL: url.href, REDIS_URL: redisUrl ?? "" };
    const statuses = async (seconds: number) =>
      (await find("clocks", env, off(seconds))).map(([status]) => status);
    expect(await statuses(0)).toEqual(["ok", "ok"]);
    expect(await statuses(-5)).toEqual(["warning", "warning"]);
    expect(await find("clocks", env, off(60))).toEqual([
      ["warning", expect.stringMatching(/^PostgreSQL is (59|60)\.\d seconds behind this machine\.$/)],
      ["warning", expect.stringMatching(/^Redis \(.*\) is (59|60)\.\d seconds behind this machine\.$/)],
    ]);
  });

  it("names a database that is not migrated", async () => {
    const name = `gateway_test_empty_${randomBytes(8).toString("hex")}`;
    const admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${name}`);
    onTestFinished(async () => {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    });
    const empty = new URL(url);
    empty.pathname = `/${name}`;
    expect(await find("migrations", { DATABASE_URL: empty.href })).toEqual([
      ["failure", expect.stringMatching(/^Not applied: 20261120000000_initial, /)],
    ]);
  });

  it("checks that the role can act as the writing role, and does not inherit from it", async () => {
    const role = `gateway_test_${randomBytes(6).toString("hex")}`;
    const run = (sql: string) => database.transaction(({ script }) => script(sql));
    const through = new URL(url);
    [through.username, through.password] = [role, ""];
    const found = async () =>
      (await find("writing role", { DATABASE_URL: through.href })).map(([, message]) => message);
    await run(`CREATE ROLE ${role} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
    onTestFinished(() => run(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
    expect(await found()).toEqual([
      `${role} may not act as gateway_writer, so nobody can sign in, and users' requests cannot write.`,
    ]);
    await run(`GRANT gateway_writer TO ${role}`);
    expect(await found()).toEqual([
      `${role} inherits from gateway_writer, so it cannot record the use of keys and sessions.`,
    ]);
    await run(
      `ALTER ROLE ${role} NOINHERIT; REVOKE gateway_writer FROM ${role}; GRANT gateway_writer TO ${role}`,
    );
    expect(await found()).toEqual(["gateway_writer has the rights and policies that it should have."]);
  });

  it("reports excess rights of the role", async () => {
    const role = `gateway_test_${randomBytes(6).toString("hex")}`;
    const run = (sql: string) => database.transaction(({ script }) => script(sql));
    const through = new URL(url);
    [through.username, through.password] = [role, ""];
    const rights = () => find("database role", { DATABASE_URL: through.href });
    await run(`CREATE ROLE ${role} LOGIN`);
    onTestFinished(() =>
      run(`REASSIGN OWNED BY ${role} TO CURRENT_USER; DROP OWNED BY ${role}; DROP ROLE ${role}`),
    );
    expect((await rights())[0]).toEqual([
      "failure",
      expect.stringMatching(/cannot read organizations, users, .* and \d+ more\.$/),
    ]);
    await run(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
    const lacked = (right: string) => / ON (?:sessions|jobs|outbox)$/.test(right);
    const others = SERVING_WRITES.filter((right) => !lacked(right));
    await run(others.map((right) => `GRANT ${right} TO ${role}`).join(";"));
    const [[status, message] = []] = await rights();
    const [before, lacking = ""] = message?.split(": it lacks ") ?? [];
    expect(status).toBe("warning");
    expect(before).toBe(
      `${role} cannot record the use of keys and sessions, run jobs, notify people, or delete expired rows`,
    );
    const missing = SERVING_WRITES.filter(lacked);
    expect(lacking).toBe(`${missing.slice(0, 5).join(", ")} and ${missing.length - 5} more.`);
    // Earlier versions granted more.
    await run(`GRANT UPDATE, DELETE ON jobs TO ${role}`);
    const granted = await runCommand(["migrate", "--grant-to", role], { env: { DATABASE_URL: url.href } });
    expect(granted.code).toBe(0);
    expect(await rights()).toEqual([["ok", `${role} can read what serve needs, and nothing else.`]]);
    await run(`GRANT INSERT ON facilities TO ${role}; GRANT TRUNCATE ON benchmarks TO ${role}`);
    expect(await rights()).toEqual([["warning", `${role} can write to facilities, benchmarks.`]]);
    await run(`ALTER TABLE facilities OWNER TO ${role}`);
    expect(await rights()).toEqual([["warning", `${role} owns the tables.`]]);
    await run(`ALTER ROLE ${role} SUPERUSER`);
    expect(await rights()).toEqual([["warning", `${role} is a superuser.`]]);
  });
});

describe.skipIf(!services)("gateway doctor, on Redis", () => {
  let client: Redis;
  const env = () => ({ DATA_DIR: join("/tmp", randomBytes(8).toString("hex")), REDIS_URL: redis.url });
  const redis = use(createRedisServer);
  beforeAll(async () => {
    await redis.start();
    client = new Redis(redis.url);
    client.on("error", () => undefined);
  });
  afterAll(async () => {
    client.disconnect();
    await redis.kill();
  });

  it("reports its version, and leaves nothing in it", async () => {
    expect(await find("redis", env())).toEqual([["ok", expect.stringMatching(/runs Redis \d+\./)]]);
    expect(await client.dbsize()).toBe(0);
  });

  it.each([
    ["noeviction", "0", "ok"],
    ["noeviction", "64mb", "ok"],
    ["volatile-lru", "0", "ok"],
    ["volatile-lru", "64mb", "warning"],
    ["volatile-ttl", "64mb", "warning"],
    ["allkeys-lru", "64mb", "warning"],
  ])("rates the policy %s with maxmemory %s: %s", async (policy, limit, status) => {
    await client.config("SET", "maxmemory", limit);
    await client.config("SET", "maxmemory-policy", policy);
    expect(await find("redis eviction", env())).toEqual([[status, expect.stringContaining(policy)]]);
  });

  it("detects a replica, a wrong password, a hanging server and an unavailable one", async () => {
    await client.call("REPLICAOF", "127.0.0.1", "1");
    expect(await find("redis", env())).toEqual([
      ["failure", expect.stringMatching(/ is a replica, which cannot count requests\.$/)],
    ]);
    await client.call("REPLICAOF", "NO", "ONE");

    await client.config("SET", "requirepass", "right-one");
    const wrong = { ...env(), REDIS_URL: redis.url.replace("://", "://:wr0ng-one@") };
    const examination = await examine(wrong, clock);
    expect(examination.failures).toBe(1);
    expect(describeExamination(examination)).toMatch(
      /Cannot connect to Redis: .*(WRONGPASS|NOAUTH|invalid)/i,
    );
    expect(JSON.stringify(examination)).not.toContain("wr0ng-one");
    await client.config("SET", "requirepass", "");

    expect(await find("redis", { ...env(), REDIS_URL: `${redis.url}/99` })).toEqual([
      ["failure", expect.stringContaining("DB index is out of range")],
    ]);

    redis.hang();
    expect((await find("redis", env()))[0]?.[0]).toBe("failure");
    redis.resume();
    await redis.kill();
    expect(await find("redis", env())).toEqual([["failure", expect.stringContaining("ECONNREFUSED")]]);
  });
});
