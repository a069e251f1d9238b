import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createScratchDatabase, median } from "./database.js";

/** The command as it is built, or else from its source. */
const GATEWAY = existsSync("dist/main.js") ? ["dist/main.js"] : ["--import", "tsx", "src/main.ts"];
const FACILITIES = 5;

interface Figures {
  copySeconds: number[];
  importSeconds: number[];
  peakMegabytes: number[];
}

/**
 * How fast `import` is beside psql's `\copy` of the same file into a plain table with the same types and no indexes,
 * and the most memory it takes. Both are processes, timed from start to end, in turns, and each on a fresh database:
 * the medians of three, of sizes over a million rows one.
 */
export async function compareImports(sizes: readonly number[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-bench-"));
  console.log(`\nImport (${GATEWAY.join(" ")})`);
  console.log("| rows | \\copy, rows/s | import, rows/s | ratio | most memory |\n|---|---|---|---|---|");
  try {
    for (const size of sizes) {
      const file = join(folder, `${size}.csv`);
      await pipeline(Readable.from(generateRows(size)), createWriteStream(file));
      const figures: Figures = { copySeconds: [], importSeconds: [], peakMegabytes: [] };
      for (let round = 0; round < (size > 1_000_000 ? 1 : 3); round += 1) await measure(file, figures);
      await rm(file);
      const [copy, own] = [median(figures.copySeconds), median(figures.importSeconds)];
      const speed = (seconds: number) => Math.round(size / seconds).toLocaleString("en");
      const memory = `${Math.round(median(figures.peakMegabytes))} MB`;
      console.log(
        `| ${size.toLocaleString("en")} | ${speed(copy)} | ${speed(own)} | 1:${(own / copy).toFixed(1)} | ${memory} |`,
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measure(file: string, figures: Figures): Promise<void> {
  const { url, database, drop } = await createScratchDatabase("gateway_bench_import");
  try {
    await database.transaction((sql) =>
      sql.script(`
        CREATE TABLE plain (recorded_on date, scope emission_scope, co2e_tonnes numeric(24,6), facility text,
          category text, source text, reference text);
        INSERT INTO organizations (slug, name) VALUES ('acme', 'Acme');
        INSERT INTO facilities (organization_id, code, name, country)
        SELECT id, 'F' || n, 'Facility ' || n, 'IN' FROM organizations, generate_series(0, ${FACILITIES - 1}) AS n`),
    );
    const started = performance.now();
    await promisify(execFile)("psql", [url, "-c", `\\copy plain FROM '${file}' CSV HEADER`]);
    figures.copySeconds.push((performance.now() - started) / 1_000);
    const { seconds, peakMegabytes } = await runImport(url, file);
    figures.importSeconds.push(seconds);
    figures.peakMegabytes.push(peakMegabytes);
  } finally {
    await drop();
  }
}

async function runImport(url: string, file: string) {
  const started = performance.now();
  const child = spawn(process.execPath, [...GATEWAY, "import", file, "--organization", "acme"], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ["ignore", "ignore", "inherit"],
  });
  let peakMegabytes = Number.NaN;
  // Of a process that has ended, Linux tells no more.
  const watch = setInterval(() => {
    peakMegabytes = readPeak(child.pid) ?? peakMegabytes;
  }, 50);
  const [code] = await once(child, "exit");
  clearInterval(watch);
  if (code !== 0) throw new Error(`import ended with ${code}`);
  return { seconds: (performance.now() - started) / 1_000, peakMegabytes };
}

/** The most memory that a process has had so far. */
function readPeak(pid: number | undefined): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : (Number(kilobytes) * 1_024) / 1_000_000;
  } catch {
    return undefined;
  }
}

/** Records of two years, five facilities and ten categories, none of which follows from another. */
function* generateRows(count: number): Generator<string> {
  yield "recorded_on,scope,co2e_tonnes,facility,category,source,reference\n";
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
      rows += `${days[random(730)]},scope_${1 + random(3)},${random(1_000_003) / 1_000},F${random(FACILITIES)},`;
      rows += `category ${random(10)},meter ${random(50)},R-${n}\n`;
    }
    yield rows;
  }
}
