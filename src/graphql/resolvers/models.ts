import type { Person, Principal } from "../../access/principal.js";
import type { CbamEstimate, YearEstimate } from "../../actions/cbam/estimate.js";
import type { EmissionPart } from "../../actions/emissions/contributions.js";
import type { CreatedRecords } from "../../actions/emissions/create-records.js";
import type { RecalculatedRecord, Recalculation } from "../../actions/emissions/recalculate.js";
import type { CreatedFacility } from "../../actions/facilities/facilities.js";
import type { Activity, Calculation } from "../../actions/factors/calculate.js";
import type { CreatedFactor } from "../../actions/factors/create-factor.js";
import type { Anomaly, AnomalyReport } from "../../actions/foresight/anomalies.js";
import type { UndoSummary } from "../../actions/imports/imports.js";
import type { IndexSeries } from "../../actions/market/read-index.js";
import type { Preferences } from "../../actions/notifications/preferences.js";
import type { Written } from "../../actions/same.js";
import type { AnnouncementRow, ReadAnnouncementRow } from "../../data/announcements/announcements.js";
import type { ChainHead, StoredEntry } from "../../data/audit/chain.js";
import type { ChainState } from "../../data/audit/verify-chain.js";
import type { BenchmarkFilter, CitedBenchmark } from "../../data/benchmarks/benchmarks.js";
import type { ConversationRow } from "../../data/chat/conversations.js";
import type { DeclarationRow, ImportedRow } from "../../data/compliance/cbam.js";
import type { PeriodRow } from "../../data/compliance/ccts.js";
import type { DeadlineRow, FrameworkRow } from "../../data/compliance/compliance.js";
import type { BatchRow, CreditGroup } from "../../data/credits/credits.js";
import type { RetirementRow, SaleRow } from "../../data/credits/movements.js";
import type { RecordRow } from "../../data/emissions/record-rows.js";
import type { Amount, AmountByScope, PartAmount, ScopeAmount, Summed } from "../../data/emissions/sums.js";
import type { FacilityRow } from "../../data/facilities/facilities.js";
import type { FactorRow } from "../../data/factors/factors.js";
import type { ImportRow } from "../../data/imports/imports.js";
import type { OwnKeyRow } from "../../data/keys/own-keys.js";
import type { InstrumentKey, Price } from "../../data/market/market.js";
import type { MetricRow, MetricTotal } from "../../data/metrics/metrics.js";
import type { NotificationRow } from "../../data/notifications/notifications.js";
import type { InvitationRow } from "../../data/people/invitations.js";
import type { MemberRow, MembershipRow } from "../../data/people/members.js";
import type { OwnSessionRow } from "../../data/people/own-sessions.js";
import type { PlatformDayRow } from "../../data/platform/monitoring.js";
import type { CertificateRow } from "../../data/verification/certificates.js";
import type { VerifiedRecordRow } from "../../data/verification/details.js";
import type { RequestRow } from "../../data/verification/requests.js";
import type { LineEstimate } from "../../domain/cbam/estimate.js";
import type { CbamPrecursor } from "../../domain/cbam/line.js";
import type { CbamPrice } from "../../domain/cbam/price.js";
import type { DeMinimis, EstimateTotal } from "../../domain/cbam/totals.js";
import type { Holding } from "../../domain/compliance/cbam-declaration.js";
import type { Contribution } from "../../domain/emissions/contributions.js";
import type { AmountChange } from "../../domain/emissions/recalculation.js";
import type { Insight } from "../../domain/insights/insight.js";
import type { IndexInstrument, IndexValue } from "../../domain/market/price-index.js";
import type { RateLimitState } from "../../domain/rate-limit.js";
import type { ScopeTotal } from "../../domain/verification/statement.js";
import type { DateRange, IsoDate } from "../../domain/window.js";
import type { CataloguedDeadline } from "../../files/reference/deadlines.js";
import type { Connection } from "../paging/page.js";

