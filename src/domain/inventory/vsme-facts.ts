import { addDecimals } from "../decimals.js";
import type { EmissionScope } from "../enums.js";
import type { IsoDate } from "../window.js";
import type { Scope2Method } from "./scope-sums.js";

/** A fact of a VSME report, with the names of EFRAG's taxonomy of 2026-05-01. */
export interface VsmeFact {
  /** Such as `vsme:TotalEnergyConsumption`. */
  readonly concept: string;
  /** A plain decimal, a year or a text. */
  readonly value: string;
  /** Such as `utr:tCO2e`; null for years and texts. */
  readonly unit: string | null;
  readonly period: VsmePeriod;
  /** Members by axis, without the defaults of the taxonomy. */
  readonly dimensions: Readonly<Record<string, string>>;
  /** Paragraphs of the standard that the taxonomy refers to. */
  readonly paragraph: string;
}

/** First and last day; `from` is null for a fact about the end of the last day. */
export interface VsmePeriod {
  readonly from: IsoDate | null;
  readonly to: IsoDate;
}

/** A datapoint missing from a report. */
export interface VsmeAbsence extends Pick<VsmeFact, "concept" | "dimensions" | "paragraph"> {
  readonly reason: string;
}

/** A value, or the reason why it is unknown. */
export type ValueOrReason = { readonly value: string } | { readonly reason: string };

/** A fact if its value is known, else an absence. */
export type Datapoint = Omit<VsmeFact, "value"> & ValueOrReason;

/** Returns the sum of amounts, or the reason of the first unknown one. */
export const addKnown = (amounts: readonly ValueOrReason[]): ValueOrReason =>
  amounts.find((amount) => "reason" in amount) ?? {
    value: addDecimals(amounts.flatMap((amount) => ("value" in amount ? [amount.value] : []))),
  };

/** Scopes of an amount, in order, and the method of scope 2; null without scope 2. */
export interface EmissionKind {
  readonly scopes: readonly EmissionScope[];
  readonly method: Scope2Method | null;
}

const concept = (
  name: string,
  paragraph: string,
  scopes: readonly EmissionScope[],
  method: Scope2Method | null = null,
) => ({ concept: `vsme:${name}`, paragraph, scopes, method });

const ALL = ["scope_1", "scope_2", "scope_3"] as const;

/** Concepts of emissions in the order of the taxonomy (role 110). */
export const EMISSIONS = [
  concept("GrossScope1GreenhouseGasEmissions", "30", ["scope_1"]),
  concept("GrossLocationBasedScope2GreenhouseGasEmissions", "30", ["scope_2"], "location_based"),
  concept("GrossMarketBasedScope2GreenhouseGasEmissions", "30", ["scope_2"], "market_based"),
  concept(
    "TotalGrossLocationBasedScope1AndScope2GHGEmissions",
    "30",
    ["scope_1", "scope_2"],
    "location_based",
  ),
  concept("TotalGrossMarketBasedScope1AndScope2GHGEmissions", "30", ["scope_1", "scope_2"], "market_based"),
  concept("GrossScope3GreenhouseGasEmissions", "50-53", ["scope_3"]),
  concept("TotalGrossLocationBasedGHGEmissions", "50-53", ALL, "location_based"),
  concept("TotalGrossMarketBasedGHGEmissions", "50-53", ALL, "market_based"),
] as const;

/** Returns the name of a kind, such as `scope 1 and scope 2 (market-based)`. */
export const nameOf = ({ scopes, method }: EmissionKind): string =>
  `${scopes.map((scope) => scope.replace("_", " ")).join(" and ")}${
    method === null ? "" : ` (${method.replace("_", "-")})`
  }`;

/** Returns the amount of a kind from `lookUp`, or else the sum of its scopes. `lookUp` must find each single scope. */
export function findAmount(
  { scopes, method }: EmissionKind,
  lookUp: (kind: EmissionKind) => ValueOrReason | undefined,
): ValueOrReason {
  const kindOf = (some: readonly EmissionScope[]) => ({
    scopes: some,
    method: some.includes("scope_2") ? method : null,
  });
  return (
    lookUp(kindOf(scopes)) ??
    addKnown([scopes.slice(0, -1), scopes.slice(-1)].map((some) => findAmount(kindOf(some), lookUp)))
  );
}
