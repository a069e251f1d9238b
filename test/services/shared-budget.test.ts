import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CreatedKey } from "../../src/actions/keys/new-key.js";
import { type RunningProcess, startInProduction, warmUp } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";
import { runCommand } from "../support/run-command.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { useDatabase } from "../support/use.js";

const PATHS = ["/emissions", "/compliance", "/credits", "/benchmarks", "/market"];

let env: Record<string, string>;
let gateways: RunningProcess[] = [];
let acme: string;

const database = useDatabase();
beforeAll(async () => {
  env = { DATABASE_URL: database.url ?? "", REDIS_URL: redisUrl ?? "" };
  gateways = await Promise.all([startInProduction(env), startInProduction(env)]);
  acme = await makeOrganization(database);
  const { key } = await makeKey(database, acme);
  await Promise.all(gateways.map((gateway) => warmUp(gateway, key)));
});
afterAll(() => Promise.all(gateways.map((gateway) => gateway.stop("SIGKILL"))));

/** Runs a command, such as `keys revoke <id>`; returns its JSON output. */
async function run<Result = unknown>(...args: string[]): Promise<Result> {
  const { stdout, ...ended } = await runCommand([...args, "--json"], { env });
  expect(ended).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** Runs a command, and waits until both gateways have heard of it: PostgreSQL tells them of changes in their order. */
async function change<Result = unknown>(...args: string[]): Promise<Result> {
  const result = await run<Result>(...args);
  const later = await makeKey(database, acme);
  const askBoth = async () => statuses(await Promise.all([0, 1].map((index) => ask(index, later.key))));
  expect(await askBoth()).toEqual(times(2, [200, undefined]));
  await run("keys", "revoke", later.id);
  await expect.poll(askBoth).toEqual(times(2, [401, "INVALID_KEY"]));
  return result;
}

/** Sends a request to one of the gateways, alternating REST and GraphQL. */
async function ask(index: number, key: string) {
  const gateway = gateways[index % 2] as RunningProcess;
  const overRest = Math.floor(index / 2) % 2 === 0;
  const { status, headers, body } = overRest
    ? await gateway.rest(PATHS[index % PATHS.length] ?? "", key)
    : await gateway.graphql("{ organization { slug } emissions { recordCount } }", key);
  const code = "success" in body ? body.error?.code : body.errors?.[0]?.extensions.code;
  return { status, code, headers, remaining: headers.get("x-ratelimit-remaining") };
}

/** Sends four requests: one to every gateway on every surface. */
const askEverywhere = (key: string) => Promise.all([0, 1, 2, 3].map((index) => ask(index, key)));

const statuses = (answers: { status: number; code: string | undefined }[]) =>
  answers.map(({ status, code }) => [status, code]);
const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);

describe("two gateways on one PostgreSQL and one Redis", () => {
  it("answer exactly 100 of a Free key's 150 concurrent requests, over both surfaces", async () => {
    const { key } = await makeKey(database, acme, { tier: "free" });
    const answers = await Promise.all(Array.from({ length: 150 }, (_, index) => ask(index, key)));

    const answered = answers.filter(({ status }) => status === 200);
    expect(statuses(answered)).toEqual(times(100, [200, undefined]));
    const remaining = answered.map((answer) => Number(answer.remaining)).sort((a, b) => b - a);
    expect(remaining).toEqual(Array.from({ length: 100 }, (_, used) => 99 - used));

    const refused = answers.filter(({ status }) => status !== 200);
    expect(statuses(refused)).toEqual(times(50, [429, "RATE_LIMIT_EXCEEDED"]));
    for (const { headers } of refused) {
      const seconds = headers.get("retry-after");
      expect(headers.get("ratelimit")).toBe(`"free";r=0;t=${seconds}`);
      expect(Number(seconds)).toBeGreaterThan(3_500);
      expect(Number(seconds)).toBeLessThanOrEqual(3_600);
    }
    expect(gateways.flatMap(({ log }) => log().filter(({ level }) => level > 30))).toEqual([]);
  });

  it("both apply `keys update --tier` once they have heard of it, and keep the count", async () => {
    const { key, id } = await makeKey(database, acme, { tier: "free" });
    const changeTier = (tier: string) => change("keys", "update", id, "--tier", tier);
    const lowest = (answers: Awaited<ReturnType<typeof ask>>[]) =>
      Math.min(...answers.map(({ remaining }) => Number(remaining)));
    await Promise.all(Array.from({ length: 100 }, (_, index) => ask(index, key)));
    expect(statuses(await askEverywhere(key))).toEqual(times(4, [429, "RATE_LIMIT_EXCEEDED"]));

    await changeTier("pro");
    const upgraded = await askEverywhere(key);
    expect(statuses(upgraded)).toEqual(times(4, [200, undefined]));
    expect(lowest(upgraded)).toBe(1_000 - 104);

    await changeTier("free");
    expect(statuses(await askEverywhere(key))).toEqual(times(4, [429, "RATE_LIMIT_EXCEEDED"]));

    await changeTier("enterprise");
    expect(lowest(await askEverywhere(key))).toBe(10_000 - 108);
  });

  it("both refuse a key once they have heard of `keys revoke`", async () => {
    const { key, id } = await makeKey(database, acme);
    expect(statuses(await askEverywhere(key))).toEqual(times(4, [200, undefined]));

    await change("keys", "revoke", id);
    expect(statuses(await askEverywhere(key))).toEqual(times(4, [401, "INVALID_KEY"]));
  });

  it("both accept the new key instead of the old one once they have heard of `keys rotate`", async () => {
    const { key, id } = await makeKey(database, acme);
    expect(statuses(await askEverywhere(key))).toEqual(times(4, [200, undefined]));

    const rotated = await change<CreatedKey>("keys", "rotate", id);
    expect(statuses(await askEverywhere(key))).toEqual(times(4, [401, "INVALID_KEY"]));
    expect(statuses(await askEverywhere(rotated.key))).toEqual(times(4, [200, undefined]));
  });

  it("both accept the old key next to the new one while `keys rotate --overlap` lasts", async () => {
    const { key, id } = await makeKey(database, acme);
    const rotated = await run<CreatedKey>("keys", "rotate", id, "--overlap", "1");
    for (const either of [key, rotated.key]) {
      expect(statuses(await askEverywhere(either))).toEqual(times(4, [200, undefined]));
    }
  });

  it("both refuse a key from the moment it expires", async () => {
    const expiresAt = new Date(Date.now() + 1_500);
    const { key } = await makeKey(database, acme, { expiresAt });
    for (;;) {
      const [before, answers, after] = [Date.now(), await askEverywhere(key), Date.now()];
      // Answers around the moment of expiry may be either.
      if (after < expiresAt.getTime()) expect(statuses(answers)).toEqual(times(4, [200, undefined]));
      if (before < expiresAt.getTime()) continue;
      expect(statuses(answers)).toEqual(times(4, [401, "INVALID_KEY"]));
      break;
    }
  });
});
