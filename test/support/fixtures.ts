import { randomUUID } from "node:crypto";
import type { Database } from "../../src/data/database/types.js";
import type { EmissionScope, Framework, FrameworkStatus, PriceType } from "../../src/domain/enums.js";
import type {
  Benchmark,
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

// Days are written `YYYY-MM-DD` and amounts as decimal strings or numbers, as in a bundle.

const day = (text: string) => new Date(`${text}T00:00:00.000Z`);
const ownedBy = (slug: string) => ({ connect: { slug } });

export interface FacilityValues {
  code: string;
  name: string;
  country: string | null;
}

/** A site of the organization, in Germany. */
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
  facility: Facility;
  reference: string;
  category: string;
  source: string;
}

/** One tonne of scope 1, a few days before the tests' "now". */
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
}

/** The organization's standing in a framework: CCTS, compliant. */
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
}

/** A pending deadline, some weeks after the tests' "now". */
export function addDeadline(
  { prisma }: Database,
  organization: string,
  overrides: Partial<DeadlineValues> = {},
): Promise<ComplianceDeadline> {
  const { dueDate, ...values } = {
    framework: "CCTS" as const,
    title: "Annual report",
    dueDate: "2026-12-31",
    status: "pending",
    ...overrides,
  };
  return prisma.complianceDeadline.create({
    data: { ...values, organization: ownedBy(organization), dueDate: day(dueDate) },
  });
}

export interface BatchValues {
  reference: string;
  creditType: string;
  quantity: number | bigint;
  vintage: number;
}

/** A batch of 1,000 VCS credits, all available. */
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
}

/** A sale of 100 credits of a batch. */
export function addSale(
  { prisma }: Database,
  { id, organizationId }: Batch,
  overrides: Partial<SaleValues> = {},
): Promise<CreditSale> {
  const values = { reference: randomUUID(), quantity: 100, ...overrides };
  return prisma.creditSale.create({ data: { ...values, organizationId, batchId: id } });
}

export interface RetirementValues {
  reference: string;
  quantity: number | bigint;
  retiredOn: string;
  beneficiary: string;
}

/** A retirement of 100 credits of a batch. */
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
  recordedAt: string;
}

/** A reference price of an EUA, of one organization or (null) of the platform. */
export function addPrice(
  { prisma }: Database,
  owner: string | null,
  overrides: Partial<PriceValues> = {},
): Promise<MarketPrice> {
  const { asOf, recordedAt, ...values } = {
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
      recordedAt: new Date(recordedAt),
    },
  });
}

export interface FactorValues {
  activity: string;
  factor: string;
  region: string;
  otherName: string;
  detail: string;
  gas: string;
  source: string;
  sourceUrl: string;
  sourceFactorId: string;
  verified: boolean;
}

/** A verified factor per kilogram of scope 1, of one organization or (null) of a publication. */
export function addFactor(
  { prisma }: Database,
  owner: string | null,
  overrides: Partial<FactorValues> = {},
): Promise<EmissionFactor> {
  const values = {
    ...{ activity: "Boiler", factor: "2", region: "Home", scope: "scope_1" as const, category: "heat" },
    ...{ gas: "CO2e", unit: "kg", dimension: "mass", source: "Own measurements", sourceYear: 2024 },
    ...{ sourceUrl: "https://example.org/measurements", verified: true },
    ...overrides,
  };
  return prisma.emissionFactor.create({
    data: { ...values, ...(owner !== null && { organization: ownedBy(owner) }) },
  });
}

/** A feed of an exchange and when it last reported, null for never. */
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

/** The intensity of a sector with its publication: title, link and year. */
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
  /** In every text of the tenant's rows. */
  name: string;
  /** In every number of them. */
  digits: number;
  framework: Framework;
}

/** A new organization with a row in every table that holds tenants' rows, each recognisable as its own. */
export async function addTenantData(
  database: Database,
  { name, digits, framework }: TenantMark,
): Promise<void> {
  const slug = name.toLowerCase();
  await database.prisma.organization.create({ data: { slug, name: `${name} organization` } });
  const facility = await addFacility(database, slug, { code: `${name} code`, name: `${name} facility` });
  const texts = { category: `${name} category`, source: `${name} source` };
  await addRecord(database, slug, {
    ...texts,
    facility,
    reference: `${name} record`,
    co2eTonnes: `${digits}.5`,
  });
  await addFramework(database, slug, { framework });
  await addDeadline(database, slug, { framework, title: `${name} deadline`, status: `${name} status` });
  const batch = await addBatch(database, slug, {
    reference: `${name} batch`,
    creditType: `${name} credits`,
    vintage: 2023,
    quantity: digits + 3,
  });
  await addSale(database, batch, { reference: `${name} sale`, quantity: 1 });
  await addRetirement(database, batch, {
    reference: `${name} retirement`,
    quantity: 2,
    beneficiary: `${name} beneficiary`,
  });
  await addFactor(database, slug, {
    ...{ activity: `${name} activity`, otherName: `${name} other name`, detail: `${name} detail` },
    ...{ factor: `${digits}.5`, region: `${name} region`, sourceFactorId: `${name} factor` },
    ...{ source: `${name} source`, sourceUrl: `https://example.org/${name}` },
  });
  await addPrice(database, slug, {
    creditType: `${name} credits`,
    exchange: `${name} exchange`,
    price: `${digits}.25`,
    changePct24h: `${digits}.125`,
    source: `${name} source`,
    sourceUrl: `https://example.org/${name}`,
  });
}
