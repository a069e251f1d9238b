import { randomInt, randomUUID } from "node:crypto";
import type { Database } from "../../src/data/database/types.js";
import type { Framework } from "../../src/domain/enums.js";
import type {
  Benchmark,
  CctsPeriod,
  ComplianceDeadline,
  ComplianceStatus,
  CreditBatch,
  CreditRetirement,
  CreditSale,
  EmissionFactor,
  EmissionRecord,
  ExchangeFeed,
  Facility,
  MarketPrice,
  Prisma,
} from "../../src/generated/prisma/client.js";
import { fillTables } from "./table-rows.js";

// Each of these adds a row of a model. Columns may be overridden: days are written `YYYY-MM-DD` and amounts as decimal
// strings or numbers, as in a bundle. The organization is a slug, or null for a row of the platform.

const day = (text: string) => new Date(`${text}T00:00:00.000Z`);

/** Returns the columns of a row, with times in place of days. */
async function rowOf<Columns extends object>(
  { prisma }: Database,
  owner: string | null,
  columns: Columns,
): Promise<Columns & { organizationId: string }> {
  const timed = Object.entries(columns).map(([name, value]) => [
    name,
    /(On|Date|Until|Of|month)$/.test(name) && /^\d{4}-\d\d-\d\d$/.test(value) ? day(value) : value,
  ]);
  const organization =
    owner === null ? null : await prisma.organization.findUniqueOrThrow({ where: { slug: owner } });
  return { organizationId: organization?.id, ...Object.fromEntries(timed) };
}

/** Adds a site in Germany. */
export async function addFacility(
  database: Database,
  organization: string,
  overrides: Partial<Prisma.FacilityUncheckedCreateInput> = {},
): Promise<Facility> {
  const columns = { code: `site-${randomUUID()}`, name: "Main works", country: "DE", ...overrides };
  return database.prisma.facility.create({ data: await rowOf(database, organization, columns) });
}

/** Adds one tonne of scope 1, a few days before `NOW`. */
export async function addRecord(
  database: Database,
  organization: string,
  {
    facility,
    ...overrides
  }: Partial<Prisma.EmissionRecordUncheckedCreateInput> & { readonly facility?: Pick<Facility, "id"> } = {},
): Promise<EmissionRecord> {
  const columns = { recordedOn: "2026-11-01", scope: "scope_1" as const, co2eTonnes: 1, ...overrides };
  const at = { ...columns, ...(facility && { facilityId: facility.id }) };
  return database.prisma.emissionRecord.create({ data: await rowOf(database, organization, at) });
}

/** Adds the status of a framework: CCTS, compliant. */
export async function addFramework(
  database: Database,
  organization: string,
  overrides: Partial<Prisma.ComplianceStatusUncheckedCreateInput> = {},
): Promise<ComplianceStatus> {
  const status = { framework: "CCTS" as const, status: "compliant" as const };
  const columns = { ...status, lastUpdated: "2026-11-08T09:00:00.000Z", ...overrides };
  return database.prisma.complianceStatus.create({ data: await rowOf(database, organization, columns) });
}

/** Adds a pending deadline, some weeks after `NOW`. */
export async function addDeadline(
  database: Database,
  organization: string,
  overrides: Partial<Prisma.ComplianceDeadlineUncheckedCreateInput> = {},
): Promise<ComplianceDeadline> {
  const title = { framework: "CCTS" as const, title: "Annual report" };
  const columns = { ...title, dueDate: "2026-12-31", status: "pending", ...overrides };
  return database.prisma.complianceDeadline.create({ data: await rowOf(database, organization, columns) });
}

/** Adds a batch of 1,000 available VCS credits. */
export async function addBatch(
  database: Database,
  organization: string,
  overrides: Partial<Prisma.CreditBatchUncheckedCreateInput> = {},
): Promise<CreditBatch> {
  const columns = { reference: randomUUID(), creditType: "VCS", quantity: 1_000, ...overrides };
  return database.prisma.creditBatch.create({ data: await rowOf(database, organization, columns) });
}

type Batch = Pick<CreditBatch, "id" | "organizationId">;

/** Adds a sale of 100 credits of a batch. */
export async function addSale(
  database: Database,
  { id: batchId, organizationId }: Batch,
  overrides: Partial<Prisma.CreditSaleUncheckedCreateInput> = {},
): Promise<CreditSale> {
  const columns = { organizationId, batchId, reference: randomUUID(), quantity: 100, ...overrides };
  return database.prisma.creditSale.create({ data: await rowOf(database, null, columns) });
}

