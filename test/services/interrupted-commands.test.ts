import { randomBytes } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import { describeOutcomes, timeAnswers } from "../support/constant-load.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { killGateway, runGateway, startInProduction } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";
import { runCommand } from "../support/run-command.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { useFolder } from "../support/use.js";

const RECORDS = 20_000;
const folder = useFolder();
const bundle = join(folder, "bundle.json");
const csv = join(folder, "records.csv");

let database: TestDatabase;
let env: { DATABASE_URL: string };
let watcher: pg.Client;

beforeAll(async () => {
  database = await openTestDatabase();
  env = { DATABASE_URL: database.url ?? "" };
  watcher = new pg.Client({ connectionString: env.DATABASE_URL });
  await watcher.connect();
  const rows = Array.from({ length: RECORDS }, (_, n) => ({ reference: `r-${n}`, co2e_tonnes: n % 100 }));
  const common = { recorded_on: "2026-05-01", scope: "scope_1" };
  await writeFile(
    bundle,
    JSON.stringify({
      organization: { slug: "loaded", name: "Loaded" },
      emission_records: rows.map((row) => ({ ...row, ...common })),
    }),
  );
  const lines = rows.map(({ reference, co2e_tonnes }) => `2026-05-01,scope_1,${co2e_tonnes},${reference}`);
  await writeFile(csv, `recorded_on,scope,co2e_tonnes,reference\n${lines.join("\n")}\n`);
  await runGateway(["organizations", "create", "--slug", "imported", "--name", "Imported"], { env });
});
afterAll(async () => {
  await watcher.end();
  await database.close();
});

/** Counts the running statements of a command, in a database that runs others' too. */
async function countRunning(pattern: string): Promise<number> {
  const { rows } = await watcher.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND query ~* $1`,
    [pattern],
  );
  return rows[0].n;
}

async function recordsOf(slug: string): Promise<number> {
  const { rows } = await watcher.query(
    "SELECT count(*)::int AS n FROM emission_records JOIN organizations o ON o.id = organization_id WHERE slug = $1",
    [slug],
  );
  return rows[0].n;
}

const COMMANDS = {
  load: { args: ["load", bundle], slug: "loaded" },
  import: { args: ["import", csv, "--organization", "imported"], slug: "imported" },
};

describe.each([
  ["load", "while it writes records", "emission_records"],
  ["import", "while it copies", "^copy"],
  ["import", "while it writes records", "emission_records"],
] as const)("%s killed with SIGKILL %s", (name, moment, pattern) => {
  it("leaves nothing half done while others are served, and completes when run again", async () => {
    const { args, slug } = COMMANDS[name];
    await watcher.query("DELETE FROM emission_records");
    const reader = await makeKey(database, await makeOrganization(database));
    const services = { ...env, REDIS_URL: redisUrl ?? "" };
    const gateway = await startInProduction(services);
    onTestFinished(() => void gateway.stop("SIGKILL"));
    let isOver = false;
    const { outcomes, ask } = timeAnswers();
    const others = (async () => {
      while (!isOver) {
        await ask(gateway.rest("/emissions", reader.key));
        await ask(gateway.graphql("{ organization { slug } }", reader.key));
        await setTimeout(20);
      }
    })();

    const { code } = await killGateway(args, { env }, async () => (await countRunning(pattern)) > 0);
    expect(code).toBe(null);
    // Its statements end with its connection, once the server notices.
    await expect.poll(() => countRunning(".")).toBe(0);
    expect(await recordsOf(slug)).toBe(0);

    const again = await runCommand([...args, "--json"], { env });
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(`"added":${RECORDS}`)]);
    expect(await recordsOf(slug)).toBe(RECORDS);
    expect((await runCommand(["verify"], { env })).code).toBe(0);
    isOver = true;
    await others;
    console.log(describeOutcomes(`\`${name}\` killed (kill -9), ${moment}`, outcomes));
  });
});

describe.each(Object.entries(COMMANDS))("two %s of the same file at once", (_name, { args, slug }) => {
  it("both succeed: one does the work, the other waits and finds it done", async () => {
    await watcher.query("DELETE FROM emission_records");
    const ended = await Promise.all([1, 2].map(() => runGateway([...args, "--json"], { env })));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    const outputs = ended.map(({ stdout }) => stdout);
    for (const part of [`"added":${RECORDS}`, `"unchanged":${RECORDS}`]) {
      expect(outputs.filter((output) => output.includes(part))).toHaveLength(1);
    }
    expect(await recordsOf(slug)).toBe(RECORDS);
  });
});

describe("migrate killed with SIGKILL in the middle", () => {
  it("leaves nothing half done, and completes when run again", async () => {
    const name = `gateway_test_killed_${randomBytes(8).toString("hex")}`;
    await watcher.query(`CREATE DATABASE ${name}`);
    const url = new URL(env.DATABASE_URL);
    url.pathname = `/${name}`;
    const own = { DATABASE_URL: url.href };
    const observer = new pg.Client({ connectionString: url.href });
    await observer.connect();
    onTestFinished(async () => {
      await observer.end();
      await watcher.query(`DROP DATABASE ${name} WITH (FORCE)`);
    });
    // While this test holds the migrations' lock, the command waits.
    await observer.query("SELECT pg_advisory_lock(72707369)");
    const isWaiting = async () => {
      const { rows } = await observer.query(
        "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      );
      return rows[0].n > 0;
    };
    const { code } = await killGateway(["migrate"], { env: own }, async () => {
      if (!(await isWaiting())) return false;
      await observer.query("SELECT pg_advisory_unlock(72707369)");
      return true;
    });
    expect(code).toBe(null);
    const migrations = (await readdir(MIGRATIONS_FOLDER, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .toSorted();
    const again = await runCommand(["migrate", "--json"], { env: own });
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { applied: migrations }]);
    expect((await runCommand(["verify"], { env: own })).code).toBe(0);
  });
});
