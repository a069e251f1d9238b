import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { GraphQLSchema } from "graphql";
import pLimit from "p-limit";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { ROLE_SCOPES } from "../../src/domain/people/roles.js";
import { createSchema } from "../../src/graphql/schema/schema.js";
import { REST_PREFIXES } from "../../src/http/surface.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { endpoints } from "../../src/rest/ext/index.js";
import {
  addBenchmark,
  addCctsPeriod,
  addFactor,
  addFeed,
  addMetric,
  addPrice,
  addRecord,
  addTenantData,
} from "../support/fixtures.js";
import { mutationsOf, SAMPLE_ID } from "../support/mutations.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { ANALYSES, BY_ID, FOR_PEOPLE, FOR_SUPER_ADMINS, selectRoot } from "../support/selections.js";
import { type Envelope, type Gateway, makeKey, NOW, startGateway } from "../support/server.js";
import { addServiceAccount, type TestServiceAccount } from "../support/service-accounts.js";
import { listV1 } from "../support/v1.js";

// Each tenant's strings contain its name, and its numbers contain its digits, at any magnitude.
const ALPHA = { name: "ALPHA", digits: 4_242_424, framework: "EU_CBAM" } as const;
const BRAVO = { name: "BRAVO", digits: 7_373_737, framework: "TCFD" } as const;
type Tenant = typeof ALPHA | typeof BRAVO;
const TENANTS = [
  { own: ALPHA, other: BRAVO },
  { own: BRAVO, other: ALPHA },
];

/** Returns an answer in lower case, without hashes and cursors, which may contain any four letters by chance. */
const textOf = (answer: object): string => {
  const hashed = /"(?:id":"[\w-]{27}|cursor":"[\w-]+|(?:start|end)Cursor":"[\w-]+)"/g;
  return JSON.stringify(answer).replaceAll(hashed, '""').toLowerCase();
};