/** Adds a retirement of 100 credits of a batch. */
export async function addRetirement(
  database: Database,
  { id: batchId, organizationId }: Batch,
  overrides: Partial<Prisma.CreditRetirementUncheckedCreateInput> = {},
): Promise<CreditRetirement> {
  const retired = { reference: randomUUID(), quantity: 100, retiredOn: "2026-10-15" };
  const columns = { organizationId, batchId, ...retired, ...overrides };
  return database.prisma.creditRetirement.create({ data: await rowOf(database, null, columns) });
}

/** Adds a reference price of an EUA. */
export async function addPrice(
  database: Database,
  owner: string | null,
  overrides: Partial<Prisma.MarketPriceUncheckedCreateInput> = {},
): Promise<MarketPrice> {
  const instrument = { creditType: "EUA", exchange: "EEX", price: "80.5", currency: "EUR" };
  const times = { asOf: "2026-11-18", recordedAt: "2026-11-18T12:00:00.000Z" };
  const columns = { ...instrument, source: "EEX auction report", ...times, ...overrides };
  return database.prisma.marketPrice.create({ data: await rowOf(database, owner, columns) });
}

/** Adds a verified factor per kilogram of scope 1, of one organization or (null) of a publication. */
export async function addFactor(
  database: Database,
  owner: string | null,
  overrides: Partial<Prisma.EmissionFactorUncheckedCreateInput> = {},
): Promise<EmissionFactor> {
  const use = { activity: "Boiler", region: "Home", scope: "scope_1" as const, category: "heat" };
  const amount = { factor: "2", gas: "CO2e", unit: "kg", dimension: "mass" };
  const source = {
    source: "Own measurements",
    sourceYear: 2024,
    sourceUrl: "https://example.org/measurements",
  };
  const columns = { ...use, ...amount, ...source, verified: true, ...overrides };
  return database.prisma.emissionFactor.create({ data: await rowOf(database, owner, columns) });
}

/** Adds an exchange's feed with the time of its last report; null for never. */
export function addFeed(
  { prisma }: Database,
  lastReportedAt: Date | null,
  exchange: string = randomUUID(),
): Promise<ExchangeFeed> {
  return prisma.exchangeFeed.create({ data: { exchange, lastReportedAt } });
}

/** Adds a sector's intensity with its publication: title, link and year. */
export function addBenchmark(
  { prisma }: Database,
  overrides: Partial<Prisma.BenchmarkUncheckedCreateInput> = {},
): Promise<Benchmark> {
  const intensity = { sector: "Crude steel", intensity: "1.91", unit: "tCO2/t crude steel" };
  const publication = { source: "Sustainability Indicators", sourceUrl: "https://example.org/indicators" };
  return prisma.benchmark.create({ data: { ...intensity, ...publication, sourceYear: 2023, ...overrides } });
}

/** Adds a financial year in which an entity was 100 certificates short. */
export async function addCctsPeriod(
  database: Database,
  organization: string,
  overrides: Partial<Prisma.CctsPeriodUncheckedCreateInput> = {},
): Promise<CctsPeriod> {
  const target = { targetGei: "1", targetSourceUrl: "https://example.org/targets" };
  const reached = { achievedGei: "1.1", output: "1000" };
  const columns = { entity: "Smelter", financialYear: "2025-26", ...target, ...reached, ...overrides };
  return database.prisma.cctsPeriod.create({ data: await rowOf(database, organization, columns) });
}

/** Adds the same value of a business metric for each of the months, `YYYY-MM`. */
export async function addMetric(
  database: Database,
  organization: string,
  months: readonly string[],
  overrides: Partial<Prisma.BusinessMetricUncheckedCreateInput> = {},
): Promise<void> {
  const values = { name: "Units produced", unit: "units", value: "4000", ...overrides };
  const rows = months.map((month) => rowOf(database, organization, { month: `${month}-01`, ...values }));
  await database.prisma.businessMetric.createMany({ data: await Promise.all(rows) });
}

export interface TenantMark {
  /** Part of every string in the tenant's rows. */
  name: string;
  /** Part of every number in the tenant's rows. */
  digits: number;
  framework: Framework;
}

/** Returns columns whose texts are a tenant's name and the column's own name. */
const textsOf = <Name extends string>(name: string, ...columns: readonly Name[]) =>
  Object.fromEntries(columns.map((column) => [column, `${name} ${column}`])) as Record<Name, string>;