// What the resolvers of a type receive as their first argument, for types whose fields are not simply copied from it.

/** For a type whose resolvers all read their own data. */
export type Empty = Record<never, never>;

export interface EmissionsModel extends Summed {
  /** Whether no range was given, so that it is the window of the last 12 months. */
  readonly isDefault: boolean;
}
/** A figure without an identifier of its own. `of`, any JSON, says what it describes. */
interface Figure {
  readonly of: unknown;
}
export type ScopeEmissionsModel = ScopeAmount & Figure;
export interface EmissionPeriodModel extends AmountByScope, DateRange, Figure {}
export interface EmissionChangeModel extends Omit<Amount, "recordCount"> {
  readonly of: Summed;
  readonly previousFrom: string;
  readonly previousTo: string;
  readonly previousCo2eTonnes: number;
  readonly percent: number | null;
}
export type EmissionContributionModel = Contribution<EmissionPart> & Figure;
/** A part of a breakdown, and the sums that were broken down. */
export interface PartEmissionsModel extends PartAmount {
  readonly summed: Summed;
}
export interface FacilityEmissionsModel {
  readonly summed: Summed;
  /** The facility that the records name: its row if that is known, else its id; null if they name none. */
  readonly facility: FacilityRow | string | null;
  /** Present if the facilities were found by their amounts. */
  readonly amount?: AmountByScope;
}
export type RecordModel = RecordRow;
export type FrameworkStateModel = FrameworkRow;
export type DeadlineModel = DeadlineRow;
export type CataloguedDeadlineModel = CataloguedDeadline;
export type PeriodModel = PeriodRow;
export type CbamEstimateModel = CbamEstimate;
export type CbamPriceModel = CbamPrice;
export type CbamDeMinimisModel = DeMinimis;
export type CbamYearModel = YearEstimate;
export type CbamLineModel = LineEstimate;
export type CbamTotalModel = EstimateTotal;
export type CbamDeclarationModel = DeclarationRow;
export type CbamHoldingModel = Holding;
export type CbamImportModel = ImportedRow;
export type CbamPrecursorModel = CbamPrecursor;
export type BatchModel = BatchRow;
export type CreditTypeQuantityModel = Pick<CreditGroup, "creditType"> & { readonly quantity: bigint };
export type CreditTypeVintageModel = CreditGroup;
export type SaleModel = SaleRow;
export type RetirementModel = RetirementRow;
export type WrittenModel = Written;
export type PriceModel = Price;
export type PriceIndexModel = IndexSeries;
export type PriceIndexValueModel = IndexValue;
export type PriceIndexInstrumentModel = IndexInstrument & { readonly day: IsoDate };
export type InstrumentModel = InstrumentKey & { readonly latestPrice: Price };
export interface PriceChangeModel {
  readonly instrument: InstrumentKey;
  readonly previous: Price;
  readonly amount: number;
  readonly percent: number | null;
}
export interface RateLimitModel extends RateLimitState {
  /** The principal whose limit it is. */
  readonly of: Pick<Principal, "id" | "tier">;
  readonly resetAt: Date;
}
export type ApiKeyModel = OwnKeyRow;
export interface NewApiKeyModel {
  readonly id: string;
  readonly key: string;
}
export interface BenchmarksModel {
  /** The arguments of the field. */
  readonly filter: BenchmarkFilter;
  readonly items: (args: { readonly first?: number | null }) => Promise<readonly CitedBenchmark[]>;
}
export type ViewerModel = Person;
export type PreferencesModel = Preferences;
export type NotificationModel = NotificationRow;
export type MembershipModel = MembershipRow;
export type SessionModel = OwnSessionRow;
export type MemberModel = MemberRow;
export type InvitationModel = InvitationRow;

export type ConversationConnectionModel = Connection<ConversationRow>;

