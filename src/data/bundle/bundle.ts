import type { EmissionScope, Framework, FrameworkStatus, PriceType } from "../../domain/enums.js";
import type { IsoDate } from "../../domain/window.js";
import type { Counts } from "../database/upsert.js";
import type { RecordContent } from "../emissions/record-identity.js";

/** A validated bundle. Amounts are plain decimals as text, quantities safe integers, times ISO 8601 in UTC. */
export interface Bundle {
  readonly organization: { readonly slug: string; readonly name: string } | undefined;
  readonly facilities: readonly {
    readonly code: string;
    readonly name: string;
    readonly country?: string | undefined;
  }[];
  readonly emission_records: readonly BundleRecord[];
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

/** Its facility is one of the bundle or of the database. */
export interface BundleRecord extends RecordContent {
  readonly scope: EmissionScope;
}

export interface BundleBatch {
  readonly reference: string;
  readonly credit_type: string;
  readonly quantity: number;
  readonly vintage?: number | undefined;
  /** All that is sold by the bundle's account: 0 takes an earlier sale back, absent leaves it. */
  readonly sold?: number | undefined;
  readonly retirements: readonly BundleRetirement[];
}

export interface BundleRetirement {
  readonly reference: string;
  readonly quantity: number;
  readonly retired_on: IsoDate;
  readonly beneficiary?: string | undefined;
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
  readonly updated_at?: string | undefined;
}

/** What became of each section that has rows. An organization counts as a row. */
export type LoadSummary = Partial<
  Record<Exclude<keyof Bundle, "organization"> | "organization" | "retirements", Counts>
>;

/** A bundle that cannot be loaded, and why: each problem is one line that starts with its path. */
export class BundleError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "BundleError";
    this.problems = problems;
  }
}
