import { ANNOUNCEMENT_LEVELS, AUDIENCE_KINDS } from "../../domain/announcements/announcement.js";
import { CBAM_BASES } from "../../domain/cbam/line.js";
import { CBAM_SCENARIOS, CBAM_SECTORS, CBAM_SOURCE_KINDS } from "../../domain/cbam/rules.js";
import { CHAT_ENGINES, CHAT_MODULES, CHAT_ROLES } from "../../domain/chat/question.js";
import { CBAM_OBLIGATIONS, DECLARATION_STATUSES } from "../../domain/compliance/cbam-declaration.js";
import {
  DATE_PRECISIONS,
  DEADLINE_STATUSES,
  NEW_DEADLINE_STATUSES,
  RECURRENCES,
} from "../../domain/compliance/deadlines.js";
import { CHANGE_SPLITS } from "../../domain/emissions/change-splits.js";
import { RECALCULATION_OBSTACLES } from "../../domain/emissions/recalculation.js";
import {
  EMISSION_RECORD_ORDERS,
  EMISSION_SCOPES,
  FRAMEWORK_STATUSES,
  ORDER_DIRECTIONS,
  PRICE_TYPES,
} from "../../domain/enums.js";
import { ANOMALY_CHECKS, ANOMALY_TYPES, SEVERITIES } from "../../domain/foresight/anomalies.js";
import { GROUPINGS } from "../../domain/foresight/groupings.js";
import { DIRECTIONS } from "../../domain/foresight/line.js";
import { FORECAST_METHODS, FORECAST_MODULES } from "../../domain/foresight/methods.js";
import { INSIGHT_KINDS } from "../../domain/insights/insight.js";
import { KEY_STATUSES } from "../../domain/keys/rules.js";
import { EXCLUSIONS } from "../../domain/market/price-index.js";
import { GEOGRAPHIES } from "../../domain/market/regions.js";
import { NOTIFICATION_CATEGORIES } from "../../domain/notifications/categories.js";
import { ROLES } from "../../domain/people/roles.js";
import { SESSION_KINDS } from "../../domain/people/session-kinds.js";
import { TIERS } from "../../domain/tiers.js";
import {
  ASSURANCE_LEVELS,
  CERTIFICATE_STATUSES,
  FINDING_SEVERITIES,
  OPINIONS,
  VERIFICATION_PARTIES,
  VERIFICATION_STATUSES,
} from "../../domain/verification/states.js";
import { TREND_STEPS } from "../../domain/window.js";

/** Enum values are upper case in GraphQL, and lower case inside the gateway and in the REST contract. */
const upperCase = <Value extends string>(values: readonly Value[]) =>
  Object.fromEntries(values.map((value) => [value.toUpperCase(), value])) as {
    [Name in Value as Uppercase<Name>]: Name;
  };

export const enums = {
  EmissionScope: upperCase(EMISSION_SCOPES),
  KpiPeriod: upperCase(["last_12_months"]),
  FrameworkStatus: upperCase(FRAMEWORK_STATUSES),
  DeadlineStatus: upperCase(DEADLINE_STATUSES),
  NewDeadlineStatus: upperCase(NEW_DEADLINE_STATUSES),
  Recurrence: upperCase(RECURRENCES),
  DatePrecision: upperCase(DATE_PRECISIONS),
  CbamBasis: upperCase(CBAM_BASES),
  CbamScenario: upperCase(CBAM_SCENARIOS),
  CbamSector: upperCase(CBAM_SECTORS),
  CbamSourceKind: upperCase(CBAM_SOURCE_KINDS),
  CbamDeclarationStatus: upperCase(DECLARATION_STATUSES),
  CbamObligation: upperCase(CBAM_OBLIGATIONS),
  PriceType: upperCase(PRICE_TYPES),
  Geography: upperCase(GEOGRAPHIES),
  PriceIndexExclusion: upperCase(EXCLUSIONS),
  Tier: upperCase(TIERS),
  ApiKeyStatus: upperCase(KEY_STATUSES),
  Role: upperCase(ROLES),
  ChatModule: upperCase(CHAT_MODULES),
  ChatRole: upperCase(CHAT_ROLES),
  ChatEngine: upperCase(CHAT_ENGINES),
  SessionKind: upperCase(SESSION_KINDS),
  TrendStep: upperCase(TREND_STEPS),
  AnomalyCheck: upperCase(ANOMALY_CHECKS),
  AnomalyGrouping: upperCase(GROUPINGS),
  AnomalyType: upperCase(ANOMALY_TYPES),
  AnnouncementLevel: upperCase(ANNOUNCEMENT_LEVELS),
  AudienceKind: upperCase(AUDIENCE_KINDS),
  InsightKind: upperCase(INSIGHT_KINDS),
  ChangeSplit: upperCase(CHANGE_SPLITS),
  Severity: upperCase(SEVERITIES),
  NotificationCategory: upperCase(NOTIFICATION_CATEGORIES),
  ForecastMethod: upperCase(FORECAST_METHODS),
  ForecastModule: upperCase(FORECAST_MODULES),
  TrendDirection: upperCase(DIRECTIONS),
  OrderDirection: upperCase(ORDER_DIRECTIONS),
  VerificationStatus: upperCase(VERIFICATION_STATUSES),
  AssuranceLevel: upperCase(ASSURANCE_LEVELS),
  Opinion: upperCase(OPINIONS),
  FindingSeverity: upperCase(FINDING_SEVERITIES),
  VerificationParty: upperCase(VERIFICATION_PARTIES),
  CertificateStatus: upperCase(CERTIFICATE_STATUSES),
  RecalculationObstacle: upperCase(RECALCULATION_OBSTACLES),
  EmissionRecordOrder: upperCase(EMISSION_RECORD_ORDERS),
};
