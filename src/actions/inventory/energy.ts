import { isElectricityMarket } from "../../domain/inventory/electricity-market.js";
import type { EnergyInstrumentKind } from "../../domain/inventory/inventory.js";
import { readCountry } from "../../regions/countries.js";
import { InvalidInput, type Subject } from "../action-error.js";
import { readAmount } from "../read-amount.js";

const MWH = { exponent: 15, decimals: 6 };

/** Returns the code of an electricity market, which is a country or a grid. Throws InvalidInput. */
export function readMarket(subject: Subject, field: string, market: string): string {
  const code = readCountry(market) ?? market.trim().toUpperCase();
  if (isElectricityMarket(code)) return code;
  const expected = "must be a country, or 1 to 20 letters, digits and hyphens, such as GB or US-CAMX";
  throw new InvalidInput(subject, field, `${expected} (got ${market.slice(0, 100)})`);
}

/** Reads the energy of an instrument or of a claim; null for a supplier's rate, which has none. Throws InvalidInput. */
export function readMwh(
  subject: Subject,
  kind: EnergyInstrumentKind,
  mwh: string | null | undefined,
): string | null {
  if (kind === "supplier_rate") {
    if (mwh == null) return null;
    const expected =
      "must be omitted for a supplier's rate, which applies to all consumption that nothing else covers";
    throw new InvalidInput(subject, "mwh", `${expected} (got ${mwh})`);
  }
  const energy = mwh == null ? null : readAmount(subject, "mwh", mwh, MWH);
  if (energy !== null && energy !== "0") return energy;
  throw new InvalidInput(
    subject,
    "mwh",
    `must be more than 0 except for a supplier's rate (got ${mwh ?? "nothing"})`,
  );
}