export type AuditEntryModel = StoredEntry;
export type AuditHeadModel = ChainHead;
export type AuditVerificationModel = ChainState;

export type AnnouncementModel = ReadAnnouncementRow;
export type ManagedAnnouncementModel = AnnouncementRow;
export type ManagedAnnouncementConnectionModel = Connection<AnnouncementRow>;
export type InsightModel = Insight;
export type FactorModel = FactorRow;
export type CalculationModel = Calculation;
export type ImportModel = ImportRow;
export type UndoneImportModel = UndoSummary;
export type ActivityModel = Activity;
export type FacilityModel = FacilityRow;
export type NewRecordsModel = CreatedRecords;
export type RecalculationModel = Recalculation;
export type RecalculatedAmountModel = AmountChange;
export type RecalculatedScopeModel = Recalculation["byScope"][number];
export type RecalculatedRecordModel = RecalculatedRecord;
export type NewFactorModel = CreatedFactor;
export type NewFacilityModel = CreatedFacility;
/** Key figures of the last 12 months. */
export interface EmissionKpisModel {
  readonly summed: Summed;
}
/** A metric over whole months, and the emissions in them. */
export interface EmissionIntensityModel extends MetricTotal {
  readonly range: DateRange;
  readonly co2eTonnesExact: string;
}
export type MetricModel = MetricRow;

export type MetricConnectionModel = Connection<MetricModel>;
export type ImportConnectionModel = Connection<ImportModel>;
export type FactorConnectionModel = Connection<FactorModel>;
export type FacilityConnectionModel = Connection<FacilityModel>;
export type FacilityEmissionsConnectionModel = Connection<FacilityEmissionsModel>;
export type RecordConnectionModel = Connection<RecordModel>;
export type DeadlineConnectionModel = Connection<DeadlineModel>;
export type PeriodConnectionModel = Connection<PeriodModel>;
export type CbamDeclarationConnectionModel = Connection<CbamDeclarationModel>;
export type BatchConnectionModel = Connection<BatchModel>;
export type SaleConnectionModel = Connection<SaleModel>;
export type RetirementConnectionModel = Connection<RetirementModel>;
export type InstrumentConnectionModel = Connection<InstrumentModel>;
export type ApiKeyConnectionModel = Connection<ApiKeyModel>;
export type SessionConnectionModel = Connection<SessionModel>;
export type NotificationConnectionModel = Connection<NotificationModel>;
export type MemberConnectionModel = Connection<MemberModel>;
export type InvitationConnectionModel = Connection<InvitationModel>;
export type AuditEntryConnectionModel = Connection<AuditEntryModel>;

/** What was found in series, with what decides it. */
export interface AnomaliesModel extends AnomalyReport {
  readonly from: string;
  readonly to: string;
  /** The name and the arguments of the field. */
  readonly of: readonly unknown[];
  /** The records behind findings, in their order. */
  readonly recordIdsOf: (anomalies: readonly Anomaly[]) => Promise<readonly (readonly string[])[]>;
}
export interface AnomalyModel extends Anomaly, Pick<AnomaliesModel, "of"> {
  readonly recordIds: () => Promise<readonly string[]>;
  readonly acknowledged: () => Promise<boolean>;
}
export type AnomalyConnectionModel = Connection<AnomalyModel>;

/** The fields of both read what they answer. */
export type MonitoringModel = object;
export type PlatformHealthModel = object;
export type PlatformDayModel = PlatformDayRow;
/** A request, for its organization or its verifier. */
export interface VerificationRequestModel extends RequestRow {
  readonly isAssigned: boolean;
  /** The link, if this operation has created it. */
  readonly verifierLink?: string;
}
export type VerificationRequestConnectionModel = Connection<VerificationRequestModel>;
export type VerificationRecordConnectionModel = Connection<VerifiedRecordRow>;
export type ScopeTotalModel = ScopeTotal;
export type CertificateConnectionModel = Connection<CertificateRow>;