/** Values that a tenant's answers must contain, by path in the graph: a test without data would prove nothing. */
const ownAt = ({ name, digits, framework }: Tenant): Record<string, unknown> => ({
  "organization.slug": name.toLowerCase(),
  "emissions.totalCo2eTonnes": digits + 0.5,
  "emissions.trend.byScope.co2eTonnes": digits + 0.5,
  "emissions.change.previousCo2eTonnes": digits + 0.25,
  "emissions.byFacility.facility.name": `${name} facility`,
  "emissions.byFacility.co2eTonnes": digits + 0.5,
  "emissions.byCategory.category": `${name} category`,
  "emissions.facilities.nodes.facility.code": `${name} code`,
  "emissions.facilities.nodes.co2eTonnes": digits + 0.5,
  "emissions.facilities.edges.node.facility.code": `${name} code`,
  "emissions.records.nodes.reference": `${name} record`,
  "emissions.records.nodes.source": `${name} source`,
  "emissions.records.nodes.facility.name": `${name} facility`,
  "emissions.records.edges.node.co2eTonnesExact": `${digits}.5`,
  "compliance.frameworks.framework": framework,
  "compliance.frameworks.upcomingDeadlines.title": `${name} deadline`,
  "compliance.upcomingDeadlines.title": `${name} deadline`,
  "compliance.frameworks.note": `${name} note`,
  "compliance.deadlines.nodes.status": `${name} status`,
  "compliance.deadlines.nodes.evidence": `${name} evidence`,
  "compliance.deadlines.nodes.sourceUrl": `https://example.org/${name}`,
  "compliance.deadlines.edges.node.title": `${name} deadline`,
  "compliance.cctsPeriods.nodes.entity": `${name} entity`,
  "compliance.cctsPeriods.nodes.surplusExact": String(-0.25 * digits * 100),
  "compliance.cctsPeriods.edges.node.outputExact": `${digits}00`,
  "compliance.cbamDeclarations.nodes.massTExact": `${digits}.5`,
  "compliance.cbamDeclarations.nodes.rulesetDigest": `${name} digest`,
  "compliance.cbamDeclarations.nodes.certificatesHeld": digits,
  "compliance.cbamDeclarations.nodes.imports.good": `${name} good`,
  "compliance.cbamDeclarations.edges.node.certificatesToBuy": digits,
  "credits.availableCredits": digits,
  "credits.byType.creditType": `${name} credits`,
  "credits.byTypeAndVintage.issued": digits + 3,
  "credits.batches.nodes.reference": `${name} batch`,
  "credits.batches.nodes.available": digits,
  "credits.batches.nodes.sales.reference": `${name} sale`,
  "credits.batches.nodes.retirements.beneficiary": `${name} beneficiary`,
  "credits.batches.edges.node.creditType": `${name} credits`,
  "credits.retirements.nodes.reference": `${name} retirement`,
  "credits.retirements.nodes.batch.reference": `${name} batch`,
  "credits.retirements.nodes.batch.sales.reference": `${name} sale`,
  "credits.retirements.edges.node.beneficiary": `${name} beneficiary`,
  "credits.retirements.nodes.purpose": `${name} purpose`,
  "credits.sales.nodes.buyer": `${name} buyer`,
  "credits.sales.nodes.batch.reference": `${name} batch`,
  "credits.sales.edges.node.priceExact": `${digits}.125`,
  "market.prices.price": digits + 0.25,
  "market.prices.sourceUrl": `https://example.org/${name}`,
  "market.instruments.nodes.exchange": `${name} exchange`,
  "market.instruments.nodes.latestPrice.price": digits + 0.25,
  "market.instruments.nodes.history.source": `${name} source`,
  "market.instruments.nodes.change.previous.price": digits + 0.125,
  "market.instruments.edges.node.creditType": `${name} credits`,
  "viewer.organization.slug": name.toLowerCase(),
  "viewer.organizations.organization.slug": name.toLowerCase(),
  "viewer.notificationPreferences.settings.channels.webhook.url": `https://example.org/${name}`,
  "viewer.notifications.nodes.title": `${name} notice`,
  "viewer.sessions.nodes.userAgent": `${name} browser`,
  "viewer.notifications.edges.node.body": `${name} body`,
  "apiKeys.nodes.name": `${name} key`,
  "apiKeys.nodes.createdBy.name": `${name} owner`,
  "apiKeys.nodes.usage.requests": digits,
  "serviceAccounts.nodes.name": `${name} account`,
  "serviceAccounts.nodes.createdBy.name": `${name} owner`,
  "caller.serviceAccount.serviceAccount.name": `${name} account`,
  "webhookEndpoints.nodes.description": `${name} endpoint`,
  "webhookEndpoints.nodes.deliveries.nodes.lastError": `${name} error`,
  "webhookEndpoints.edges.node.url": `https://example.org/${name}`,
  "auditLog.entries.nodes.actorName": `${name} owner`,
  "members.nodes.user.name": `${name} member`,
  "members.edges.node.user.email": `owner@${name.toLowerCase()}.example`,
  "invitations.nodes.email": `guest@${name.toLowerCase()}.example`,
  "invitations.edges.node.role": "VIEWER",
  "verificationRequests.nodes.number": `${name} number`,
  "verificationRequests.nodes.opinionStatement": `${name} conclusion`,
  "verificationRequests.nodes.findings.text": `${name} finding`,
  "verificationRequests.nodes.statusChanges.note": `${name} note`,
  "verificationRequests.edges.node.snapshot.totalCo2eTonnesExact": `${digits}.5`,
  "verificationRequests.nodes.certificate.statement": `{"organization":"${name} statement"}`,
  "verificationCertificates.nodes.statement": `{"organization":"${name} statement"}`,
  "emissionRecords.nodes.note": `${name} note`,
  "emissionRecords.nodes.facility.name": `${name} facility`,
  "facilities.nodes.name": `${name} facility`,
  "facilities.edges.node.code": `${name} code`,
  "emissionKpis.totalCo2eTonnes": digits + 0.5,
  "emissionKpis.byFacility.facility.name": `${name} facility`,
  "emissionKpis.marketBasedScope2Tonnes": digits + 0.5,
  "emissionKpis.intensities.metric": `${name} metric`,
  "emissionKpis.intensities.missingMonths": "2026-09",
  "businessMetrics.nodes.unit": `${name} unit`,
  "businessMetrics.edges.node.value": digits + 0.75,
  "emissionFactors.nodes.activity": `${name} activity`,
  "activityMappings.nodes.text": `${name} text`,
  "activityMappings.edges.node.factor.activity": `${name} activity`,
  "market.instruments.nodes.change.previous.contract": `${name} contract`,
  "market.priceIndex.values.instruments.price": digits + 0.75,
  "emissionFactors.edges.node.factorExact": `${digits}.5`,
  "energyInstruments.nodes.evidence": `${name} evidence`,
  "energyInstruments.edges.node.claims.reason": `${name} reason`,
  "conversations.nodes.title": `${name}?`,
  "conversations.edges.node.module": "EMISSIONS",
  "/ext/v1/emissions.total_co2e_tonnes": digits + 0.5,
  "/ext/v1/compliance.upcoming_deadlines.title": `${name} deadline`,
  "/ext/v1/credits.available_credits": digits,
  "/ext/v1/market.prices.price": digits + 0.25,
});
/** Values of the platform that all tenants' answers must contain. */
const PLATFORM = {
  "benchmarks.items.source": "PLATFORM publication",
  "market.prices.exchange": "PLATFORM exchange",
  "market.instruments.nodes.history.exchange": "PLATFORM exchange",
  "/ext/v1/benchmarks.benchmarks.sector": "PLATFORM sector",
  "emissionFactors.nodes.source": "Own measurements",
  "compliance.cataloguedDeadlines.source": "Singapore Budget 2026",
  "activeAnnouncements.title": "PLATFORM announcement",
  "calculate.results.calculation.factor.detail": "PLATFORM detail",
  "emissionRecords.nodes.calculation.factor.otherName": "PLATFORM name",
};
/** Arguments of root fields. */
const ROOT_ARGUMENTS: Readonly<Record<string, string>> = {
  facilities: "(includeArchived: true)",
  inventory: "(year: 2025)",
  inventoryIssues: "(year: 2025, first: 3)",
  vsmeReport: "(year: 2025)",
  calculate: `(items: [{ amount: "2", unit: "kg", selector: { activity: "PLATFORM name", region: "PLATFORM region" } }])`,
  cbamEstimate: `(input: { year: 2026, quarter: Q3, years: [2026], lines: [
    { cnCode: "25231000", country: "IN", route: "B", massT: "2" },
    { cnCode: "72083600", country: "IN", basis: ACTUAL, directTco2ePerT: "2", massT: "2" }] })`,
};

