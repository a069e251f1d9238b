import type { FacilityContent, RecordContent } from "./emissions/records.js";
import type { Framework, FrameworkStatus, PriceType } from "./enums.js";
import type { IsoDate } from "./window.js";

/** A validated bundle. Amounts are plain decimals, quantities are safe integers, times are ISO 8601 in UTC. */
export interface Bundle {
  /** Absent for reference data, which all organizations share. */
  readonly organization?: { readonly slug: string; readonly name: string } | undefined;
  readonly facilities: readonly FacilityContent[];
  /** Their facilities are in the bundle or already in the database. */
  readonly emission_records: readonly RecordContent[];
  readonly frameworks: readonly {
    readonly framework: Framework;
    readonly status: FrameworkStatus;
    readonly last_updated: string;
  }[];
  readonly deadlines: readonly {
    readonly framework: Framework;
    readonly title: string;
    readonly due_date: IsoDate;
    readonly status: string;
  }[];
  readonly credit_batches: readonly BundleBatch[];
  readonly market_prices: readonly BundlePrice[];
  readonly benchmarks: readonly {
    readonly sector: string;
    readonly intensity?: string | undefined;
    readonly unit?: string | undefined;
    readonly region?: string | undefined;
    readonly period?: string | undefined;
    readonly source?: string | undefined;
    readonly source_url?: string | undefined;
    readonly source_year?: number | undefined;
  }[];
}

export interface BundleBatch {
  readonly reference: string;
  readonly credit_type: string;
  readonly quantity: number;
  readonly vintage?: number | undefined;
  /** Total sold according to bundles. 0 removes an earlier figure; undefined keeps it. */
  readonly sold?: number | undefined;
  readonly retirements: readonly {
    readonly reference: string;
    readonly quantity: number;
    readonly retired_on: IsoDate;
    readonly beneficiary?: string | undefined;
  }[];
}

export interface BundlePrice {
  readonly credit_type: string;
  readonly exchange: string;
  readonly price: string;
  readonly currency: string;
  readonly change_pct_24h?: string | undefined;
  readonly price_type?: PriceType | undefined;
  readonly source: string;
  readonly source_url?: string | undefined;
  readonly as_of?: IsoDate | undefined;
  /** Defaults to the region of the credit type. */
  readonly region?: string | undefined;
  readonly contract?: string | undefined;
  /** Defaults to `tCO2e`. */
  readonly unit?: string | undefined;
  /** Last day of a statutory rate. */
  readonly statutory_until?: IsoDate | undefined;
  readonly updated_at?: string | undefined;
}