/** Adds a submitted declaration of 2026 with an import of exempt origin. All its strings and numbers have the mark. */
export async function addCbamDeclaration(
  { prisma }: Database,
  organization: string,
  { name, digits }: Pick<TenantMark, "name" | "digits">,
): Promise<void> {
  const amount = `${digits}.5`;
  const { id: declarationId, organizationId } = await prisma.cbamDeclaration.create({
    data: {
      year: 2026,
      status: "submitted",
      certificatesHeld: digits,
      organization: { connect: { slug: organization } },
      assessment: {
        massT: amount,
        embeddedEmissions: amount,
        certificates: amount,
        costEur: amount,
        certificatesToBuy: String(digits),
        costToBuyEur: amount,
        imports: [
          { name: `${name} goods`, embeddedEmissions: amount, certificates: amount, costEur: amount },
        ],
        obligation: "surrender",
        notices: ["FREE_ORIGIN"],
        holdings: [{ quarter: "Q1", endsOn: "2027-03-31", certificates: String(digits) }],
        rulesetAsOf: "2026-11-20",
        rulesetDigest: `${name} digest`,
      },
    },
  });
  const goods = { quarter: "Q1", cnCode: "72083600", country: "DE", massT: amount, basis: "actual" } as const;
  const precursors = [{ cnCode: "7201", massT: amount, route: `${name} route` }];
  await prisma.cbamImport.create({
    data: {
      declarationId,
      organizationId,
      ...goods,
      route: `${name} route`,
      good: `${name} good`,
      precursors,
      directTco2ePerT: amount,
      indirectTco2ePerT: amount,
      reductionTco2e: amount,
    },
  });
}

/** Adds a verification request with all its parts, and a lock of a period without records. */
async function addVerification(
  { prisma }: Database,
  slug: string,
  { name, digits }: Pick<TenantMark, "name" | "digits">,
): Promise<void> {
  const { id: organizationId } = await prisma.organization.findUniqueOrThrow({ where: { slug } });
  const period = { periodFrom: day("2026-01-01"), periodTo: day("2026-12-31") };
  const scopes = ["scope_1" as const];
  const repeated = (length: number) => String(digits).repeat(length).slice(0, length);
  const at = new Date("2026-10-20T10:00:00.000Z");
  const record = await prisma.emissionRecord.findFirstOrThrow({ where: { organizationId } });
  const { id: requestId } = await prisma.verificationRequest.create({
    data: {
      organizationId,
      number: `${name} number`,
      ...period,
      scopes,
      level: "limited",
      materialityPercent: "5",
      verifierEmail: `${slug}@example.org`,
      status: "verified",
      opinion: "modified",
      statement: `${name} conclusion`,
      createdAt: at,
    },
  });
  const of = { organizationId, requestId };
  await prisma.verificationStatusChange.create({
    data: {
      ...of,
      seq: 1,
      fromStatus: "in_review",
      status: "verified",
      changedBy: "verifier",
      changedAt: at,
      note: `${name} note`,
    },
  });
  await prisma.verificationSnapshot.create({
    data: {
      ...of,
      number: 1,
      digest: repeated(64),
      recordCount: digits,
      takenAt: at,
      totals: [{ scope: "scope_3", co2eTonnes: `${digits}.5` }],
    },
  });
  await prisma.verificationFinding.create({
    data: {
      ...of,
      snapshotNumber: 1,
      recordId: record.id,
      text: `${name} finding`,
      severity: "low",
      createdAt: at,
      misstatementTonnes: `${digits}.5`,
    },
  });
  await prisma.certificate.create({
    data: {
      ...of,
      number: `CGW-1999-000001-${randomInt(1e7, 1e8)}`,
      opinion: "modified",
      issuedAt: at,
      statement: JSON.stringify({ organization: `${name} statement` }),
      digest: repeated(64),
      signature: `${repeated(86)}==`,
      kid: repeated(16),
      status: "superseded",
      supersededBy: "CGW-1999-000000",
    },
  });
  // A different year for each tenant, and none in which other fixtures write records.
  const year = `19${name.charCodeAt(0)}`;
  await prisma.periodLock.create({
    data: { ...of, periodFrom: day(`${year}-01-01`), periodTo: day(`${year}-12-31`), scopes },
  });
}

