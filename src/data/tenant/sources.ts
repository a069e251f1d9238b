import { Prisma } from "../../generated/prisma/client.js";
import { TABLES } from "../database/schema/tables.js";

/** `own`: the tenant's rows. `own and shared`: also rows without an organization. `shared`: all rows. `hidden`: no source. */
type Visibility = "own" | "own and shared" | "shared" | "hidden";

/** Which rows of each table a tenant sees. A new model does not compile until it has its line here. */
const VISIBILITY = {
  Organization: "hidden",
  ApiKey: "hidden",
  ApiKeyUsage: "hidden",
  KeyEvent: "hidden",
  Facility: "own",
  EmissionRecord: "own",
  EmissionDay: "own",
  Import: "own",
  ReplacedRecord: "hidden",
  BusinessMetric: "own",
  AnomalyAcknowledgement: "own",
  ComplianceStatus: "own",
  ComplianceDeadline: "own",
  CctsPeriod: "own",
  CbamDeclaration: "own",
  CbamImport: "own",
  CreditBatch: "own",
  CreditSale: "own",
  CreditRetirement: "own",
  Benchmark: "shared",
  MarketPrice: "own and shared",
  PriceIndex: "shared",
  PriceIndexWeight: "shared",
  EmissionFactor: "own and shared",
  ExchangeFeed: "shared",
  User: "hidden",
  Membership: "hidden",
  MemberHistory: "hidden",
  Session: "hidden",
  SpentRefreshToken: "hidden",
  SignInLink: "hidden",
  Invitation: "hidden",
  NotificationPreferences: "hidden",
  Notification: "hidden",
  Delivery: "hidden",
  DeliveryTurn: "hidden",
  MailJob: "hidden",
  MailLink: "hidden",
  Conversation: "hidden",
  ChatMessage: "hidden",
  VerificationRequest: "hidden",
  VerificationStatusChange: "hidden",
  VerificationSnapshot: "hidden",
  VerificationFinding: "hidden",
  Certificate: "hidden",
  CertificateNumber: "hidden",
  SigningKey: "hidden",
  PeriodLock: "hidden",
  AuditEntry: "own",
  AuditHead: "hidden",
  AuditCheck: "hidden",
  AuditPending: "hidden",
  PlatformDay: "hidden",
  Job: "hidden",
  Announcement: "hidden",
  AnnouncementDismissal: "hidden",
} as const satisfies Record<Prisma.ModelName, Visibility>;

type Model = Prisma.ModelName;
type VisibleModel = { [M in Model]: (typeof VISIBILITY)[M] extends "hidden" ? never : M }[Model];
/** A table of which a tenant sees rows. */
export type SourceTable = (typeof TABLES)[VisibleModel];

const VISIBLE = (Object.keys(VISIBILITY) as Model[]).flatMap((model) => {
  const rows: Visibility = VISIBILITY[model];
  return rows === "hidden" ? [] : [{ table: TABLES[model] as SourceTable, rows }];
});
/** Tables whose changes the database does not announce: what is read from them is not cached. */
export const UNANNOUNCED: ReadonlySet<SourceTable> = new Set(["audit_entries"]);

/**
 * The tenant's records, for a condition on their grams: the organization is compared as text, so that no index by organization
 * is used instead of the one by grams.
 */
const RECORDS_BY_GRAMS = `"own emission_records by grams"`;

const TABLES_BY_NAME: ReadonlyMap<string, SourceTable> = new Map([
  ...VISIBLE.map(({ table }) => [`"own ${table}"`, table] as const),
  [RECORDS_BY_GRAMS, "emission_records"],
]);

/**
 * What a tenant's statement may read from, by table: `FROM ${own.facilities} AS f` reads the tenant's facilities. Each
 * is a name that no table has; `defineSource` gives it its meaning.
 */
export const own = Object.fromEntries(
  VISIBLE.map(({ table }) => [table, Prisma.raw(`"own ${table}"`)]),
) as Readonly<Record<SourceTable, Prisma.Sql>>;

export const ownRecordsByGrams: Prisma.Sql = Prisma.raw(RECORDS_BY_GRAMS);

/** A name for a CTE of a tenant's statement: WITH defines it, FROM reads it. */
export const cte = (name: string): Prisma.Sql => Prisma.raw(`"cte ${name}"`);

/** The table behind the name of a source; undefined for any other name. */
export const findSource = (name: string): SourceTable | undefined => TABLES_BY_NAME.get(name);

/** Whether `cte` made this name. */
export const isCte = (name: string): boolean => /^"cte \w+"$/.test(name);

/**
 * The CTE that defines the source with this name, without deleted records; `organization` is an SQL expression of type uuid.
 * PostgreSQL inlines it.
 */
export function defineSource(name: string, organization: string): string {
  const source = findSource(name);
  if (!source) throw new Error(`${name} is no source`);
  const isOwn =
    name === RECORDS_BY_GRAMS
      ? `organization_id::text = ${organization}::text`
      : `organization_id = ${organization}`;
  const conditions = {
    own: isOwn,
    "own and shared": `(${isOwn} OR organization_id IS NULL)`,
    // The parameter has to occur in every statement.
    shared: `${organization} IS NOT NULL`,
  };
  const rows = VISIBLE.find(({ table }) => table === source)?.rows ?? "own";
  const living = source === "emission_records" ? " AND deleted_at IS NULL" : "";
  return `${name} AS NOT MATERIALIZED (SELECT * FROM ${source} WHERE ${conditions[rows]}${living})`;
}
