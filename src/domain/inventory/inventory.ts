import type { EmissionScope } from "../enums.js";
import type { IsoDate } from "../window.js";
import type { InventoryLine } from "./lines.js";

export type ConsolidationApproach = "equity_share" | "financial_control" | "operational_control";
export type FinancialControl = "full" | "joint" | "none";
export type StreamMethod = "measured" | "activity_based" | "supplier_specific" | "spend_based" | "estimated";
export type LineJudgement = "not_relevant" | "not_estimated";
export type InventoryLineState = LineJudgement | "included" | "missing";
export type EnergyInstrumentKind = "certificate" | "contract" | "supplier_rate";

/** Rules of the inventory from a year on. */
export interface InventoryPolicy {
  readonly fromYear: number;
  readonly approach: ConsolidationApproach;
  readonly scopes: readonly EmissionScope[];
  /** Month in which a year of the inventory starts, 1 to 12. */
  readonly yearStartsIn: number;
  readonly baseYear: number | null;
  readonly baseYearReason: string | null;
  readonly recalculationThresholdPercentExact: string | null;
  readonly recalculationPolicy: string | null;
  readonly chosenAt: Date;
}

/** Half-width of a 95 % confidence interval. */
export interface InventoryUncertainty {
  readonly co2eTonnesExact: string;
  readonly percent: number;
  readonly coveredPercent: number | null;
}

interface Totals {
  readonly co2eTonnesExact: string;
  /** Null if unknown, and for scopes 1 and 3. */
  readonly marketBasedCo2eTonnesExact: string | null;
}

export interface InventoryScope extends Totals {
  readonly scope: EmissionScope;
  readonly biogenicCo2TonnesExact: string;
  readonly uncertainty: InventoryUncertainty | null;
}

export interface InventoryLineAmount {
  readonly line: InventoryLine;
  readonly scope: EmissionScope;
  readonly state: InventoryLineState;
  readonly reason: string | null;
  readonly co2eTonnesExact: string;
  readonly recordCount: number;
  /** Largest first. */
  readonly methods: readonly {
    readonly method: StreamMethod | null;
    readonly co2eTonnesExact: string;
    readonly percent: number | null;
  }[];
}

export interface UnmappedStream {
  readonly scope: EmissionScope;
  readonly category: string | null;
  readonly co2eTonnesExact: string;
  readonly recordCount: number;
}

export interface InventoryEnergyAmount {
  readonly kwhExact: string;
  readonly co2eTonnesExact: string;
}

export interface InventoryFacilityEnergy extends Totals {
  /** Code of the facility; null for records of the organization itself. */
  readonly facility: string | null;
  readonly market: string | null;
  readonly consumptionKwhExact: string;
}

export interface InventoryScope2 {
  readonly consumptionKwhExact: string;
  readonly coveredKwhExact: string;
  readonly unusedMwhExact: string;
  readonly instruments: readonly {
    readonly kind: EnergyInstrumentKind;
    readonly mwhExact: string;
    readonly co2eTonnesExact: string;
  }[];
  readonly residualMix: InventoryEnergyAmount | null;
  readonly byLocation: InventoryEnergyAmount | null;
  readonly facilities: readonly InventoryFacilityEnergy[];
}

export type InventoryGapCode =
  | "STREAM_UNMAPPED"
  | "LINE_UNJUSTIFIED"
  | "ENERGY_MISSING"
  | "CLAIMS_EXCEED_CONSUMPTION"
  | "RESIDUAL_MIX_MISSING"
  | "JUDGEMENT_CONTRADICTED"
  | "TYPED_MARKET_BASED"
  | "LIFE_CYCLE_FACTOR"
  | "CO2_ONLY"
  | "GASES_NOT_SEPARATED";

export interface InventoryGap {
  readonly code: InventoryGapCode;
  readonly blocking: boolean;
  readonly line: InventoryLine | null;
  readonly scope: EmissionScope | null;
  readonly category: string | null;
  readonly facility: string | null;
  readonly message: string;
}

/** The greenhouse gas inventory of a year. Amounts are exact plain decimals. */
export interface Inventory {
  readonly year: number;
  readonly period: { readonly from: IsoDate; readonly to: IsoDate };
  readonly policy: InventoryPolicy;
  /** First day of the month whose holdings apply to the whole year; null if each month has its own. */
  readonly holdingsAsOf: IsoDate | null;
  readonly total: Totals;
  readonly ledgerCo2eTonnesExact: string;
  readonly scopes: readonly InventoryScope[];
  readonly lines: readonly InventoryLineAmount[];
  readonly unmapped: readonly UnmappedStream[];
  readonly scope2: InventoryScope2;
  /** Purchased electricity that renewable instruments cover. Only the VSME report uses it. */
  readonly renewableKwhExact: string;
  readonly uncertainty: InventoryUncertainty | null;
  readonly completeness: {
    readonly included: number;
    readonly notRelevant: number;
    readonly notEstimated: number;
    readonly missing: number;
    readonly complete: boolean;
  };
  /** Gaps that block an issue come first. */
  readonly gaps: readonly InventoryGap[];
}
