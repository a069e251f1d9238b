import type { Principal } from "../../access/principal.js";
import type { EmissionPart } from "../../actions/emissions/contributions.js";
import type { Recalculation } from "../../actions/emissions/recalculate.js";
import type { Anomaly, AnomalyReport } from "../../actions/foresight/report-anomalies.js";
import type { BenchmarkFilter, CitedBenchmark } from "../../data/benchmarks/benchmarks.js";
import type { CreditGroup } from "../../data/credits/credits.js";
import type { RecordsToSum } from "../../data/emissions/select-sums.js";
import type { Amount, AmountByScope, PartAmount, ScopeAmount } from "../../data/emissions/sums.js";
import type { FacilityRow } from "../../data/facilities/facilities.js";
import type { AcknowledgementRow } from "../../data/foresight/acknowledgements.js";
import type { InstrumentKey, Price } from "../../data/market/market.js";
import type { MetricTotal } from "../../data/metrics/metrics.js";
import type { RequestRow } from "../../data/verification/requests.js";
import type { Contribution } from "../../domain/emissions/contributions.js";
import type { IndexInstrument } from "../../domain/market/price-index.js";
import type { Geography } from "../../domain/market/regions.js";
import type { RateLimitState } from "../../domain/rate-limit.js";
import type { DateRange, IsoDate } from "../../domain/window.js";

// The resolvers of each type X get an XModel as their first argument, which codegen.ts finds by its name in the files
// of this folder. A type without a model is resolved from an object with all its fields, and an XConnection from a
// Connection of X's model. A model that only one resolver file needs can be exported from there.

