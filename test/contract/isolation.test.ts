import { readFile } from "node:fs/promises";
import { type GraphQLNamedType, getNamedType, isObjectType, isRequiredArgument } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSchema } from "../../src/graphql/schema.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { endpoints } from "../../src/rest/endpoints/index.js";
import { REST_PREFIXES } from "../../src/rest/router.js";
import { addBenchmark, addFeed, addPrice, addTenantData } from "../support/fixtures.js";
import { type Gateway, makeKey, NOW, startGateway } from "../support/server.js";

// Each tenant's texts hold its name, and its numbers its own digits, in any order of magnitude.
const ALPHA = { name: "ALPHA", digits: 4_242_424, framework: "EU_CBAM" } as const;
const BRAVO = { name: "BRAVO", digits: 7_373_737, framework: "TCFD" } as const;
type Tenant = typeof ALPHA | typeof BRAVO;

/** What one tenant's answers have to hold, so that a walk which sees nothing fails. */
const markersOf = ({ name, digits, framework }: Tenant) => [
  `"slug":"${name.toLowerCase()}"`,
  ...[`${name} organization`, `${name} deadline`, `${name} status`].map((text) => `"${text}"`),
  ...[`${name} credits`, `${name} exchange`, `${name} source`].map((text) => `"${text}"`),
  `https://example.org/${name}`,
  `"totalCo2eTonnes":${digits}.5`,
  `"total_co2e_tonnes":${digits}.5`,
  `"availableCredits":${digits}`,
  `"quantity":${digits}`,
  `"price":${digits}.25`,
  `"framework":"${framework}"`,
];
const PLATFORM = ["PLATFORM sector", "PLATFORM publication", "PLATFORM exchange"];

let gateway: Gateway;
let queries: string[];
const keys = new Map<Tenant, string>();

beforeAll(async () => {
  gateway = await startGateway();
  queries = queriesOfEverything(createSchema(await readFile(SCHEMA_FILE, "utf8")).getQueryType());
  const { database } = gateway;
  await addBenchmark(database, { sector: "PLATFORM sector", source: "PLATFORM publication" });
  await addPrice(database, null, { exchange: "PLATFORM exchange" });
  await addFeed(database, NOW);
});
afterAll(() => gateway.stop());

/** One query of each root field, with every field and every relation down to the leaves. */
function queriesOfEverything(query: GraphQLNamedType | null | undefined): string[] {
  if (!isObjectType(query)) throw new Error("the schema has no queries");
  return Object.values(query.getFields()).map((root) => {
    const select = (type: GraphQLNamedType, above: readonly string[]): string => {
      if (!isObjectType(type)) return "";
      const fields = Object.values(type.getFields()).flatMap((field) => {
        const below = getNamedType(field.type);
        if (above.includes(below.name)) return [];
        if (field.args.some(isRequiredArgument))
          throw new Error(`say here what ${type.name}.${field.name} takes`);
        return [`${field.name}${select(below, [...above, below.name])}`];
      });
      return ` { ${fields.join(" ")} }`;
    };
    const type = getNamedType(root.type);
    return `{ ${root.name}${select(type, [type.name])} }`;
  });
}

async function addTenant(tenant: Tenant): Promise<void> {
  await addTenantData(gateway.database, tenant);
  const slug = tenant.name.toLowerCase();
  keys.set(tenant, (await makeKey(gateway.database, slug, { name: `${tenant.name} key` })).key);
}

/** Every answer that a tenant's key can get, by what was asked; what differs from call to call is left out. */
async function everythingOf(tenant: Tenant): Promise<Record<string, unknown>> {
  const key = keys.get(tenant) ?? "";
  const answers: Record<string, unknown> = {};
  for (const query of queries) {
    const { status, body } = await gateway.graphql(query, key);
    expect([query, status, body.errors]).toEqual([query, 200, undefined]);
    if (!query.startsWith("{ rateLimit")) answers[query] = body.data;
  }
  for (const prefix of REST_PREFIXES)
    for (const { path } of endpoints) {
      const answer = await fetch(`${gateway.url}${prefix}${path}`, { headers: { "X-API-Key": key } });
      expect([path, answer.status]).toEqual([path, 200]);
      answers[prefix + path] = ((await answer.json()) as { data: unknown }).data;
    }
  return answers;
}

describe("all that a key can read, by every field of the graph and every endpoint,", () => {
  let alphaAlone: Record<string, unknown>;
  beforeAll(async () => {
    await addTenant(ALPHA);
    alphaAlone = await everythingOf(ALPHA);
    await addTenant(BRAVO);
  });

  it("is every root field and every endpoint at both prefixes", () => {
    expect(Object.keys(alphaAlone).map((asked) => asked.replace(/^\{ (\w+)[\s\S]*/, "$1"))).toEqual([
      ...["organization", "emissions", "compliance", "credits", "benchmarks", "market"],
      ...REST_PREFIXES.flatMap((prefix) =>
        ["emissions", "compliance", "credits", "benchmarks", "market"].map((path) => `${prefix}/${path}`),
      ),
    ]);
  });

  it.each([
    { own: ALPHA, other: BRAVO },
    { own: BRAVO, other: ALPHA },
  ])("is what $own.name owns and the platform's, and nothing of $other.name", async ({ own, other }) => {
    const text = JSON.stringify(await everythingOf(own));
    for (const marker of [...markersOf(own), ...PLATFORM]) expect(text).toContain(marker);

    const { id } = await gateway.database.prisma.organization.findUniqueOrThrow({
      where: { slug: other.name.toLowerCase() },
    });
    for (const marker of [other.name, String(other.digits), other.framework, id])
      expect(text.toLowerCase()).not.toContain(marker.toLowerCase());
  });

  it("is the same as before there was another tenant", async () => {
    expect(await everythingOf(ALPHA)).toEqual(alphaAlone);
  });
});
