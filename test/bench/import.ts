import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { hashKey } from "../../src/access/secrets/api-key.js";
import { generateToken } from "../../src/access/secrets/token.js";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { createScratchDatabase, median } from "./database.js";
import { startServer } from "./server-process.js";

/** The built command, or else its source. */
const GATEWAY = existsSync("dist/main.js") ? ["dist/main.js"] : ["--import", "tsx", "src/main.ts"];
const FACILITIES = 5;

/** The result of importing a file: its seconds and, for our own processes, its peak memory in megabytes. */
interface Taken {
  readonly seconds: number;
  readonly peakMegabytes: number;
}

/** Ids in a scratch database, for files for `\copy`. */
const ORGANIZATION = "5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a";
const facilityId = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const USER = "7c9a3a52-0d6b-4b8e-9d3e-6a1f0c2b5e41";
const ROUNDS = 3;
const DEFAULT_ROWS = 1_000_000;

/**
 * Compares the command `import` and `POST /v1/emissions/import` with psql's `\copy` of the same rows into the same table,
 * with its constraints, indexes and triggers; and measures as many rows of activities, which they calculate. Each is timed
 * from start to end, in turns, each on a fresh database: medians of three rounds. `--rows <n>` sets the number of rows.
 */
export async function imports(options: readonly string[]): Promise<void> {
  const at = options.indexOf("--rows");
  const size = at < 0 ? DEFAULT_ROWS : Number(options[at + 1]);
  const folder = await mkdtemp(join(tmpdir(), "gateway-bench-"));
  const [file, table, activities] = ["rows.csv", "table.csv", "activities.csv"].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const ways = {
    "`\\copy` into the same table": copyInto(table),
    "the command": runCommand(file),
    "the command, activities": runCommand(activities),
    HTTP: upload(file),
    "HTTP, activities": upload(activities),
  };
  const found = new Map(Object.keys(ways).map((name) => [name, [] as Taken[]]));
  try {
    await pipeline(Readable.from(generateRows(size)), createWriteStream(file));
    await pipeline(Readable.from(generateRows(size, "table")), createWriteStream(table));
    await pipeline(Readable.from(generateRows(size, "activities")), createWriteStream(activities));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, take] of Object.entries(ways)) found.get(name)?.push(await measure(take, size));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  console.log(`\nImport of ${size.toLocaleString("en")} rows (${GATEWAY.join(" ")})`);
  console.log("| by | rows a second | compared with `\\copy` | most memory |\n|---|---|---|---|");
  const rate = (taken: readonly Taken[]) => size / median(taken.map(({ seconds }) => seconds));
  const [copied = []] = found.values();
  for (const [name, taken] of found) {
    const memory = median(taken.map(({ peakMegabytes }) => peakMegabytes));
    const shownMemory = Number.isNaN(memory) ? "" : `${Math.round(memory)} MB`;
    console.log(
      `| ${name} | ${Math.round(rate(taken)).toLocaleString("en")} | ${(rate(taken) / rate(copied)).toFixed(2)} | ${shownMemory} |`,
    );
  }
}

type Take = (url: string, token: string) => Promise<Taken>;

/** Measures an import into a fresh database with an organization, its facilities and an owner. */
async function measure(take: Take, size: number): Promise<Taken> {
  const { url, database, drop } = await createScratchDatabase("gateway_bench_import");
  const token = generateToken("session");
  try {
    await loadFactors(database, REFERENCE_FOLDER);
    await database.transaction((sql) =>
      sql.script(`
        INSERT INTO organizations (id, slug, name) VALUES ('${ORGANIZATION}', 'acme', 'Acme');
        INSERT INTO users (id, email, name) VALUES ('${USER}', 'ada@example.org', 'Ada');
        INSERT INTO memberships (user_id, organization_id, role) VALUES ('${USER}', '${ORGANIZATION}', 'owner');
        INSERT INTO sessions (user_id, organization_id, kind, token_hash, token_expires_at, authenticated_at, last_used_at, expires_at)
        VALUES ('${USER}', '${ORGANIZATION}', 'token', '${hashKey(token, undefined)}', now() + interval '1 day', now(), now(),
          now() + interval '1 day');
        ${Array.from(
          { length: FACILITIES },
          (_, n) => `INSERT INTO facilities (organization_id, id, code, name, country)
          VALUES ('${ORGANIZATION}', '${facilityId(n)}', 'F${n}', 'Facility ${n}', 'IN');`,
        ).join("\n")}`),
    );
    const taken = await take(url, token);
    const [row] = await database.transaction((sql) =>
      sql.query<{ count: number }>("SELECT count(*)::float8 AS count FROM emission_records"),
    );
    if (row?.count !== size) throw new Error(`expected ${size} records, got ${row?.count}`);
    return taken;
  } finally {
    await drop();
  }
}