/** Fields of BY_ID with other arguments than an id. */
const NOT_BY_ID = ["verificationCertificate", "inventoryIssue"];

/** Mutations that refuse an owner for another reason than the id. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  enforceSingleSignOn: "is not enabled",
  updateAnnouncement: "FORBIDDEN",
  deleteAnnouncement: "FORBIDDEN",
};

const OUTDATED = "VERSION_MISMATCH: expectedVersion is 99, and the current version is ";

/** Mutations that need a valid endpoint, the verifier of a request, or a super admin. */
const NOT_BY_OWNER = [
  "rotateWebhookSecret",
  "startVerification",
  "requestVerificationChanges",
  "decideVerification",
  "updateAnnouncement",
  "deleteAnnouncement",
];

const readSchema = async () => createSchema(await readFile(SCHEMA_FILE, "utf8"));

let gateway: Gateway;
let queries: Map<string, string>;
const keys = new Map<Tenant, string>();
const owners = new Map<Tenant, TestPerson>();
const accounts = new Map<Tenant, TestServiceAccount>();

beforeAll(async () => {
  // A user tries every mutation with every id of the other tenant.
  gateway = await startGateway({ env: { SESSION_REQUESTS_PER_HOUR: "999999999" } });
  queries = queriesOfEverything(await readSchema());
  const { database } = gateway;
  await addBenchmark(database, {
    sector: "PLATFORM sector",
    source: "PLATFORM publication",
    region: "Global",
    period: "2023",
  });
  for (const asOf of ["2026-11-17", "2026-11-18"]) {
    const sourceUrl = "https://example.org/platform";
    await addPrice(database, null, { exchange: "PLATFORM exchange", changePct24h: 1, sourceUrl, asOf });
  }
  await addFactor(database, null, {
    activity: "PLATFORM activity",
    otherName: "PLATFORM name",
    detail: "PLATFORM detail",
    region: "PLATFORM region",
    gas: "CO2",
    category: "purchased_heat",
    sourceFactorId: "PLATFORM factor",
  });
  await database.prisma.announcement.create({
    data: {
      title: "PLATFORM announcement",
      body: "Text",
      level: "info",
      startsAt: NOW,
      endsAt: new Date(NOW.getTime() + 3_600_000),
    },
  });
  await addFeed(database, NOW);
});
afterAll(() => gateway.stop());

/** Returns a query of each root field with all fields down to the leaves, except those tested elsewhere. */
function queriesOfEverything(schema: GraphQLSchema): Map<string, string> {
  // Fields that find an object by its id are tested below, and the platform's in separate tests.
  const roots = Object.keys(schema.getQueryType()?.getFields() ?? {}).filter(
    (name) => ![...BY_ID, ...FOR_SUPER_ADMINS].includes(name),
  );
  // A key's budget differs from call to call. The statements of many issues exceed the cost limit.
  const omitted = ["ApiKey.budget", "VerificationRequest.inventory", ...ANALYSES];
  return new Map(
    roots.map((root) => [root, selectRoot(schema, root, { rootArguments: ROOT_ARGUMENTS[root], omitted })]),
  );
}

