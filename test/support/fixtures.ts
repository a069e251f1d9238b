import { randomInt, randomUUID } from "node:crypto";
import type { Database } from "../../src/data/database/types.js";
import type { Recurrence } from "../../src/domain/compliance/deadlines.js";
import type { EmissionScope, Framework, FrameworkStatus, PriceType } from "../../src/domain/enums.js";
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
} from "../../src/generated/prisma/client.js";
import { fillTables } from "./table-rows.js";

// Days are written `YYYY-MM-DD` and amounts as decimal strings or numbers, as in a bundle.

const day = (text: string) => new Date(`${text}T00:00:00.000Z`);
const ownedBy = (slug: string) => ({ connect: { slug } });

export interface FacilityValues {
  code: string;
  name: string;
  country: string | null;
}

/** Adds a site in Germany. */
export function addFacility(
  { prisma }: Database,
  organization: string,
  overrides: Partial<FacilityValues> = {},
): Promise<Facility> {
  const code = `site-${randomUUID()}`;
  const values = { code, name: "Main works", country: "DE", ...overrides };
  return prisma.facility.create({ data: { organization: ownedBy(organization), ...values } });
}

export interface RecordValues {
  recordedOn: string;
  scope: EmissionScope;
  co2eTonnes: string | number;
  marketBasedTonnes: string;
  facility: Facility;
  reference: string;
  category: string;
  source: string;
  note: string;
}

/** Adds one tonne of scope 1, a few days before `NOW`. */
export function addRecord(
  { prisma }: Database,
  organization: string,
  overrides: Partial<RecordValues> = {},
): Promise<EmissionRecord> {
  const { facility, recordedOn, ...values } = {
    recordedOn: "2026-11-01",
    scope: "scope_1" as const,
    co2eTonnes: 1,
    ...overrides,
  };
  return prisma.emissionRecord.create({
    data: {
      ...values,
      organization: ownedBy(organization),
      recordedOn: day(recordedOn),
      ...(facility && {
        facility: {
          connect: { organizationId_id: { organizationId: facility.organizationId, id: facility.id } },
        },
      }),
    },
  });
}

export interface FrameworkValues {
  framework: Framework;
  status: FrameworkStatus;
  lastUpdated: string;
  note: string;
}

/** Adds the status of a framework: CCTS, compliant. */
export function addFramework(
  { prisma }: Database,
  organization: string,
  overrides: Partial<FrameworkValues> = {},
): Promise<ComplianceStatus> {
  const { lastUpdated, ...values } = {
    framework: "CCTS" as const,
    status: "compliant" as const,
    lastUpdated: "2026-11-08T09:00:00.000Z",
    ...overrides,
  };
  return prisma.complianceStatus.create({
    data: { ...values, organization: ownedBy(organization), lastUpdated: new Date(lastUpdated) },
  });
}

export interface DeadlineValues {
  framework: Framework;
  title: string;
  dueDate: string;
  status: string;
  owner: string;
  completedOn: string;
  evidence: string;
  recurrence: Recurrence;
  source: string;
  sourceUrl: string;
}

/** Adds a pending deadline, some weeks after `NOW`. */
export function addDeadline(
  { prisma }: Database,
  organization: string,
  overrides: Partial<DeadlineValues> = {},
): Promise<ComplianceDeadline> {
  const { dueDate, completedOn, ...values } = {
    framework: "CCTS" as const,
    title: "Annual report",
    dueDate: "2026-12-31",
    status: "pending",
    ...overrides,
  };
  const days = { dueDate: day(dueDate), ...(completedOn && { completedOn: day(completedOn) }) };
  return prisma.complianceDeadline.create({
    data: { ...values, ...days, organization: ownedBy(organization) },
  });
}

export interface BatchValues {
  reference: string;
  creditType: string;
  quantity: number | bigint;
  vintage: number;
}

/** Adds a batch of 1,000 available VCS credits. */
export function addBatch(
  { prisma }: Database,
  organization: string,
  overrides: Partial<BatchValues> = {},
): Promise<CreditBatch> {
  const values = { reference: randomUUID(), creditType: "VCS", quantity: 1_000, ...overrides };
  return prisma.creditBatch.create({ data: { ...values, organization: ownedBy(organization) } });
}

type Batch = Pick<CreditBatch, "id" | "organizationId">;

export interface SaleValues {
  reference: string;
  quantity: number | bigint;
  soldOn: string;
  buyer: string;
  price: string;
  currency: string;
}

/** Adds a sale of 100 credits of a batch. */
export function addSale(
  { prisma }: Database,
  { id, organizationId }: Batch,
  overrides: Partial<SaleValues> = {},
): Promise<CreditSale> {
  const { soldOn, ...values } = { reference: randomUUID(), quantity: 100, ...overrides };
  return prisma.creditSale.create({
    data: { ...values, organizationId, batchId: id, ...(soldOn && { soldOn: day(soldOn) }) },
  });
}

export interface RetirementValues {
  reference: string;
  quantity: number | bigint;
  retiredOn: string;
  beneficiary: string;
  purpose: string;
  cctsPeriodId: string;
}

