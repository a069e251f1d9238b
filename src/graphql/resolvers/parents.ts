import type { BenchmarkFilter, CitedBenchmark } from "../../data/benchmarks/benchmarks.js";
import type { DeadlineRow, FrameworkRow } from "../../data/compliance/compliance.js";
import type { BatchRow, CreditGroup, RetirementRow } from "../../data/credits/credits.js";
import type { FacilityRow, RecordRow } from "../../data/emissions/records.js";
import type { Amount, AmountByScope, PartAmount, ScopeAmount, Summed } from "../../data/emissions/sums.js";
import type { InstrumentKey, Price } from "../../data/market/market.js";
import type { RateLimitState } from "../../domain/rate-limit.js";
import type { DateRange } from "../../domain/window.js";
import type { Connection } from "../paging/page.js";

// What the resolvers of a type are given, where that is not simply the type's fields.

/** A type whose fields all read for themselves. */
export type NoParent = Record<never, never>;

export interface EmissionsParent extends Summed {
  /** Whether its range is the window that moves with the days. */
  readonly isDefault: boolean;
}
/** A figure of something that has no identifier of its own, with what it is a figure of: any JSON that names that. */
interface Figure {
  readonly of: unknown;
}
export type ScopeEmissionsParent = ScopeAmount & Figure;
export interface EmissionPeriodParent extends AmountByScope, DateRange, Figure {}
export interface EmissionChangeParent extends Figure, Omit<Amount, "recordCount"> {
  readonly previousFrom: string;
  readonly previousTo: string;
  readonly previousCo2eTonnes: number;
  readonly percent: number | null;
}
/** A part of a breakdown, and what it is a part of. */
export interface PartEmissionsParent extends PartAmount {
  readonly summed: Summed;
}
export interface FacilityEmissionsParent {
  readonly summed: Summed;
  /** What the records name: the row where it is known already, else its id; null where they name none. */
  readonly facility: FacilityRow | string | null;
  /** Known already where the facilities were found by their amounts. */
  readonly amount?: AmountByScope;
}
export type RecordParent = RecordRow;
export type FrameworkStateParent = FrameworkRow;
export type DeadlineParent = DeadlineRow;
export type BatchParent = BatchRow;
export type CreditTypeQuantityParent = Pick<CreditGroup, "creditType"> & { readonly quantity: bigint };
export type CreditTypeVintageParent = CreditGroup;
export type RetirementParent = RetirementRow;
export type InstrumentParent = InstrumentKey & { readonly latestPrice: Price };
export interface PriceChangeParent {
  readonly instrument: InstrumentKey;
  readonly previous: Price;
  readonly amount: number;
  readonly percent: number | null;
}
export type RateLimitParent = RateLimitState & { readonly resetAt: Date };
export interface BenchmarksParent {
  /** What was asked for. */
  readonly filter: BenchmarkFilter;
  readonly items: (args: { readonly first?: number | null }) => Promise<readonly CitedBenchmark[]>;
}

export type FacilityEmissionsConnectionParent = Connection<FacilityEmissionsParent>;
export type RecordConnectionParent = Connection<RecordParent>;
export type DeadlineConnectionParent = Connection<DeadlineParent>;
export type BatchConnectionParent = Connection<BatchParent>;
export type RetirementConnectionParent = Connection<RetirementParent>;
export type InstrumentConnectionParent = Connection<InstrumentParent>;