const copyInto =
  (file: string): Take =>
  async (url) => {
    const started = performance.now();
    const columns =
      "recorded_on, scope, co2e_tonnes, facility_id, category, source, reference, organization_id";
    const copy = `\\copy emission_records (${columns}) FROM '${file}' CSV HEADER`;
    await promisify(execFile)("psql", [url, "-v", "ON_ERROR_STOP=1", "-c", copy]);
    return { seconds: (performance.now() - started) / 1_000, peakMegabytes: Number.NaN };
  };

const runCommand =
  (file: string): Take =>
  (url) =>
    runImport(url, file);

/** Sends the file to a running gateway. */
const upload =
  (file: string): Take =>
  async (url, token) => {
    const server = await startServer("gateway", { DATABASE_URL: url, LOG_LEVEL: "warn" });
    try {
      const started = performance.now();
      const answer = await fetch(`${server.url}/v1/emissions/import`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "text/csv" },
        body: Readable.toWeb(createReadStream(file)) as ReadableStream,
        duplex: "half",
      } as RequestInit);
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
      return { seconds: (performance.now() - started) / 1_000, peakMegabytes: server.residentMegabytes() };
    } finally {
      await server.stop();
    }
  };

async function runImport(url: string, file: string) {
  const started = performance.now();
  const child = spawn(process.execPath, [...GATEWAY, "import", file, "--organization", "acme"], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ["ignore", "ignore", "inherit"],
  });
  let peakMegabytes = Number.NaN;
  // Linux does not report the memory of an ended process.
  const watch = setInterval(() => {
    peakMegabytes = readPeak(child.pid) ?? peakMegabytes;
  }, 50);
  const [code] = await once(child, "exit");
  clearInterval(watch);
  if (code !== 0) throw new Error(`import ended with ${code}`);
  return { seconds: (performance.now() - started) / 1_000, peakMegabytes };
}

/** Reads a process's peak memory so far. */
function readPeak(pid: number | undefined): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : (Number(kilobytes) * 1_024) / 1_000_000;
  } catch {
    return undefined;
  }
}

/** Activities with their units. */
const ACTIVITIES = [
  "kWh,electricity",
  "MWh,Strom",
  "litre,diesel",
  "litre,petrol",
  "kWh (gross CV),natural gas",
  "m3,natural gas",
  "kg,R-410A",
  "m3,water supply",
  "tonne.km,freight train",
  "passenger.km,taxi",
];

type Kind = "tonnes" | "table" | "activities";

/** Generates independent records of two years, five facilities and ten categories; rows for a `table` have ids instead. */
function* generateRows(count: number, kind: Kind = "tonnes"): Generator<string> {
  const asTable = kind === "table";
  const amounts = kind === "activities" ? "amount,unit,activity,region" : "scope,co2e_tonnes";
  yield `recorded_on,${amounts},facility,category,source,reference${asTable ? ",organization" : ""}\n`;
  const days = Array.from({ length: 730 }, (_, day) =>
    new Date(Date.UTC(2024, 10, 21 + day)).toISOString().slice(0, 10),
  );
  let seed = 12_345;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  for (let from = 0; from < count; from += 1_000) {
    let rows = "";
    for (let n = from; n < Math.min(from + 1_000, count); n += 1) {
      const amount = random(1_000_003) / 1_000;
      const which = random(ACTIVITIES.length);
      const activity = `${amount},${ACTIVITIES[which]},GB`;
      rows += `${days[random(730)]},${kind === "activities" ? activity : `scope_${1 + random(3)},${amount}`},`;
      const facility = random(FACILITIES);
      // The amounts of a category are similar enough not to be questioned.
      const category = kind === "activities" ? which : random(10);
      rows += `${asTable ? facilityId(facility) : `F${facility}`},category ${category},meter ${random(50)},R-${n}`;
      rows += asTable ? `,${ORGANIZATION}\n` : "\n";
    }
    yield rows;
  }
}
