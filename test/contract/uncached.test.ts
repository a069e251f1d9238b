import { readFile } from "node:fs/promises";
import { buildSchema, getNamedType } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TABLES } from "../../src/generated/tables.js";
import { requiredScopes } from "../../src/graphql/schema/scope-directive.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { addTenantData } from "../support/fixtures.js";
import { ORGANIZATION, selectColumn } from "../support/graph-fixtures.js";
import { signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { FOR_SUPER_ADMINS, NEEDS_DATA, ROOT_ARGUMENTS, selectRoot } from "../support/selections.js";
import { type Gateway, NOW, startGateway } from "../support/server.js";
import { recordStatements } from "../support/statements.js";

const schema = buildSchema(await readFile(SCHEMA_FILE, "utf8"));
const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
const isUncached = ({ astNode }: (typeof fields)[number]) =>
  astNode?.directives?.some(({ name }) => name.value === "uncached") ?? false;

/** Returns the table of the objects that a field finds by id, by the name of its type; undefined without an id. */
function tableOf({ type, args }: (typeof fields)[number]): string | undefined {
  if (!args.some(({ name }) => name === "id")) return undefined;
  const tables: Readonly<Record<string, string>> = {
    Deadline: TABLES.ComplianceDeadline,
    WholeConversation: TABLES.Conversation,
    ...TABLES,
  };
  return tables[getNamedType(type).name];
}
/** Fields that differ from call to call. */
const CHANGING = ["RateLimit.used", "RateLimit.remaining", "RateLimit.resetAt", "ApiKey.budget"];
/** Fields that are refused without an instrument or an open request. */
const REFUSED = ["Market.anomalies", "VerificationRequest.records"];
/** Fields of cached fields that make an answer uncached. */
const UNCACHED = ["AnomalyAcknowledgement.acknowledgedByName"];

let gateway: Gateway;
/** A gateway on the same database that hears of no changes, and so caches nothing. */
let uncached: Gateway;
/** Two owners of one organization. */
let owners: readonly TestPerson[];
let superAdmins: readonly TestPerson[];
let announced: readonly string[];

beforeAll(async () => {
  const env = { PUBLIC_URL: "http://localhost" };
  gateway = await startGateway({ env });
  const listen = async () => ({ isListening: () => false, stop: async () => undefined });
  uncached = await startGateway({ env, database: { ...gateway.database, listen } });
  const { database } = gateway;
  await addTenantData(database, { name: "ACME", digits: 1_234, framework: "CDP" });
  const [ada, ben] = [await newOwner("Ada"), await newOwner("Ben")];
  owners = [ada, ben];
  superAdmins = [await signUpSuperAdmin(gateway), await signUpSuperAdmin(gateway)];
  const whose = { organizationId: ada.organization.id, userId: ada.user.id };
  const { id: conversationId } = await database.prisma.conversation.create({
    data: { ...whose, module: "emissions", createdAt: NOW, lastMessageAt: NOW },
  });
  const message = {
    ...whose,
    conversationId,
    position: 0,
    role: "user",
    said: "How much?",
    sentAt: NOW,
  } as const;
  await database.prisma.chatMessage.create({ data: message });
  await addTenantData(database, { name: "OTHER", digits: 4_321, framework: "CDP" });
  await database.prisma.verificationRequest.updateMany({
    where: { organization: { slug: "other" } },
    data: {
      verifierId: ben.user.id,
      verifierOrganizationId: ben.organization.id,
      verifierAcceptedAt: NOW,
      verifierConfirmedAt: NOW,
    },
  });
  await ada.graphql(
    'mutation { createApiKey(input: { name: "Key", scopes: ["read:market"], tier: FREE }) { key } }',
  );
  await ada.graphql('mutation { createServiceAccount(input: { name: "Import", role: VIEWER }) { token } }');
  announced = await selectColumn(
    database,
    `SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
     WHERE proname IN ('announce_changes', 'announce_changes_to_all')`,
  );
});
afterAll(async () => {
  await uncached.stop();
  await gateway.stop();
});

const newOwner = (name: string) => signUp(gateway, { organization: "acme", name });

/** Returns arguments of a field of Query, with the id of an existing row. */
async function argumentsOf(field: string): Promise<string | undefined> {
  const find = (column: string, table: string) =>
    selectColumn(
      gateway.database,
      `SELECT ${column} FROM ${table} WHERE organization_id = ${ORGANIZATION} LIMIT 1`,
      "acme",
    );
  if (field === "verificationCertificate") return `(number: "${await find("number", "certificates")}")`;
  const [found] = fields.filter(({ name }) => name === field);
  const table = found && tableOf(found);
  return table ? `(id: "${await find("id::text", table)}")` : ROOT_ARGUMENTS[field];
}

async function queryOf(field: string): Promise<string> {
  const rootArguments = await argumentsOf(field);
  return selectRoot(schema, field, {
    rootArguments,
    // The statements of many issues exceed the cost limit.
    omitted: [...CHANGING, ...REFUSED, ...UNCACHED, ...NEEDS_DATA, "VerificationRequest.inventory"],
  });
}

/** Asks as a person; returns the answer's body. */
async function ask(of: Gateway, { session }: TestPerson, query: string) {
  const { body } = await of.call<{ data: Record<string, unknown>; errors?: unknown }>("/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${session.token}` },
    body: JSON.stringify({ query }),
  });
  return { data: body.data, errors: body.errors };
}