/** Adds an organization with a row in every tenant table, each recognizable as its own. */
export async function addTenantData(
  database: Database,
  { name, digits, framework }: TenantMark,
): Promise<void> {
  const { prisma } = database;
  const slug = name.toLowerCase();
  const { id: organizationId } = await prisma.organization.create({
    data: { slug, name: `${name} organization` },
  });
  const sourceUrl = `https://example.org/${name}`;
  const facility = await addFacility(database, slug, { code: `${name} code`, name: `${name} facility` });
  const record = await addRecord(database, slug, {
    ...textsOf(name, "category", "source", "note"),
    facility,
    reference: `${name} record`,
    co2eTonnes: `${digits}.5`,
  });
  await addFramework(database, slug, { framework, ...textsOf(name, "note") });
  await addDeadline(database, slug, {
    framework,
    ...textsOf(name, "status", "owner", "evidence", "source"),
    title: `${name} deadline`,
    recurrence: "annual",
    completedOn: "2026-10-20",
    sourceUrl,
  });
  const { id: cctsPeriodId } = await addCctsPeriod(database, slug, {
    ...textsOf(name, "entity"),
    targetSourceUrl: sourceUrl,
    averagePrice: `${digits}.5`,
    targetGei: `${digits}.5`,
    achievedGei: `${digits}.75`,
    output: `${digits}00`,
  });
  await addCbamDeclaration(database, slug, { name, digits });
  const creditType = `${name} credits`;
  const stock = { reference: `${name} batch`, creditType, vintage: 2023, quantity: digits + 3 };
  const batch = await addBatch(database, slug, stock);
  await addSale(database, batch, {
    ...textsOf(name, "buyer"),
    reference: `${name} sale`,
    quantity: 1,
    soldOn: "2026-10-20",
    price: `${digits}.125`,
    currency: "EUR",
  });
  await addRetirement(database, batch, {
    ...textsOf(name, "beneficiary", "purpose"),
    reference: `${name} retirement`,
    quantity: 2,
    cctsPeriodId,
  });
  const { id: factorId } = await addFactor(database, slug, {
    ...textsOf(name, "activity", "detail", "region", "source"),
    otherName: `${name} other name`,
    factor: `${digits}.5`,
    sourceFactorId: `${name} factor`,
    sourceUrl,
  });
  await addPrice(database, slug, {
    ...textsOf(name, "exchange", "source"),
    creditType,
    price: `${digits}.25`,
    changePct24h: `${digits}.125`,
    sourceUrl,
  });
  await addMetric(database, slug, ["2026-10"], {
    name: `${name} metric`,
    unit: `${name} unit`,
    value: `${digits}.75`,
  });
  await addWebhook(database, organizationId, { name, digits });
  await prisma.activityMapping.create({
    data: {
      organizationId,
      ...textsOf(name, "text", "unit"),
      textKey: `${slug} text`,
      unitKey: `${slug} unit`,
      unitAs: `${name} other unit`,
      region: "DE",
      factorId,
      fixedYear: false,
      createdBy: randomUUID(),
      updatedAt: new Date("2026-11-20T10:00:00Z"),
    },
  });
  await prisma.anomalyAcknowledgement.create({
    data: {
      organizationId,
      anomalyId: `gap:organization:2026-09:${name}`,
      value: digits,
      note: `${name} note`,
      acknowledgedBy: organizationId,
      acknowledgedAt: day("2026-10-02"),
    },
  });
  const { id: importId } = await prisma.import.create({
    data: { organizationId, file: `${name} file`, undoneAt: day("2026-10-02"), accepted: ["RECORD_UNUSUAL"] },
  });
  const { id: recordId, recordedOn } = record;
  await prisma.replacedRecord.create({
    data: { organizationId, importId, recordId, recordedOn, scope: "scope_1", co2eTonnes: `${digits}` },
  });
  await addVerification(database, slug, { name, digits });
  await fillTables(database, organizationId);
  await prisma.removedRow.create({
    data: { organizationId, stamp: 0, collection: "facilities", id: randomUUID() },
  });
}

/** Adds a disabled webhook with a delivery that failed. */
async function addWebhook(
  { prisma }: Database,
  organizationId: string,
  { name, digits }: Pick<TenantMark, "name" | "digits">,
): Promise<void> {
  const time = new Date("2026-11-20T10:00:00Z");
  const place = `${digits}-0123456789abcdef`;
  const { id: endpointId } = await prisma.webhookEndpoint.create({
    data: {
      organizationId,
      url: `https://example.org/${name}`,
      types: [`${name.toLowerCase()}.*`],
      description: `${name} endpoint`,
      format: "json",
      secret: "sealed",
      previousSecret: "sealed",
      secretExpiresAt: time,
      disabledAt: time,
      disabledReason: "gone",
      createdBy: randomUUID(),
      createdAt: time,
      progress: { create: { organizationId, seq: digits, place } },
    },
  });
  await prisma.webhookDelivery.create({
    data: {
      endpointId,
      organizationId,
      seq: digits,
      eventId: place,
      type: `${name.toLowerCase()}.created`,
      body: "{}",
      attempts: digits % 1_000_000,
      lastStatus: 500,
      lastError: `${name} error`,
      lastAttemptAt: time,
      nextAttemptAt: time,
      createdAt: time,
    },
  });
}
