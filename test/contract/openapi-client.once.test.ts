import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import openapiTS from "openapi-typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../src/rest/ext/index.js";
import { addBenchmark, addTenantData } from "../support/fixtures.js";
import { makeFolder } from "../support/process.js";
import { type Gateway, makeKey, startGateway } from "../support/server.js";

const run = promisify(execFile);

/** What a customer would write: every call is checked against the description when it is compiled. */
const PROGRAM = `
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const [baseUrl = "", key = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { "X-API-Key": key } });

function dataOf<Data>(answer: { data?: { data: Data }; error?: { error: { code: string; message: string } } }): Data {
  if (answer.data === undefined) throw new Error(answer.error?.error.code);
  return answer.data.data;
}

const emissions = dataOf(await client.GET("/ext/v1/emissions"));
const compliance = dataOf(await client.GET("/ext/v1/compliance"));
const credits = dataOf(await client.GET("/ext/v1/credits"));
const benchmarks = dataOf(await client.GET("/ext/v1/benchmarks"));
const market = dataOf(await client.GET("/ext/v1/market"));
const total: number = emissions.total_co2e_tonnes;
const latest: string | null = emissions.latest_record;
const deadline: string | undefined = compliance.upcoming_deadlines[0]?.title;
const available: number = credits.available_credits;
const intensity: number | null | undefined = benchmarks.benchmarks[0]?.intensity;
const price: number | undefined = market.prices[0]?.price;
const change: number | null | undefined = market.prices[0]?.change_pct_24h;

const stranger = createClient<paths>({ baseUrl });
const { data, error, response } = await stranger.GET("/ext/v1/market");
const refused = [response.status, data === undefined, error?.error.code];
console.log(JSON.stringify({ total, latest, deadline, available, intensity, price, change, refused }));
`;

const MISTAKES = `
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const client = createClient<paths>({ baseUrl: "" });
const { data, error } = await client.GET("/ext/v1/emissions");
export const notThere = data?.data.total;
export const notANumber: number = data?.data.latest_record ?? "";
export const notText: number = error?.error.code ?? 0;
await client.GET("/ext/v1/emission");
await client.POST("/ext/v1/emissions");
`;

describe("a client generated from /openapi.json", () => {
  const folder = makeFolder();
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
    const described = await (await fetch(`${gateway.url}/openapi.json`)).json();
    const compilerOptions = {
      target: "es2023",
      lib: ["es2023"],
      module: "nodenext",
      types: ["node"],
      strict: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      outDir: "out",
      rootDir: ".",
    };
    const write = (name: string, text: string) => writeFile(join(folder.path, name), text);
    await symlink(resolve("node_modules"), join(folder.path, "node_modules"));
    await write("package.json", JSON.stringify({ type: "module" }));
    await write("api.ts", await openapiTS(described as Parameters<typeof openapiTS>[0]));
    await write("program.ts", PROGRAM);
    await mkdir(join(folder.path, "wrong"));
    await write("wrong/mistakes.ts", MISTAKES.replace("./api.js", "../api.js"));
    await write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["program.ts"] }));
    const wrong = { extends: "./tsconfig.json", files: ["wrong/mistakes.ts"] };
    await write("tsconfig.wrong.json", JSON.stringify(wrong));
  });
  afterAll(async () => {
    folder.remove();
    await gateway.stop();
  });

  /** Compiles a project; resolves to what the compiler says. */
  const compile = (project: string): Promise<string> =>
    run(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", join(folder.path, project)], {
      timeout: 60_000,
    }).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );

  it("compiles, and calls every endpoint", { timeout: 120_000 }, async () => {
    for (const { path } of endpoints) expect(PROGRAM).toContain(`GET("/ext/v1${path}")`);
    expect(await compile("tsconfig.json")).toBe("");

    const { database } = gateway;
    await addTenantData(database, { name: "CLIENT", digits: 7, framework: "CDP" });
    await addBenchmark(database);
    const { key } = await makeKey(database, "client");
    const { stdout } = await run(
      process.execPath,
      [join(folder.path, "out/program.js"), `${gateway.url}/api/v1`, key],
      { timeout: 30_000 },
    );
    expect(JSON.parse(stdout)).toEqual({
      total: 7.5,
      latest: "2026-11-01",
      deadline: "CLIENT deadline",
      available: 7,
      intensity: 1.91,
      price: 7.25,
      change: 7.125,
      refused: [401, true, "INVALID_KEY"],
    });
  });

  it("does not compile if it is used in a way that is not described", { timeout: 120_000 }, async () => {
    const lines = (await compile("tsconfig.wrong.json")).match(/mistakes\.ts\(\d+,\d+\): error TS\d+/g) ?? [];
    expect(lines.map((line) => Number(/\((\d+),/.exec(line)?.[1]))).toEqual([7, 8, 9, 10, 11]);
  });
});