/** Adds a tenant with rows in all tables, and a second, earlier row where fields compare two. */
async function addTenant(tenant: Tenant): Promise<void> {
  const { database } = gateway;
  const { name, digits } = tenant;
  const slug = name.toLowerCase();
  await addTenantData(database, tenant);
  await addRecord(database, slug, { recordedOn: "2025-06-30", co2eTonnes: `${digits}.25` });
  for (const asOf of ["2026-11-17", "2026-11-18"]) {
    const named = { region: `${name} region`, contract: `${name} contract`, statutoryUntil: "2026-12-31" };
    await addPrice(database, slug, { ...named, asOf, price: `${digits}.75` });
  }
  const months = ["2025-11", "2025-12", ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((month) => `2026-0${month}`)];
  const metric = { unit: `${name} unit`, value: `${digits}.75` };
  await addMetric(database, slug, months, { ...metric, name: `${name} metric` });
  await addMetric(database, slug, ["2026-10"], { ...metric, name: `${name} other metric` });
  await addPrice(database, slug, {
    creditType: `${name} credits`,
    exchange: `${name} exchange`,
    source: `${name} source`,
    price: `${digits}.125`,
    changePct24h: `${digits}.125`,
    asOf: "2026-11-17",
    sourceUrl: `https://example.org/${name}`,
  });
  // One period without a price, and one with a price and surrendered certificates.
  await addCctsPeriod(database, slug, { entity: `${name} entity`, financialYear: "2026-27" });
  keys.set(tenant, (await makeKey(database, slug, { name: `${name} key` })).key);
  const person = { organization: slug, name: `${name} owner`, email: `owner@${slug}.example` };
  const owner = await signUp(gateway, person);
  const seen = { address: "203.0.113.7", userAgent: `${name} browser` };
  await database.prisma.session.update({ where: { id: owner.session.id }, data: seen });
  owners.set(tenant, owner);
  await addMember(gateway, slug, "viewer", { name: `${name} member` });
  await database.prisma.notificationPreferences.create({
    data: {
      userId: owner.user.id,
      emailAddress: `${name}@example.org`,
      webhookUrl: `https://example.org/${name}`,
    },
  });
  await database.prisma.notification.create({
    data: {
      userId: owner.user.id,
      organizationId: owner.organization.id,
      key: "x",
      category: "credit",
      severity: "low",
      title: `${name} notice`,
      body: `${name} body`,
      link: "/console/credits",
      inApp: true,
      createdAt: NOW,
      readAt: NOW,
    },
  });
  await owner.graphql(
    `mutation { inviteMember(input: { email: "guest@${slug}.example", role: VIEWER }) { link } }`,
  );
  const made = await owner.graphql(`mutation { createApiKey(input: { name: "${name} second key",
    scopes: ["read:market"], tier: FREE, expiresAt: "2027-01-01T00:00:00Z" }) { apiKey { id } } }`);
  const keyId = made.body.data.createApiKey.apiKey.id;
  await owner.graphql(
    `mutation { rotateApiKey(input: { id: "${keyId}", overlapHours: 0 }) { apiKey { id } } }`,
  );
  await database.prisma.apiKeyUsage.create({ data: { keyId, hour: NOW, requests: digits } });
  const account = await addServiceAccount(gateway, owner, {
    name: `${name} account`,
    scopes: [...ROLE_SCOPES.admin],
    expires_at: "2027-01-01T00:00:00Z",
  });
  accounts.set(tenant, account);
  await database.prisma.serviceAccountToken.updateMany({
    where: { serviceAccountId: account.id },
    data: { lastUsedAt: NOW },
  });
  await addOwnRecords(owner, tenant);
  await addConversation(owner, tenant);
  await addEnergy(owner, tenant);
  await addEntities(owner, tenant);
}

/** Adds an entity with a facility, held by another entity. */
async function addEntities(owner: TestPerson, { name }: Tenant): Promise<void> {
  const facility = await gateway.database.prisma.facility.findFirstOrThrow({
    where: { organizationId: owner.organization.id, code: `${name} code` },
  });
  const holdings = [
    { from: "2025-01", equityShare: "0.5", financialControl: "JOINT", operationalControl: true },
  ];
  const entity = { code: `${name} top`, name: `${name} top entity`, country: "DE", holdings };
  const { body } = await owner.graphql(
    `mutation ($top: SaveEntityInput!, $held: SaveEntityInput!, $facility: UpdateFacilityInput!) {
      top: saveEntity(input: $top) { entity { code } }
      held: saveEntity(input: $held) { entity { code } }
      updateFacility(input: $facility) { facility { id } }
    }`,
    {
      top: entity,
      held: { ...entity, code: `${name} held`, parent: `${name} top` },
      facility: { id: facility.id, entity: `${name} held`, electricityMarket: "IN" },
    },
  );
  expect(body.errors).toBeUndefined();
}

/** Adds an electricity contract with a facility's claim. */
async function addEnergy(owner: TestPerson, { name }: Tenant): Promise<void> {
  const energy = {
    market: "DE",
    rateKgPerKwh: "0.1",
    renewable: true,
    generatedFrom: "2025-01-01",
    generatedTo: "2025-12-31",
    registry: `${name} registry`,
    certificateNumber: "1",
    evidence: `${name} evidence`,
  };
  const contract = { ...energy, reference: `${name} contract`, kind: "CONTRACT", mwh: "5" };
  const { body } = await owner.graphql(
    `mutation ($input: RecordEnergyInstrumentInput!) { recordEnergyInstrument(input: $input) { instrument { id } } }`,
    { input: contract },
  );
  const input = {
    instrumentId: body.data.recordEnergyInstrument.instrument.id,
    facility: `${name} old`,
    year: 2025,
    mwh: "1",
    cancelledOn: "2026-01-01",
    cancellation: `${name} cancellation`,
    reason: `${name} reason`,
  };
  const claimed = await owner.graphql(
    "mutation ($input: ClaimEnergyInput!) { claimEnergy(input: $input) { claim { id } } }",
    { input },
  );
  expect(claimed.body.errors).toBeUndefined();
}

