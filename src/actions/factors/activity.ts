import type { EmissionScope } from "../../domain/enums.js";
import type { GwpSet } from "../../domain/ghg/gwp.js";

/** An activity with exactly one of `factorId`, `selector` and `gas`. */
export interface Activity {
  /** Unchecked decimal. */
  readonly amount: string;
  readonly unit: string;
  readonly factorId?: string | null | undefined;
  readonly selector?: FactorSelector | null | undefined;
  readonly gas?: string | null | undefined;
  /** AR6 if omitted. */
  readonly gwp?: GwpSet | undefined;
  readonly fossil?: boolean | null | undefined;
}

/** Description of a factor by activity and region, or by the publisher's identifier. */
export interface FactorSelector {
  readonly activity?: string | null | undefined;
  readonly region?: string | null | undefined;
  readonly sourceFactorId?: string | null | undefined;
  readonly year?: number | null | undefined;
  readonly scope?: EmissionScope | null | undefined;
  readonly category?: string | null | undefined;
  readonly detail?: string | null | undefined;
  readonly gas?: string | null | undefined;
  readonly allowGlobal?: boolean | undefined;
}