/** Number of lookups in the cache of answers, by where the answer came from. */
async function lookups(): Promise<Record<string, number>> {
  const { body } = await gateway.call<string>("/metrics");
  const counts = body.matchAll(/^gateway_memory_lookups_total\{(.*graphql.*)\} (\d+)$/gm);
  return Object.fromEntries(
    [...counts].map(([, labels = "", count]) => [/result="(\w+)"/.exec(labels)?.[1], Number(count)]),
  );
}

describe("schema.graphql", () => {
  it("declares every field of Query without a scope as uncached", () => {
    const unscoped = fields.filter((field) => requiredScopes(schema, field).length === 0);
    expect(unscoped.map(({ name }) => name)).toContain("viewer");
    expect(unscoped.filter((field) => !isUncached(field)).map(({ name }) => name)).toEqual([]);
  });
});

// No inventory is issued here.
const answered = fields.filter(({ name }) => !["inventoryIssue", "baseYearStatus"].includes(name));

describe.each(answered.map((field) => [field.name, field] as const))("{ %s }", (name, field) => {
  const people = () => (FOR_SUPER_ADMINS.includes(name) ? superAdmins : owners) as [TestPerson, TestPerson];

  it("gives each of two users the same as without a cache", async () => {
    const query = await queryOf(name);
    const fresh: unknown[] = [];
    for (const person of people()) {
      const own = await ask(uncached, person, query);
      expect(await ask(gateway, person, query)).toEqual(own);
      fresh.push(own);
    }
    expect(fresh).toContainEqual({ data: { [name]: expect.anything() }, errors: undefined });
  });

  it(
    isUncached(field)
      ? "is computed for each of them"
      : "is computed once, the same for both, from tables whose changes are announced",
    async () => {
      const [first, second] = people();
      // A name that no other test uses, so that nothing is cached.
      const query = `query Both ${await queryOf(name)}`;
      for (const person of people()) await ask(gateway, person, "{ viewer { user { id } } }");
      const before = await lookups();
      const { answer, statements } = await recordStatements(() => ask(gateway, first, query));
      await ask(gateway, second, query);
      const after = await lookups();
      const added = Object.keys(after).map((from) => [from, (after[from] ?? 0) - (before[from] ?? 0)]);
      const counts = isUncached(field)
        ? { computed: 0, remembered: 0, shared: 0 }
        : { computed: 1, remembered: 1, shared: 0 };
      expect(Object.fromEntries(added)).toEqual(counts);
      if (isUncached(field)) return;
      expect(await ask(uncached, second, query)).toEqual(answer);
      const unannounced = statements.flatMap(({ text }) => {
        const tables = [...text.matchAll(/"own (\w+)/g)].map(([, table = ""]) => table);
        return tables.length > 0 && tables.every((table) => announced.includes(table)) ? [] : [text];
      });
      expect(unannounced).toEqual([]);
    },
  );
});
