import type { CitedBenchmark } from "../data/benchmarks.js";
import type { DeadlineRow, FrameworkRow } from "../data/compliance.js";
import type { BatchRow, RetirementRow } from "../data/credits.js";
import type { AmountByScope, FacilityRow, RecordRow } from "../data/emissions.js";
import type { InstrumentKey, Price } from "../data/market.js";
import type { DateRange } from "../domain/window.js";
import type { Connection } from "./page.js";

// What the resolvers of a type are given, where that is not simply the type's fields.

/** A type whose fields all read for themselves. */
export type NoParent = Record<never, never>;

export interface EmissionsParent extends DateRange {
  /** Whether it is the window that moves with the days. */
  readonly isDefault: boolean;
}
export interface FacilityEmissionsParent {
  readonly range: DateRange;
  /** What the records name: the row where it is known already, else its id; null where they name none. */
  readonly facility: FacilityRow | string | null;
  /** Known already where the facilities were found by their amounts. */
  readonly amount?: AmountByScope;
}
export type RecordParent = RecordRow;
export type FrameworkStateParent = FrameworkRow;
export type DeadlineParent = DeadlineRow;
export type BatchParent = BatchRow;
export type RetirementParent = RetirementRow;
export type InstrumentParent = InstrumentKey & { readonly latestPrice: Price };
export interface BenchmarksParent {
  readonly items: () => Promise<CitedBenchmark[]>;
}

export type FacilityEmissionsConnectionParent = Connection<FacilityEmissionsParent>;
export type RecordConnectionParent = Connection<RecordParent>;
export type DeadlineConnectionParent = Connection<DeadlineParent>;
export type BatchConnectionParent = Connection<BatchParent>;
export type RetirementConnectionParent = Connection<RetirementParent>;
export type InstrumentConnectionParent = Connection<InstrumentParent>;