/** Adds a retirement of 100 credits of a batch. */
export function addRetirement(
  { prisma }: Database,
  { id, organizationId }: Batch,
  overrides: Partial<RetirementValues> = {},
): Promise<CreditRetirement> {
  const { retiredOn, ...values } = {
    reference: randomUUID(),
    quantity: 100,
    retiredOn: "2026-10-15",
    ...overrides,
  };
  return prisma.creditRetirement.create({
    data: { ...values, organizationId, batchId: id, retiredOn: day(retiredOn) },
  });
}

export interface PriceValues {
  creditType: string;
  exchange: string;
  price: string | number;
  currency: string;
  changePct24h: string | number | null;
  priceType: PriceType;
  source: string;
  sourceUrl: string | null;
  asOf: string | null;
  region: string;
  contract: string;
  unit: string;
  statutoryUntil: string;
  recordedAt: string;
}

/** Adds a reference price of an EUA, of one organization or (null) of the platform. */
export function addPrice(
  { prisma }: Database,
  owner: string | null,
  overrides: Partial<PriceValues> = {},
): Promise<MarketPrice> {
  const { asOf, recordedAt, statutoryUntil, ...values } = {
    creditType: "EUA",
    exchange: "EEX",
    price: "80.5",
    currency: "EUR",
    source: "EEX auction report",
    asOf: "2026-11-18" as string | null,
    recordedAt: "2026-11-18T12:00:00.000Z",
    ...overrides,
  };
  return prisma.marketPrice.create({
    data: {
      ...values,
      ...(owner !== null && { organization: ownedBy(owner) }),
      asOf: asOf === null ? null : day(asOf),
      ...(statutoryUntil && { statutoryUntil: day(statutoryUntil) }),
      recordedAt: new Date(recordedAt),
    },
  });
}

export interface FactorValues {
  activity: string;
  category: string;
  factor: string;
  region: string;
  otherName: string;
  detail: string;
  gas: string;
  unit: string;
  dimension: string;
  scope: EmissionScope;
  source: string;
  sourceYear: number;
  sourceUrl: string;
  sourceFactorId: string;
  verified: boolean;
}

/** Adds a verified factor per kilogram of scope 1, of one organization or (null) of a publication. */
export function addFactor(
  { prisma }: Database,
  owner: string | null,
  overrides: Partial<FactorValues> = {},
): Promise<EmissionFactor> {
  const values = {
    activity: "Boiler",
    factor: "2",
    region: "Home",
    scope: "scope_1" as const,
    category: "heat",
    gas: "CO2e",
    unit: "kg",
    dimension: "mass",
    source: "Own measurements",
    sourceYear: 2024,
    sourceUrl: "https://example.org/measurements",
    verified: true,
    ...overrides,
  };
  return prisma.emissionFactor.create({
    data: { ...values, ...(owner !== null && { organization: ownedBy(owner) }) },
  });
}

/** Adds an exchange's feed with the time of its last report; null for never. */
export function addFeed(
  { prisma }: Database,
  lastReportedAt: Date | null,
  exchange: string = randomUUID(),
): Promise<ExchangeFeed> {
  return prisma.exchangeFeed.create({ data: { exchange, lastReportedAt } });
}

export interface BenchmarkValues {
  sector: string;
  intensity: string | number | null;
  unit: string | null;
  region: string | null;
  period: string | null;
  source: string | null;
  sourceUrl: string | null;
  sourceYear: number | null;
}

/** Adds a sector's intensity with its publication: title, link and year. */
export function addBenchmark(
  { prisma }: Database,
  overrides: Partial<BenchmarkValues> = {},
): Promise<Benchmark> {
  const values = {
    sector: "Crude steel",
    intensity: "1.91",
    unit: "tCO2/t crude steel",
    source: "Sustainability Indicators",
    sourceUrl: "https://example.org/indicators",
    sourceYear: 2023,
    ...overrides,
  };
  return prisma.benchmark.create({ data: values });
}

export interface TenantMark {
  /** Part of every string in the tenant's rows. */
  name: string;
  /** Part of every number in the tenant's rows. */
  digits: number;
  framework: Framework;
}

export interface PeriodValues {
  entity: string;
  financialYear: string;
  targetGei: string;
  targetSourceUrl: string;
  achievedGei: string;
  output: string;
  averagePrice: string;
}

