import type { DateRange, IsoDate } from "../window.js";
import type { EnergyInstrumentKind } from "./inventory.js";

/** Maximum numbers of claims. All claims of a year are read in one statement. */
export const MAX_CLAIMS = { ofYear: 10_000, ofInstrument: 1_000 };

/** A claim with the facts to check it against. */
export interface ComparedClaim {
  readonly instrument: {
    readonly reference: string;
    readonly kind: EnergyInstrumentKind;
    readonly market: string;
    readonly generatedFrom: IsoDate;
    readonly generatedTo: IsoDate;
  };
  readonly facility: { readonly code: string; readonly market: string | null };
  readonly year: number;
  /** The 12 months of the year. */
  readonly period: DateRange;
  readonly cancelledOn: IsoDate | null;
  readonly cancellation: string | null;
  readonly reason: string | null;
}

/**
 * Returns the quality criteria that a claim fails, each with the path of the input at fault. Based on the GHG Protocol
 * Scope 2 Guidance, table 7.1: a certificate is cancelled for its user, and energy is generated in the market where it
 * is consumed, around the same time. A reason excuses a different time.
 */
export function findClaimFaults({
  instrument,
  facility,
  year,
  period,
  cancelledOn,
  cancellation,
  reason,
}: ComparedClaim): { readonly path: string; readonly message: string }[] {
  const { reference, market, generatedFrom, generatedTo } = instrument;
  const missing = cancelledOn === null ? "cancelledOn" : cancellation === null ? "cancellation" : null;
  const isOfYear = generatedFrom >= period.from && generatedTo <= period.to;
  const faults = [
    instrument.kind === "certificate" && missing !== null
      ? {
          path: missing,
          message: `NOT_CANCELLED: the registry must have cancelled certificate ${reference}. Send the date and number of the cancellation (got no ${missing === "cancelledOn" ? "date" : "number"}).`,
        }
      : null,
    facility.market !== market
      ? {
          path: "facility",
          message: `MARKET_MISMATCH: instrument ${reference} belongs to the electricity market ${market}, but facility ${facility.code} ${facility.market === null ? "has neither a market nor a country" : `is in ${facility.market}`}.`,
        }
      : null,
    !isOfYear && reason === null
      ? {
          path: "year",
          message: `VINTAGE_MISMATCH: year ${year} runs from ${period.from} to ${period.to}, but ${reference} was generated from ${generatedFrom} to ${generatedTo}. Send a reason to claim it anyway.`,
        }
      : null,
  ];
  return faults.filter((fault) => fault !== null);
}