/** Adds a conversation of a tenant's owner. */
async function addConversation({ user, organization }: TestPerson, { name }: Tenant): Promise<void> {
  const whose = { organizationId: organization.id, userId: user.id };
  const { prisma } = gateway.database;
  const times = { createdAt: NOW, lastMessageAt: NOW };
  const conversation = await prisma.conversation.create({
    data: { ...whose, ...times, module: "emissions" },
  });
  const message = { ...whose, conversationId: conversation.id, sentAt: NOW };
  await prisma.chatMessage.create({ data: { ...message, position: 0, role: "user", said: `${name}?` } });
}

/** Adds records of 0 t, which change no sum: a calculated one, a changed one, and one of an archived facility. */
async function addOwnRecords(owner: TestPerson, { name, digits }: Tenant): Promise<void> {
  const record = {
    recordedOn: "2026-11-02",
    scope: "SCOPE_2",
    facility: `${name} old`,
    note: `${name} note`,
  };
  const nothing = { amount: "0", unit: "kg" };
  const traits = {
    activity: "PLATFORM name",
    region: "PLATFORM region",
    year: 2025,
    gas: "CO2",
    category: "purchased_heat",
    detail: "PLATFORM detail",
    sourceFactorId: "PLATFORM factor",
  };
  const factors = await owner.graphql('{ emissionFactors(search: "PLATFORM") { nodes { id } } }');
  const factorId = factors.body.data.emissionFactors.nodes[0].id;
  const input = [
    {
      ...record,
      activity: { ...nothing, selector: { ...traits, scope: "SCOPE_1" } },
      marketBasedTonnes: `${digits}.5`,
      energyKwh: `${digits}.5`,
      biogenicCo2Tonnes: `${digits}.5`,
    },
    { ...record, activity: { ...nothing, factorId } },
    { ...record, activity: { ...nothing, gas: "CH4", fossil: true } },
  ];
  const { body } = await owner.graphql(
    `mutation ($input: [EmissionRecordInput!]!, $facility: CreateFacilityInput!) {
      createFacility(input: $facility) { facility { id } }
      createEmissionRecords(input: $input) { records { id } }
    }`,
    { input, facility: { code: `${name} old`, name: `${name} old facility`, country: "DE" } },
  );
  const [{ id }] = body.data.createEmissionRecords.records;
  const change = await owner.graphql(`mutation {
    updateEmissionRecord(input: { id: "${id}", category: "${name} category" }) { emissionRecord { id } }
    archiveFacility(input: { id: "${body.data.createFacility.facility.id}" }) { facility { id } }
  }`);
  expect(change.body.errors).toBeUndefined();
}

const keyOf = (tenant: Tenant) => keys.get(tenant) ?? "";
const ownerOf = (tenant: Tenant) => {
  const owner = owners.get(tenant);
  if (!owner) throw new Error(`${tenant.name} has no owner`);
  return owner;
};
const accountOf = (tenant: Tenant) => {
  const account = accounts.get(tenant);
  if (!account) throw new Error(`${tenant.name} has no service account`);
  return account;
};
const ask = async (tenant: Tenant, query: string) => {
  const { status, body } = await gateway.graphql(query, keyOf(tenant));
  return { status, body };
};

/** Returns all answers to a tenant's key, or to its owner for users' fields, by root field or path, without variable parts. */
async function everythingOf(tenant: Tenant): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [root, query] of queries) {
    const isForPeople = FOR_PEOPLE.includes(root);
    const { status, body } = isForPeople ? await ownerOf(tenant).graphql(query) : await ask(tenant, query);
    expect([query, status, body.errors]).toEqual([query, 200, undefined]);
    if (root !== "rateLimit") answers[root] = body.data[root];
    if (root !== "caller") continue;
    const byAccount = await accountOf(tenant).graphql(query);
    expect(byAccount.body.errors).toBeUndefined();
    answers[root] = [body.data[root], byAccount.body.data[root]];
  }
  for (const prefix of REST_PREFIXES)
    for (const { path } of endpoints) {
      const headers = { "X-API-Key": keyOf(tenant) };
      const answer = await fetch(`${gateway.url}${prefix}${path}`, { headers });
      expect([path, answer.status]).toEqual([path, 200]);
      answers[prefix + path] = ((await answer.json()) as { data: unknown }).data;
    }
  return answers;
}

/** Returns the values at every path of `value`. Items of a list share its path; an empty list is null. */
function leavesOf(value: unknown, path = "", leaves = new Map<string, unknown[]>()): Map<string, unknown[]> {
  if (Array.isArray(value) && value.length > 0) {
    for (const item of value) leavesOf(item, path, leaves);
  } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    for (const [name, below] of Object.entries(value))
      leavesOf(below, path === "" ? name : `${path}.${name}`, leaves);
  } else {
    leaves.set(path, [...(leaves.get(path) ?? []), Array.isArray(value) ? null : value]);
  }
  return leaves;
}