export type {
  Person as ViewerModel,
  Principal as CallerModel,
  ServiceAccount as CallingServiceAccountModel,
} from "../../access/principal.js";
export type {
  CbamEstimate as CbamEstimateModel,
  YearEstimate as CbamYearModel,
} from "../../actions/cbam/estimate-cbam.js";
export type { Answer as ChatAnswerModel } from "../../actions/chat/answer-by-rules.js";
export type { ChatResponse as ChatPayloadModel } from "../../actions/chat/chat.js";
export type { CreatedRecords as CreateEmissionRecordsPayloadModel } from "../../actions/emissions/create-records.js";
export type {
  RecalculatedRecord as RecalculatedRecordModel,
  Recalculation as RecalculateEmissionRecordsPayloadModel,
} from "../../actions/emissions/recalculate.js";
export type { CreatedFacility as CreateFacilityPayloadModel } from "../../actions/facilities/change-facilities.js";
export type {
  Activity as ActivityModel,
  FactorSelector as FactorSelectorModel,
} from "../../actions/factors/activity.js";
export type { Calculation as CalculationModel } from "../../actions/factors/calculate.js";
export type { CreatedFactor as CreateEmissionFactorPayloadModel } from "../../actions/factors/create-factor.js";
export type { FactorNode as EmissionFactorModel } from "../../actions/factors/search/search-factors.js";
export type { ConsideredPublication as FactorPublicationModel } from "../../actions/factors/selection/choose.js";
export type { CalculationFailure as CalculationErrorModel } from "../../actions/factors/selection/selection-error.js";
export type {
  ForecastReport as ForecastModel,
  PredictionReport as PredictionsModel,
} from "../../actions/foresight/forecast.js";
export type {
  WriteResult as CreateCbamDeclarationPayloadModel,
  WriteResult as IssueCreditsPayloadModel,
  WriteResult as RequestVerificationPayloadModel,
  WriteResult as RecordCctsPeriodPayloadModel,
  WriteResult as RecordPricePayloadModel,
  WriteResult as RetireCreditsPayloadModel,
  WriteResult as SellCreditsPayloadModel,
} from "../../actions/idempotency.js";
export type { UndoSummary as UndoImportPayloadModel } from "../../actions/imports/undo-import.js";
export type { IndexSeries as PriceIndexModel } from "../../actions/market/read-index.js";
export type { Preferences as NotificationPreferencesModel } from "../../actions/notifications/preferences.js";
export type {
  IssuedToken as CreateServiceAccountPayloadModel,
  IssuedToken as RotateServiceAccountPayloadModel,
} from "../../actions/service-accounts/create-service-account.js";
export type {
  AnnouncementRow as ManagedAnnouncementModel,
  ReadAnnouncementRow as AnnouncementModel,
} from "../../data/announcements/announcements.js";
export type { ChainHead as AuditHeadModel } from "../../data/audit/chain.js";
export type { AuditEntryRow as AuditEntryModel } from "../../data/audit/entries.js";
export type { ChainState as AuditVerificationModel } from "../../data/audit/verify-chain.js";
export type {
  ConversationRow as ConversationModel,
  MessageRow as ChatMessageModel,
} from "../../data/chat/conversations.js";
export type {
  DeclarationRow as CbamDeclarationModel,
  ImportedRow as CbamImportModel,
} from "../../data/compliance/cbam.js";
export type { PeriodRow as CctsPeriodModel } from "../../data/compliance/ccts.js";
export type {
  DeadlineRow as DeadlineModel,
  FrameworkRow as FrameworkStateModel,
} from "../../data/compliance/compliance.js";
export type {
  BatchRow as CreditBatchModel,
  CreditGroup as CreditTypeVintageModel,
} from "../../data/credits/credits.js";
export type {
  RetirementRow as CreditRetirementModel,
  SaleRow as CreditSaleModel,
} from "../../data/credits/movements.js";
export type { RecordRow as EmissionRecordModel } from "../../data/emissions/record-rows.js";
export type { EventPage as EventPageModel } from "../../data/events/events.js";
export type { GatewayEvent as EventModel } from "../../data/events/to-event.js";
export type { FacilityRow as FacilityModel } from "../../data/facilities/facilities.js";
export type { AcknowledgementRow as AnomalyAcknowledgementModel } from "../../data/foresight/acknowledgements.js";
export type { ImportRow as ImportModel } from "../../data/imports/imports.js";
export type { OwnKeyRow as ApiKeyModel } from "../../data/keys/own-keys.js";
export type { MappingRow as ActivityMappingModel } from "../../data/mappings/mappings.js";
export type { Price as MarketPriceModel } from "../../data/market/market.js";
export type { MetricRow as BusinessMetricModel } from "../../data/metrics/metrics.js";
export type { NotificationRow as NotificationModel } from "../../data/notifications/notifications.js";
export type { OrganizationRow as OrganizationModel } from "../../data/organizations/organizations.js";
export type {
  MemberRow as MemberModel,
  MembershipRow as MembershipModel,
} from "../../data/people/members.js";
export type { OwnSessionRow as SessionModel } from "../../data/people/own-sessions.js";
export type { PlatformDayRow as PlatformDayModel } from "../../data/platform/monitoring.js";
export type {
  Factors as SecondFactorsModel,
  PasskeyRow as PasskeyModel,
} from "../../data/second-factors/factors.js";
export type { OwnAccountRow as ServiceAccountModel } from "../../data/service-accounts/own-accounts.js";
export type { IdentityRow as IdentityModel } from "../../data/sso/identities.js";
export type { CertificateRow as CertificateModel } from "../../data/verification/certificates.js";
export type {
  FindingRow as VerificationFindingModel,
  VerifiedRecordRow as VerificationRecordModel,
} from "../../data/verification/details.js";
export type {
  SnapshotRow as VerificationSnapshotModel,
  VerifierRow as VerifierModel,
} from "../../data/verification/requests.js";
export type { LineEstimate as CbamLineModel } from "../../domain/cbam/estimate-line.js";
export type { CbamGood as CbamGoodModel } from "../../domain/cbam/goods.js";
export type { CbamPrecursor as CbamPrecursorModel } from "../../domain/cbam/line.js";
export type { CbamPrice as CbamPriceModel } from "../../domain/cbam/price.js";
export type {
  DeMinimis as CbamDeMinimisModel,
  EstimateTotal as CbamTotalModel,
} from "../../domain/cbam/totals.js";
export type { Holding as CbamHoldingModel } from "../../domain/compliance/cbam-declaration.js";
export type { AmountChange as RecalculatedAmountModel } from "../../domain/emissions/recalculation.js";
export type { SeriesKey as AnomalySeriesModel } from "../../domain/foresight/anomaly-id.js";
export type { Insight as InsightModel } from "../../domain/insights/insight.js";
export type { IndexValue as PriceIndexValueModel } from "../../domain/market/price-index.js";
export type { ScopeTotal as ScopeTotalModel } from "../../domain/verification/statement.js";
export type { CataloguedDeadline as CataloguedDeadlineModel } from "../../files/reference/deadline-catalogue.js";

