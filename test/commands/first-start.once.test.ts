import { execFile } from "node:child_process";
import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { hashKey } from "../../src/access/secrets/api-key.js";
import { isToken } from "../../src/access/secrets/token.js";
import { prepareEmbedded } from "../../src/commands/serve/first-start.js";
import { isEmpty } from "../../src/data/organizations/organizations.js";
import { FRAMEWORKS } from "../../src/domain/enums.js";
import { migratedFolder } from "../support/command-database.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { type RunningProcess, runGateway, startProcess, temporaryFolder } from "../support/process.js";
import { runCommand } from "../support/run-command.js";
import { useFolder } from "../support/use.js";

const PEPPER = "a pepper of the tests";
const run = promisify(execFile);
const folder = useFolder();
const DATA_DIR = join(folder, "a", "new", "folder");

let gateway: RunningProcess;
beforeAll(async () => {
  gateway = await startProcess({ env: { DATA_DIR } });
});
afterAll(() => gateway.stop("SIGKILL"));

const callsIn = (banner: string) => banner.split("\n").filter((line) => line.trim().startsWith("curl "));
const linkIn = (banner: string) => /^ {2}(http\S+\/console\/#sign-in=\S+)$/m.exec(banner)?.[1] ?? "";
const keyIn = (banner: string) => /^ *Demo key +(cgw_live_\w+)/m.exec(banner)?.[1];

// biome-ignore lint/suspicious/noExplicitAny: what an endpoint answers is for its test to say
type Body = any;

/** Runs a line of the banner in a shell, and returns the answer. */
async function paste(line: string): Promise<Body> {
  return JSON.parse((await run("sh", ["-c", `${line.replace("curl", "curl -sS")}`])).stdout);
}

/** Runs every call of the banner; returns the answers by path. */
async function answers(banner: string): Promise<Record<string, Body>> {
  const pairs = callsIn(banner).map(async (line) => [
    new URL(line.split(" ").at(-1) ?? "").pathname,
    await paste(line),
  ]);
  return Object.fromEntries(await Promise.all(pairs));
}

/** Returns the data of those answers, which must be the same after every start. */
const dataOf = (all: Record<string, Body>) =>
  Object.fromEntries(Object.entries(all).map(([path, { data }]) => [path, data]));

describe("gateway serve, first started on an empty DATA_DIR", () => {
  it("prints the addresses of Sandbox, REST and its description on standard output", async () => {
    const { url } = gateway;
    expect(gateway.stdout()).toContain(`Carbon Gateway is listening on ${url}\n`);
    expect(gateway.stdout()).toContain(
      `  GraphQL   ${url}/graphql   (open in a browser for Apollo Sandbox)\n`,
    );
    expect(gateway.stdout()).toContain(`${url}/api/v1/ext/v1   (documented in ${url}/openapi.json)\n`);
    expect(gateway.stdout()).toContain(`  Database  embedded in ${DATA_DIR}, just created\n`);

    const sandbox = await fetch(`${url}/graphql`, { headers: { Accept: "text/html" } });
    expect([sandbox.status, await sandbox.text()]).toEqual([200, expect.stringContaining("<html")]);
    expect(((await (await fetch(`${url}/openapi.json`)).json()) as Body).openapi).toMatch(/^3\.1/);
  });

  it("prints a call for each endpoint and one for GraphQL, and each returns data", async () => {
    const all = await answers(gateway.stdout());
    const rest = Object.entries(all).filter(([path]) => path !== "/graphql");
    expect(Object.keys(all)).toEqual([
      ...["emissions", "compliance", "credits", "benchmarks", "market"].map(
        (name) => `/api/v1/ext/v1/${name}`,
      ),
      "/graphql",
    ]);
    for (const [path, { success, error }] of rest) expect([path, success, error]).toEqual([path, true, null]);

    const [emissions, compliance, credits, benchmarks, market] = rest.map(([, { data }]) => data);
    expect(emissions.record_count).toBeGreaterThan(100);
    expect(emissions.total_co2e_tonnes).toBeGreaterThan(0);
    expect(Object.values<number>(emissions.scope_breakdown).every((tonnes) => tonnes !== 0)).toBe(true);
    expect(compliance.frameworks.map(({ framework }: Body) => framework)).toEqual(FRAMEWORKS);
    expect(compliance.upcoming_deadlines).not.toEqual([]);
    expect(credits.available_count).toBeGreaterThan(0);
    expect(credits.retired_count).toBeGreaterThan(0);
    expect(benchmarks.benchmarks).not.toEqual([]);
    expect(benchmarks.message).toBeNull();
    expect(market.prices).not.toEqual([]);
    expect(market.message).toBeNull();
    expect(all["/graphql"].data.emissions.totalCo2eTonnes).toBe(emissions.total_co2e_tonnes);
  });

  it("stores the demo key in a file that only its owner can read", async () => {
    const file = join(DATA_DIR, "demo-key");
    expect(await readFile(file, "utf8")).toBe(`${keyIn(gateway.stdout())}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(DATA_DIR)).mode & 0o777).toBe(0o700);
  });

  it("prints a link on its own line that signs in the owner of the sample, once", async () => {
    const [place, token] = linkIn(gateway.stdout()).split("#sign-in=");
    expect(place).toBe(`${gateway.url}/console/`);
    const follow = () =>
      gateway.call<Body>("/api/v1/auth/link", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ token }),
      });
    const { status, body } = await follow();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      user: { email: "owner@demo.example", name: "Demo owner" },
      organization: { slug: "demo" },
    });
    expect((await follow()).status).toBeGreaterThanOrEqual(400);
  });

  it("prints the key nowhere else, and only log lines on standard error", async () => {
    const lines = gateway
      .stderr()
      .split("\n")
      .filter((line) => line !== "");
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) });
    expect(gateway.stderr()).not.toContain(keyIn(gateway.stdout()));
  });

  it("refuses DATA_DIR to a second process, names it and its holder, and keeps serving", async () => {
    const second = await runGateway(["serve"], { env: { DATA_DIR, PORT: "0" } });
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toContain(
      `DATA_DIR (${DATA_DIR}) is in use by another process (pid ${gateway.pid} on `,
    );
    expect(second.stderr.trim().split("\n")).toHaveLength(1);

    const command = await runCommand(["organizations", "list"], { env: { DATA_DIR } });
    expect([command.code, command.stderr]).toEqual([1, second.stderr]);
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200);
  });

  it("restarts immediately after SIGKILL with the same key and data, and a new sign-in link", async () => {
    const link = linkIn(gateway.stdout());
    const before = { key: keyIn(gateway.stdout()), data: dataOf(await answers(gateway.stdout())) };
    await gateway.stop("SIGKILL");
    gateway = await startProcess({ env: { DATA_DIR } });
    expect(keyIn(gateway.stdout())).toBe(before.key);
    expect(linkIn(gateway.stdout()).split("#")[1]).not.toBe(link.split("#")[1]);
    expect(dataOf(await answers(gateway.stdout()))).toEqual(before.data);
  });

  it("exits with 0 on SIGTERM and leaves no lock; the next start replaces a corrupt key file and closes the folder to others", async () => {
    const old = keyIn(gateway.stdout());
    expect((await gateway.stop("SIGTERM")).code).toBe(0);
    await expect(stat(join(DATA_DIR, "lock"))).rejects.toThrow("ENOENT");
    await writeFile(join(DATA_DIR, "demo-key"), "rubbish\n");
    // A folder that others can read, as one created beforehand may be.
    await chmod(DATA_DIR, 0o755);
    await chmod(join(DATA_DIR, "postgres"), 0o755);

    gateway = await startProcess({ env: { DATA_DIR } });
    expect((await stat(join(DATA_DIR, "postgres"))).mode & 0o777).toBe(0o700);
    const fresh = keyIn(gateway.stdout());
    expect(fresh).not.toBe(old);
    expect(await readFile(join(DATA_DIR, "demo-key"), "utf8")).toBe(`${fresh}\n`);
    expect((await paste(callsIn(gateway.stdout())[0] ?? "")).success).toBe(true);
  });

  // The last test of this process: the tests below need its folder.
  it("exits with 0 on SIGINT", async () => {
    expect((await gateway.stop("SIGINT")).code).toBe(0);
  });
});

describe("gateway serve, on a database filled by the user", () => {
  it("creates no key and no owner, even if an organization has the sample's name", async () => {
    const database = await openTestDatabase();
    onTestFinished(() => database.close());
    const row = { slug: "demo", name: "Ours" };
    await database.prisma.organization.create({ data: row });
    const dataDir = temporaryFolder();
    expect(await prepareEmbedded({ database, dataDir, peppers: [undefined], now: new Date() })).toEqual({
      key: null,
      signInToken: null,
    });
    expect([await database.prisma.apiKey.count(), await database.prisma.user.count()]).toEqual([0, 0]);
  });
});

describe("the owner of the sample's organization", () => {
  it("gets a new token at each start that replaces the last one, until a password is set", async () => {
    const database = await openTestDatabase();
    const [now, dataDir] = [new Date(), temporaryFolder()];
    const prepare = () => prepareEmbedded({ database, dataDir, peppers: [PEPPER, undefined], now });
    const links = () => database.prisma.signInLink.findMany();
    onTestFinished(() => database.close());
    const first = await prepare();
    const users = await database.prisma.user.findMany({
      include: { memberships: { include: { organization: true } } },
    });
    expect(users).toMatchObject([
      {
        email: "owner@demo.example",
        name: "Demo owner",
        passwordHash: null,
        isSuperAdmin: false,
        memberships: [{ role: "owner", organization: { slug: "demo" } }],
      },
    ]);
    const second = await prepare();
    expect(isToken("link", second.signInToken ?? "")).toBe(true);
    expect(second.signInToken).not.toBe(first.signInToken);
    const expiresAt = new Date(now.getTime() + 15 * 60_000);
    expect(await links()).toMatchObject([
      { tokenHash: hashKey(second.signInToken ?? "", PEPPER), expiresAt, usedAt: null },
    ]);

    await database.prisma.user.updateMany({ data: { passwordHash: "$argon2id$made-up" } });
    expect((await prepare()).signInToken).toBeNull();
    expect(await links()).toHaveLength(1);
  });

  it("is created at a later start if there are no members, and not otherwise", async () => {
    const database = await openTestDatabase();
    const dataDir = temporaryFolder();
    const prepare = () => prepareEmbedded({ database, dataDir, peppers: [undefined], now: new Date() });
    const emails = async () => (await database.prisma.user.findMany()).map(({ email }) => email);
    onTestFinished(() => database.close());
    await prepare();
    await database.prisma.user.deleteMany();
    expect((await prepare()).signInToken).toMatch(/^cgw_lnk_/);
    expect(await emails()).toEqual(["owner@demo.example"]);

    await database.prisma.user.deleteMany();
    const { id } = await database.prisma.organization.findUniqueOrThrow({ where: { slug: "demo" } });
    const memberships = { create: { organizationId: id, role: "owner" as const } };
    await database.prisma.user.create({ data: { email: "ada@example.com", name: "Ada", memberships } });
    expect((await prepare()).signInToken).toBeNull();
    expect(await emails()).toEqual(["ada@example.com"]);
  });
});

describe("gateway serve, after a pepper is introduced", () => {
  it("keeps using the existing key, and creates none if it was revoked", async () => {
    const database = await openTestDatabase();
    const dataDir = temporaryFolder();
    const prepare = async (...peppers: (string | undefined)[]) =>
      (await prepareEmbedded({ database, dataDir, peppers, now: new Date() })).key;
    onTestFinished(() => database.close());
    const key = await prepare(undefined);
    expect(key).toMatch(/^cgw_live_/);
    expect(await prepare(PEPPER, undefined)).toBe(key);
    await database.prisma.apiKey.updateMany({ data: { revokedAt: new Date() } });
    expect(await prepare(PEPPER, undefined)).toBeNull();
    expect(await database.prisma.apiKey.count()).toBe(1);
  });
});

describe("the demo key file", () => {
  const kinds: Record<string, (file: string, other: string) => Promise<void>> = {
    "a link to a file": (file, other) => symlink(other, file),
    "a link that leads nowhere": (file, other) => symlink(`${other}-gone`, file),
    "a malformed file that all can read": (file) => writeFile(file, "rubbish\n", { mode: 0o644 }),
    "a pipe": async (file) => void (await run("mkfifo", [file])),
  };
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  // The first case is a first start; the others are later starts.
  it.each(Object.keys(kinds))("is replaced by one that only its owner can read: %s", async (kind) => {
    const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
    const [file, other] = [join(dataDir, "demo-key"), join(elsewhere, "other")];
    await writeFile(other, "precious\n");
    await kinds[kind]?.(file, other);
    const { key } = await prepareEmbedded({ database, dataDir, peppers: [undefined], now: new Date() });
    expect([await readFile(file, "utf8"), (await lstat(file)).isFile()]).toEqual([`${key}\n`, true]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect([await readFile(other, "utf8"), await readdir(elsewhere)]).toEqual(["precious\n", ["other"]]);
    expect(await readdir(dataDir)).toEqual(["demo-key"]);
  });

  it("keeps a key that everyone could read, and restricts it", async () => {
    const dataDir = temporaryFolder();
    const file = join(dataDir, "demo-key");
    const prepare = async () =>
      (await prepareEmbedded({ database, dataDir, peppers: [undefined], now: new Date() })).key;
    await writeFile(file, "rubbish\n");
    const key = await prepare();
    await chmod(file, 0o644);
    expect(await prepare()).toBe(key);
    expect([await readFile(file, "utf8"), (await stat(file)).mode & 0o777]).toEqual([`${key}\n`, 0o600]);
  });
});

describe("gateway serve, while Redis is unavailable", () => {
  it("reports that each process counts requests itself", async () => {
    const gateway = await startProcess({
      env: { DATA_DIR: await migratedFolder(), REDIS_URL: "redis://127.0.0.1:1" },
    });
    expect(gateway.stdout()).toContain(
      "  Limits    counted in this process until Redis is available again\n",
    );
    await gateway.stop("SIGKILL");
  });
});

describe("gateway serve, interrupted while it loads the sample", () => {
  it("keeps nothing, so that the next start loads everything", async () => {
    const database = await openTestDatabase();
    const options = { database, dataDir: temporaryFolder(), peppers: [undefined], now: new Date() };
    const prepare = async () => (await prepareEmbedded(options)).key;
    const script = (sql: string) => database.transaction((session) => session.script(sql));
    onTestFinished(() => database.close());
    // Records are loaded last: benchmarks, prices and the organization exist by then.
    await script(`
      CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cut off'; END $$;
      CREATE TRIGGER cut_off BEFORE INSERT ON emission_records EXECUTE FUNCTION cut_off();`);
    await expect(prepare()).rejects.toThrow("cut off");
    expect(await isEmpty(database)).toBe(true);

    await script("DROP TRIGGER cut_off ON emission_records");
    expect(await prepare()).toMatch(/^cgw_live_/);
    expect(await database.prisma.emissionRecord.count()).toBeGreaterThan(500);
    expect(await database.prisma.benchmark.count()).toBeGreaterThan(0);
  });
});

describe("gateway serve refuses to start", () => {
  const refused = async (env: Record<string, string>) => {
    const { code, stdout, stderr } = await runGateway(["serve"], { env });
    expect(stdout).toBe("");
    return { code, stderr };
  };

  it("with a DATA_DIR that is a file or inside one, and says so", async () => {
    const file = join(temporaryFolder(), "file");
    await writeFile(file, "");
    expect(await refused({ DATA_DIR: file })).toEqual({
      code: 1,
      stderr: `DATA_DIR (${file}) cannot be created: EEXIST: file already exists, mkdir '${file}'. Choose a folder that this user can write to, or set DATABASE_URL.\n`,
    });
    expect((await refused({ DATA_DIR: join(file, "sub") })).stderr).toContain(
      `EEXIST: file already exists, mkdir '${file}'`,
    );
  });

  it.skipIf(process.platform !== "linux")("on a DATA_DIR that nobody can write, and says so", async () => {
    for (const path of ["/proc", "/proc/gateway/data"]) {
      const { code, stderr } = await refused({ DATA_DIR: path });
      expect([code, stderr]).toEqual([1, expect.stringMatching(`^DATA_DIR \\(${path}\\) cannot be `)]);
    }
  });

  it("on a port in use, and names it", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const env = { PORT: String(port), DATA_DIR };
    expect(await refused({ ...env, LOG_LEVEL: "error" })).toEqual({
      code: 1,
      stderr: `Port ${port} is in use by another process. Stop that process, or set PORT to a different port.\n`,
    });
  });

  it("on a HOST that is not of this machine, and says so", async () => {
    const { code, stderr } = await refused({ DATA_DIR, HOST: "192.0.2.1", LOG_LEVEL: "error" });
    expect(code).toBe(1);
    expect(stderr).toEqual(expect.stringMatching(/^HOST is not an address of this machine: .*\n$/));
  });

  it("in an invalid environment, naming every wrong variable but no value", async () => {
    const env = {
      PORT: "99999",
      LOG_LEVEL: "loud",
      DATABASE_URL: "mysql://user:hunter2@db.example/x",
      REDIS_URL: "redis//:hunter2",
      KEY_PEPPER: "hunter2",
      TRUST_PROXY: "-1",
      CORS_ORIGINS: "https://example.com/path",
    };
    const { code, stderr } = await refused({ ...env, DATA_DIR });
    expect(code).toBe(2);
    const [title, ...problems] = stderr.trim().split("\n");
    expect(title).toBe("Invalid environment variables:");
    expect(problems.map((line) => /^ {2}(\w+) must be /.exec(line)?.[1]).toSorted()).toEqual(
      Object.keys(env).toSorted(),
    );
    for (const value of [...Object.values(env), "hunter2"]) expect(stderr).not.toContain(value);
  });

  it("with an unreachable database, and says why without its password", async () => {
    const { code, stderr } = await refused({ DATABASE_URL: "postgresql://user:hunter2@127.0.0.1:1/x" });
    expect(code).toBe(1);
    expect(stderr).toBe("Cannot connect to the database in DATABASE_URL: connect ECONNREFUSED 127.0.0.1:1\n");
  });
});