describe("all that a key or a user can read, through every field of the graph and every endpoint,", () => {
  let alphaAlone: Record<string, unknown>;
  beforeAll(async () => {
    await addTenant(ALPHA);
    alphaAlone = await everythingOf(ALPHA);
    await addTenant(BRAVO);
  });

  it("covers every root field and every endpoint at both prefixes", () => {
    const paths = ["emissions", "compliance", "credits", "benchmarks", "market"];
    expect(Object.keys(alphaAlone)).toEqual([
      ...[...queries.keys()].filter((root) => root !== "rateLimit"),
      ...REST_PREFIXES.flatMap((prefix) => paths.map((path) => `${prefix}/${path}`)),
    ]);
  });

  it("has data everywhere: no list is always empty and no value always null in these tests", () => {
    const leaves = leavesOf(alphaAlone);
    const paths = [...leaves.keys()];
    const nothing = [...leaves].filter(
      ([path, values]) =>
        values.every((value) => value === null) && !paths.some((below) => below.startsWith(`${path}.`)),
    );
    const messages = REST_PREFIXES.flatMap((prefix) =>
      ["benchmarks", "market"].map((path) => `${prefix}/${path}.message`),
    );
    // No stream is mapped and no inventory issued here: test/rest/inventory isolates whole inventories. Only searches
    // state matches, only imports a mapping, and only factors of publications have the last two.
    const named = nothing
      .map(([path]) => path)
      .filter((path) => !/^(?:inventory|inventoryIssues|baseYearStatus|reductionTargets)\b/.test(path))
      .filter(
        (path) => !/\.changes\.|\.(?:matched|mappingId|publisher_?[cC]ategory|region_?[cC]ode)$/.test(path),
      );
    // No calculation fails here, no chain is broken, and the daily check of chains has not run.
    const expected = [
      ...messages,
      "market.geography.message",
      "market.priceIndex.message",
      "calculate.results.error",
      ...["firstBrokenSeq", "lastFullCheckAt"].map((name) => `auditLog.verification.${name}`),
      // These collections have no versions.
      ...["creditBatch", "creditRetirement", "creditSale", "emissionFactor", "marketPrice"].map(
        (name) => `${name}Changes.items.version`,
      ),
      // Only the mutation that creates the secret shows it.
      ...["viewer", "caller.viewer"].map((path) => `${path}.notificationPreferences.webhookSecret`),
      // Single sign-on is not enforced here: see test/console/single-sign-on.test.ts.
      "singleSignOn.breakGlassIds",
      // Nobody here has or requires second factors: see test/access/second-factor.test.ts and test/rest/sign-in-policy.test.ts.
      ...["", "viewer.", "caller.viewer.", "caller.serviceAccount."].map(
        (path) => `${path}organization.secondFactorFrom`,
      ),
      ...["viewer", "caller.viewer"].flatMap((path) =>
        [
          "organizations.organization.secondFactorFrom",
          "factors.passkeys",
          "identities",
          "factors.requiredFrom",
          "factors.totpConfirmedAt",
        ].map((name) => `${path}.${name}`),
      ),
      // Verifiers of another organization's records: see test/rest/verifiers.test.ts.
      ...["edges", "nodes", "pageInfo.endCursor", "pageInfo.startCursor"].map(
        (name) => `verificationAssignments.${name}`,
      ),
      // Verifiers, and the link, which only the mutation that creates it shows.
      ...["edges.node", "nodes"].flatMap((path) =>
        [
          ...["name", "organization", "accountCreatedAt", "acceptedAt", "confirmedAt"].map(
            (name) => `verifier.${name}`,
          ),
          "verifierLink",
          "verifierLinkExpiresAt",
        ].map((name) => `verificationRequests.${path}.${name}`),
      ),
    ];
    expect(named.toSorted()).toEqual(expected.toSorted());
  });

  it.each(TENANTS)(
    "never finds a facility of $other.name for $own.name, by id or code",
    async ({ own, other }) => {
      const list = "{ emissions { facilities { nodes { facility { id code } } } } }";
      const { body } = await ask(other, list);
      const [{ facility }] = body.data.emissions.facilities.nodes;
      for (const which of [`id: "${facility.id}"`, `code: "${facility.code}"`]) {
        const query = `{ emissions { facility(${which}) { id code } } }`;
        expect((await ask(other, query)).body).toMatchObject({ data: { emissions: { facility } } });
        expect((await ask(own, query)).body).toMatchObject({ data: { emissions: { facility: null } } });
      }
    },
  );

  it.each(TENANTS)(
    "belongs to $own.name or the platform, and never to $other.name",
    async ({ own, other }) => {
      const answers = await everythingOf(own);
      const leaves = leavesOf(answers);
      for (const [path, value] of [...Object.entries(ownAt(own)), ...Object.entries(PLATFORM)])
        expect([path, leaves.get(path)]).toEqual([path, expect.arrayContaining([value])]);

      const text = textOf(answers);
      // Cursors are decoded.
      const cursors = [...leaves].filter(([path]) => /cursor$/i.test(path)).flatMap(([, values]) => values);
      const places = cursors.map((cursor) => Buffer.from(String(cursor), "base64url").toString()).join();
      expect(places).toContain(own.name);
      const { id } = await gateway.database.prisma.organization.findUniqueOrThrow({
        where: { slug: other.name.toLowerCase() },
      });
      for (const marker of [other.name, String(other.digits), other.framework, id])
        for (const whole of [text, places.toLowerCase()]) expect(whole).not.toContain(marker.toLowerCase());
    },
  );

  it("is the same as before the other tenant existed", async () => {
    expect(await everythingOf(ALPHA)).toEqual(alphaAlone);
  });

  it.each(TENANTS)(
    "treats the ids of $other.name's facilities for $own.name as unknown",
    async ({ own, other }) => {
      const idOf = async (tenant: Tenant) => {
        const { body } = await ask(tenant, "{ emissions { facilities { nodes { facility { id } } } } }");
        return String(body.data.emissions.facilities.nodes[0].facility.id);
      };
      const recordsOf = (...ids: string[]) =>
        ask(
          own,
          `{ emissions { records(filter: { facilityIds: ${JSON.stringify(ids)} }) { totalCount nodes { reference } } } }`,
        );
      const mine = await idOf(own);
      const records = { totalCount: 1, nodes: [{ reference: `${own.name} record` }] };
      expect(await recordsOf(mine)).toEqual({ status: 200, body: { data: { emissions: { records } } } });
      expect(await recordsOf(mine.toUpperCase(), mine)).toEqual(await recordsOf(mine));

      for (const id of [await idOf(other), randomUUID()])
        for (const ids of [[id], [mine, id]])
          expect(await recordsOf(...ids)).toEqual({
            status: 200,
            body: {
              data: { emissions: null },
              errors: [
                {
                  message: `filter.facilityIds: expected the id of a facility, got "${id}"`,
                  locations: [{ line: 1, column: 15 }],
                  path: ["emissions", "records"],
                  extensions: { code: "BAD_USER_INPUT", argument: "filter.facilityIds" },
                },
              ],
            },
          });
    },
  );

  it.each(TENANTS)(
    "is the same for a service account of $own.name as for its key, with nothing of $other.name",
    async ({ own, other }) => {
      const answers = await everythingOf(own);
      for (const [root, query] of queries) {
        if (root === "rateLimit") continue;
        const { body } = await accountOf(own).graphql(query);
        // The account has more scopes than the key, and so sees more events.
        if (root === "organization")
          body.data[root].callerScopes = (answers[root] as { callerScopes: unknown }).callerScopes;
        if (!FOR_PEOPLE.includes(root) && root !== "events")
          expect([root, body]).toEqual([root, { data: { [root]: answers[root] } }]);
        for (const marker of [other.name, String(other.digits), other.framework])
          expect(textOf(body)).not.toContain(marker.toLowerCase());
      }
    },
  );

  const LISTS = [
    ["emissions", "records"],
    ["emissions", "facilities"],
    ["compliance", "deadlines"],
    ["compliance", "cctsPeriods"],
    ["compliance", "cbamDeclarations"],
    ["credits", "batches"],
    ["credits", "retirements"],
    ["credits", "sales"],
    ["market", "instruments"],
  ] as const;
  it.each(LISTS)("cannot be paged with a cursor of another tenant: %s.%s", async (root, list) => {
    const cursorOf = async (tenant: Tenant) => {
      const { body } = await ask(tenant, `{ ${root} { ${list}(first: 1) { pageInfo { endCursor } } } }`);
      return String(body.data[root][list].pageInfo.endCursor);
    };
    const page = (argument: string, cursor: string) =>
      ask(
        ALPHA,
        `{ ${root} { ${list}(${argument}: "${cursor}") { pageInfo { hasNextPage hasPreviousPage } } } }`,
      );
    const [own, other] = [await cursorOf(ALPHA), await cursorOf(BRAVO)];
    for (const argument of ["after", "before"]) {
      expect((await page(argument, own)).body.errors).toBeUndefined();
      expect(await page(argument, other)).toEqual({
        status: 200,
        body: {
          data: { [root]: null },
          errors: [
            {
              message: `${argument}: expected a cursor of this list, got one that was altered, or belongs to another filter, order or organization`,
              locations: [expect.any(Object)],
              path: [root, list],
              extensions: { code: "BAD_USER_INPUT", argument },
            },
          ],
        },
      });
    }
  });

  /** Returns ids of each table with rows of a tenant, and those of its owner. */
  async function idsOf(tenant: Tenant, ofEach = 1): Promise<string[]> {
    const { organization, user, session } = ownerOf(tenant);
    const tables = await gateway.database.select<{ name: string }>(
      `SELECT table_name::text AS name FROM information_schema.columns
       WHERE table_schema = current_schema() AND column_name IN ('id', 'organization_id') AND udt_name = 'uuid'
       GROUP BY table_name HAVING count(*) = 2`,
      [],
    );
    const ids = [user.id, session.id];
    for (const { name } of tables) {
      const own = `SELECT id FROM ${name} WHERE organization_id = $1::uuid ORDER BY id LIMIT ${ofEach}`;
      ids.push(
        ...(await gateway.database.select<{ id: string }>(own, [organization.id])).map(({ id }) => id),
      );
    }

    expect(ids.length).toBeGreaterThan(30);
    return ids;
  }

  /** Expects the same answer for each of these ids as for one that nobody has; returns that answer. */
  async function expectUnknown(ids: readonly string[], answerTo: (id: string) => Promise<unknown>) {
    const shown = async (id: string) => JSON.stringify(await answerTo(id)).replaceAll(id, "…");
    const unknown = await shown(randomUUID());
    // The number of an organization's pending writes is limited.
    expect([...new Set(await pLimit(20).map(ids, shown))]).toEqual([unknown]);
    return unknown;
  }

  // Thousands of calls, with the same outcome on any database.
  const onServer = it.skipIf(inject("template").kind === "embedded");

  onServer("has ids that find nothing for another tenant, in any query or endpoint", async () => {
    const [own, foreign] = [await idsOf(ALPHA), await idsOf(BRAVO)];
    for (const field of BY_ID.filter((name) => !NOT_BY_ID.includes(name))) {
      const ask = async (id: string) =>
        (await ownerOf(ALPHA).graphql(`{ ${field}(id: "${id}") { __typename } }`)).body;
      expect([field, await expectUnknown(foreign, ask)]).toEqual([field, expect.stringContaining(":null")]);
      const found = await Promise.all(own.map(async (id) => (await ask(id)).data?.[field] ?? null));
      expect([field, found.some(Boolean)]).toEqual([field, true]);
    }
    const reads = (await listV1()).filter(({ method, path }) => method === "GET" && /\{\w*id\}/.test(path));
    expect(reads.length).toBeGreaterThan(15);
    for (const { path } of reads) {
      const answer = await expectUnknown(foreign, async (id) => {
        const filled = path.replace("{module}", "emissions").replaceAll(/\{\w+\}/g, id);
        const { status, body } = await ownerOf(ALPHA).call<Envelope>(`/v1${filled}`);
        return [status, body.error];
      });
      expect([path, answer]).toEqual([path, expect.stringContaining('[404,{"code":"NOT_FOUND"')]);
    }
  });

  onServer("has ids that are unknown to every mutation of another tenant", async () => {
    // The use of keys is recorded once a minute.
    const allOf = async () => ({ ...(await everythingOf(BRAVO)), apiKeys: null });
    const before = await allOf();
    const ids = await idsOf(BRAVO);
    for (const [name, operation] of mutationsOf(await readSchema())) {
      if (!operation.includes(SAMPLE_ID)) continue;
      const answer = await expectUnknown(ids, async (id) => {
        const { body } = await ownerOf(ALPHA).graphql(operation.replaceAll(SAMPLE_ID, id));
        return body.errors?.map(({ message, extensions }) => [message, extensions]);
      });
      const found = ELSEWHERE[name] ?? "There is no|NOT_FOUND";
      expect([name, answer]).toEqual([name, expect.stringMatching(found)]);
    }
    expect(await allOf()).toEqual(before);
  });

  onServer(
    "has ids that every mutation finds for its own tenant, and refuses with an outdated version",
    async () => {
      // One of its two facilities is archived.
      const own = await idsOf(ALPHA, 2);
      const { graphql } = ownerOf(ALPHA);
      const exceptions: string[] = [];
      for (const [name, operation] of mutationsOf(await readSchema(), { expectedVersion: "99" })) {
        if (!operation.includes(SAMPLE_ID) || !operation.includes("expectedVersion")) continue;
        const answers = await pLimit(20).map(own, async (id) => {
          const { body } = await graphql(operation.replaceAll(SAMPLE_ID, id));
          return body.errors?.[0]?.message ?? "changed";
        });
        if (!answers.some((text) => text.startsWith(OUTDATED))) exceptions.push(name);
      }
      expect(exceptions).toEqual(NOT_BY_OWNER);
    },
  );

  it.each(["members", "invitations"])("cannot be paged with a cursor of another tenant: %s", async (list) => {
    const read = async (by: TestPerson, argument = "") =>
      (await by.graphql(`{ ${list}(first: 1${argument}) { pageInfo { endCursor } } }`)).body;
    const cursor = (await read(ownerOf(BRAVO))).data[list].pageInfo.endCursor;
    const { errors } = await read(ownerOf(ALPHA), `, after: "${cursor}"`);
    expect(errors?.[0]?.extensions).toEqual({ code: "BAD_USER_INPUT", argument: "after" });
  });
});
