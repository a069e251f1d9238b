import type { DateRange, IsoDate } from "../window.js";
import type { EnergyInstrumentKind } from "./inventory.js";

/** Maximum numbers of claims. All claims of a year are read in one statement. */
export const MOST_CLAIMS = { ofYear: 10_000, ofInstrument: 1_000 };

/** A claim, with what it is compared with. */
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
 * Returns the quality criteria that a claim fails, each with the part of the input that shows it. Based on the GHG
 * Protocol Scope 2 Guidance, table 7.1: a certificate is cancelled for its user, and energy is generated about when and
 * in the market where it is consumed.
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
          message: `NOT_CANCELLED: the registry must have cancelled the certificate ${reference}; send the day and the number of the cancellation (got no ${missing === "cancelledOn" ? "day" : "number"}).`,
        }
      : null,
    facility.market !== market
      ? {
          path: "facility",
          message: `MARKET_MISMATCH: the instrument ${reference} is of the electricity market ${market}, and the facility ${facility.code} ${facility.market === null ? "has neither a market nor a country" : `is in ${facility.market}`}.`,
        }
      : null,
    !isOfYear && reason === null
      ? {
          path: "year",
          message: `VINTAGE_MISMATCH: the year ${year} is ${period.from} to ${period.to}, and the energy of ${reference} was generated from ${generatedFrom} to ${generatedTo}. Send a reason to claim it all the same.`,
        }
      : null,
  ];
  return faults.filter((fault) => fault !== null);
}