/** Adds a financial year in which an entity was 100 certificates short. */
export function addCctsPeriod(
  { prisma }: Database,
  organization: string,
  overrides: Partial<PeriodValues> = {},
): Promise<CctsPeriod> {
  const values = {
    entity: "Smelter",
    financialYear: "2025-26",
    targetGei: "1",
    achievedGei: "1.1",
    output: "1000",
    targetSourceUrl: "https://example.org/targets",
    ...overrides,
  };
  return prisma.cctsPeriod.create({ data: { ...values, organization: ownedBy(organization) } });
}

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
      organization: ownedBy(organization),
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
  const slug = name.toLowerCase();
  const { id: organizationId } = await database.prisma.organization.create({
    data: { slug, name: `${name} organization` },
  });
  const facility = await addFacility(database, slug, { code: `${name} code`, name: `${name} facility` });
  const texts = { category: `${name} category`, source: `${name} source` };
  await addRecord(database, slug, {
    ...texts,
    facility,
    reference: `${name} record`,
    note: `${name} note`,
    co2eTonnes: `${digits}.5`,
  });
  await addFramework(database, slug, { framework, note: `${name} note` });
  await addDeadline(database, slug, {
    framework,
    title: `${name} deadline`,
    status: `${name} status`,
    recurrence: "annual",
    completedOn: "2026-10-20",
    owner: `${name} owner`,
    evidence: `${name} evidence`,
    source: `${name} source`,
    sourceUrl: `https://example.org/${name}`,
  });
  const { id: cctsPeriodId } = await addCctsPeriod(database, slug, {
    entity: `${name} entity`,
    targetSourceUrl: `https://example.org/${name}`,
    averagePrice: `${digits}.5`,
    targetGei: `${digits}.5`,
    achievedGei: `${digits}.75`,
    output: `${digits}00`,
  });
  await addCbamDeclaration(database, slug, { name, digits });
  const batch = await addBatch(database, slug, {
    reference: `${name} batch`,
    creditType: `${name} credits`,
    vintage: 2023,
    quantity: digits + 3,
  });
  await addSale(database, batch, {
    reference: `${name} sale`,
    quantity: 1,
    soldOn: "2026-10-20",
    buyer: `${name} buyer`,
    price: `${digits}.125`,
    currency: "EUR",
  });
  await addRetirement(database, batch, {
    reference: `${name} retirement`,
    quantity: 2,
    beneficiary: `${name} beneficiary`,
    purpose: `${name} purpose`,
    cctsPeriodId,
  });
  const { id: factorId } = await addFactor(database, slug, {
    activity: `${name} activity`,
    otherName: `${name} other name`,
    detail: `${name} detail`,
    factor: `${digits}.5`,
    region: `${name} region`,
    sourceFactorId: `${name} factor`,
    source: `${name} source`,
    sourceUrl: `https://example.org/${name}`,
  });
  const time = new Date("2026-11-20T10:00:00Z");
  const endpoint = await database.prisma.webhookEndpoint.create({
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
      progress: { create: { organizationId, seq: digits, place: `${digits}-0123456789abcdef` } },
    },
  });
  await database.prisma.webhookDelivery.create({
    data: {
      endpointId: endpoint.id,
      organizationId,
      seq: digits,
      eventId: `${digits}-0123456789abcdef`,
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
  await database.prisma.activityMapping.create({
    data: {
      organization: ownedBy(slug),
      text: `${name} text`,
      textKey: `${name} text`.toLowerCase(),
      unit: `${name} unit`,
      unitKey: `${name} unit`.toLowerCase(),
      unitAs: `${name} other unit`,
      region: "DE",
      factorId,
      fixedYear: false,
      createdBy: randomUUID(),
      updatedAt: new Date("2026-11-20T10:00:00Z"),
    },
  });
  await addPrice(database, slug, {
    creditType: `${name} credits`,
    exchange: `${name} exchange`,
    price: `${digits}.25`,
    changePct24h: `${digits}.125`,
    source: `${name} source`,
    sourceUrl: `https://example.org/${name}`,
  });
  await addLedger(database, slug, { name, digits });
  await addVerification(database, slug, { name, digits });
  await fillTables(database, organizationId);
  const removed = { organizationId, stamp: 0, collection: "facilities", id: randomUUID() };
  await database.prisma.removedRow.create({ data: removed });
}

export interface MetricValues {
  name: string;
  unit: string;
  value: string;
}

/** Adds the same value of a business metric for each of the months, `YYYY-MM`. */
export async function addMetric(
  { prisma }: Database,
  slug: string,
  months: readonly string[],
  overrides: Partial<MetricValues> = {},
): Promise<void> {
  const { id: organizationId } = await prisma.organization.findUniqueOrThrow({ where: { slug } });
  const values = { name: "Units produced", unit: "units", value: "4000", ...overrides };
  const data = months.map((month) => ({ organizationId, month: day(`${month}-01`), ...values }));
  await prisma.businessMetric.createMany({ data });
}

/** Adds a business metric, and an import that replaced a record. */
async function addLedger(
  { prisma }: Database,
  slug: string,
  { name, digits }: Omit<TenantMark, "framework">,
): Promise<void> {
  const { id: organizationId } = await prisma.organization.findUniqueOrThrow({ where: { slug } });
  await prisma.businessMetric.create({
    data: {
      organizationId,
      name: `${name} metric`,
      unit: `${name} unit`,
      month: day("2026-10-01"),
      value: `${digits}.75`,
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
    data: {
      organizationId,
      file: `${name} file`,
      undoneAt: day("2026-10-02"),
      accepted: ["RECORD_UNUSUAL"],
    },
  });
  const { id: recordId, recordedOn } = await prisma.emissionRecord.findFirstOrThrow({
    where: { organizationId },
  });
  await prisma.replacedRecord.create({
    data: { organizationId, importId, recordId, recordedOn, scope: "scope_1", co2eTonnes: `${digits}` },
  });
}