/** For a type whose resolvers all read their own data. */
type Empty = Record<never, never>;
export type AuditLogModel = Empty;
export type ComplianceModel = Empty;
export type CreditPortfolioModel = Empty;
export type MarketModel = Empty;
export type MonitoringModel = Empty;
export type PlatformHealthModel = Empty;

export interface EmissionsModel extends RecordsToSum {
  /** True if the caller gave no range, so the range is the last 12 months. */
  readonly isDefault: boolean;
}
/** A figure without an identifier of its own. `of` identifies the object it describes; it can be any JSON. */
interface Figure {
  readonly of: unknown;
}
export type ScopeEmissionsModel = ScopeAmount & Figure;
export interface EmissionPeriodModel extends AmountByScope, DateRange, Figure {}
export interface EmissionChangeModel extends Omit<Amount, "recordCount"> {
  readonly of: RecordsToSum & { readonly before: DateRange };
  readonly previousFrom: string;
  readonly previousTo: string;
  readonly previousCo2eTonnes: number;
  readonly percent: number | null;
}
export type EmissionContributionModel = Contribution<EmissionPart> & Figure;
/** A part of a breakdown. `summed` is the range and the filter of the whole. */
export interface PartEmissions extends PartAmount {
  readonly summed: RecordsToSum;
}
export type CategoryEmissionsModel = PartEmissions;
export interface RankedEmissionsModel extends Amount, Figure {
  readonly part: string | null;
  readonly sharePercent: number | null;
}
export type CountryEmissionsModel = PartEmissions;
export interface FacilityEmissionsModel {
  readonly summed: RecordsToSum;
  /** The facility named by the records: its row if loaded, otherwise its id; null if they name none. */
  readonly facility: FacilityRow | string | null;
  /** Present if the facilities were ranked by amount. */
  readonly amount?: AmountByScope;
}
export type CreditTypeQuantityModel = Pick<CreditGroup, "creditType"> & { readonly quantity: bigint };
export type PriceIndexInstrumentModel = IndexInstrument & { readonly day: IsoDate };
export type GeographicMarketModel = { readonly geography: Geography };
export type InstrumentModel = InstrumentKey & { readonly latestPrice: Price };
export interface PriceChangeModel {
  readonly instrument: InstrumentKey;
  readonly previous: Price;
  readonly amount: number;
  readonly percent: number | null;
}
export interface RateLimitModel extends RateLimitState {
  /** The principal that the limit applies to. */
  readonly of: Pick<Principal, "id" | "tier">;
  readonly resetAt: Date;
}
export interface CreateApiKeyPayloadModel {
  readonly id: string;
  readonly key: string;
}
export type RotateApiKeyPayloadModel = CreateApiKeyPayloadModel;
export interface BenchmarksModel {
  /** Arguments of the field. */
  readonly filter: BenchmarkFilter;
  readonly items: (args: { readonly first?: number | null }) => Promise<readonly CitedBenchmark[]>;
}
export type RecalculatedScopeModel = Recalculation["byScope"][number];
/** Key figures of the last 12 months. */
export interface EmissionKpisModel {
  readonly summed: RecordsToSum;
}
/** A metric over whole months, and the emissions in the same months. */
export interface EmissionIntensityModel extends MetricTotal {
  readonly range: DateRange;
  readonly co2eTonnesExact: string;
}

/** Anomalies of series, with the arguments that selected them. */
export interface AnomaliesModel extends AnomalyReport {
  readonly from: string;
  readonly to: string;
  /** Name and arguments of the field. */
  readonly of: readonly unknown[];
  /** Reads the ids of the records behind each anomaly, in the order of the anomalies. */
  readonly recordIdsOf: (anomalies: readonly Anomaly[]) => Promise<readonly (readonly string[])[]>;
}
export interface AnomalyModel extends Anomaly, Pick<AnomaliesModel, "of"> {
  readonly recordIds: () => Promise<readonly string[]>;
  readonly acknowledgement: () => Promise<AcknowledgementRow | null>;
}
/** A verification request as read by its organization or its verifier. */
export interface VerificationRequestModel extends RequestRow {
  /** Link for the verifier, if the current operation has created it. */
  readonly verifierLink?: string;
}
