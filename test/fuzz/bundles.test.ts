import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFileProblem, LoadError, loadFiles } from "../../src/actions/bundle/load.js";
import { describeFailures } from "../../src/commands/load.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { runSql } from "../support/graph-fixtures.js";
import { makeKey, NOW } from "../support/server.js";
import { use } from "../support/use.js";
import { requireNoLeak } from "./answer.js";
import { bundleBytes, SLUGS } from "./bundle-texts.js";
import { fuzz, TIME_LIMIT } from "./fuzz.js";
import { startFuzzedGateway } from "./gateway.js";
import { graphqlPost } from "./graphql-requests.js";
import { get } from "./http-requests.js";

const TABLES = [
  "credit_retirements",
  "credit_sales",
  "credit_batches",
  "emission_records",
  "facilities",
  "compliance_statuses",
  "compliance_deadlines",
  "market_prices",
  "benchmarks",
] as const;
/** An operation that reads everything that a bundle can contain. */
const EVERYTHING = `{
  organization { name }
  emissions(range: { from: "2020-01-01", to: "2029-12-31" }) {
    totalCo2eTonnesExact change { percent } byFacility { co2eTonnes } byCategory { category co2eTonnes }
    trend(step: QUARTER) { co2eTonnes } records { nodes { co2eTonnes recordedOn source } pageInfo { endCursor } }
    facilities { nodes { facility { name country } co2eTonnes } } }
  compliance { frameworks { framework lastUpdated } deadlines { nodes { title dueDate daysRemaining } } }
  credits { availableCredits issuedCredits soldCredits retiredCredits byType { quantity } byTypeAndVintage { issued }
    batches { nodes { reference available retirements { beneficiary retiredOn } sales { quantity } } } }
  benchmarks { items { sector intensity sourceUrl sourceYear } }
  market { prices { price currency sourceUrl asOf updatedAt } instruments { nodes { change { amount percent } history { priceExact } } } }
}`;

let folder: string;
const keys: string[] = [];
const gateway = use(startFuzzedGateway);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gateway-fuzz-"));
  for (const slug of SLUGS) {
    await gateway.database.prisma.organization.create({ data: { slug, name: "A" } });
    keys.push((await makeKey(gateway.database, slug)).key);
  }
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns everything that a bundle can write, as one string for comparison. */
async function everythingStored(): Promise<string> {
  const digests = [...TABLES, "organizations"].map(
    (table) => `(SELECT coalesce(md5(string_agg(t::text, ' ' ORDER BY t::text)), '') FROM ${table} AS t)`,
  );
  const [row] = await runSql<{ all: string }>(
    gateway.database,
    `SELECT ${digests.join(" || ' ' || ")} AS all`,
  );
  return row?.all ?? "";
}

async function forgetBundles(): Promise<void> {
  const tenants = "(SELECT id FROM organizations WHERE slug LIKE 'fuzz-%')";
  for (const table of TABLES) {
    const which =
      table === "benchmarks" ? "" : `WHERE organization_id IS NULL OR organization_id IN ${tenants}`;
    await runSql(gateway.database, `DELETE FROM ${table} ${which}`);
  }
}

async function load(bytes: string) {
  const file = join(folder, "bundle.json");
  await writeFile(file, bytes, "latin1");
  try {
    const [loaded] = await loadFiles(gateway.database, [file], NOW);
    return loaded;
  } catch (error) {
    // Any other error, such as a refusal by the database, is a bug.
    if (!(error instanceof LoadError && isFileProblem(error.cause))) throw error;
    // Sections are named like tables.
    requireNoLeak(
      describeFailures(error)
        .replaceAll(/emission_records|credit_batches|market_prices/g, "")
        .replace(file, ""),
    );
    return undefined;
  }
}

async function requireServed(): Promise<void> {
  await gateway.database.waitForAnnouncements();
  for (const key of keys) {
    const paths = endpoints.map(({ path }) => `/ext/v1${path}`);
    const requests = [...paths.map((path) => get(path, key)), graphqlPost({ query: EVERYTHING }, key)];
    for (const request of requests) {
      const [answer] = await gateway.send(request);
      expect([answer?.status, JSON.parse(answer?.body ?? "").errors]).toEqual([200, undefined]);
    }
  }
}

/** Throws unless a bundle is loaded completely or not at all. */
async function requireAllOrNothing(bytes: string): Promise<"loaded" | "refused"> {
  const before = await everythingStored();
  const loaded = await load(bytes);
  if (loaded === undefined) {
    expect(await everythingStored()).toBe(before);
    return "refused";
  }
  const again = Object.values((await load(bytes))?.sections ?? {});
  expect(again.filter(({ added, updated }) => added + updated > 0)).toEqual([]);
  await requireServed();
  return "loaded";
}

describe("any bundle", () => {
  it(
    "is loaded, can be repeated without change and served, or is refused as a whole",
    async (context) => {
      let loads = 0;
      const outcomes = await fuzz("bundles", context, bundleBytes, async (bytes) => {
        let outcome: "loaded" | "refused" | undefined;
        try {
          outcome = await requireAllOrNothing(bytes);
          return [outcome];
        } finally {
          if (outcome === "loaded") loads += 1;
          // Often enough to keep tables small, and seldom enough that bundles meet rows of others.
          if (outcome === undefined || loads % 20 === 19) await forgetBundles();
        }
      });
      expect(Object.keys(outcomes).toSorted()).toEqual(["loaded", "refused"]);
      await gateway.requireHealth();
    },
    TIME_LIMIT,
  );
});
