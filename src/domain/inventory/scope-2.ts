import { addDecimals, isLarger, multiplyDecimals, subtractDecimals } from "../decimals.js";
import { divideFractions, multiplyFractions, readFraction, roundFraction } from "../fractions.js";
import type { EnergyInstrumentKind, InventoryEnergyAmount } from "./inventory.js";

/** Purchased electricity of a facility in a year, after shares. Amounts are plain decimals. */
export interface FacilityElectricity {
  /** Null for records of the organization itself. */
  readonly facilityId: string | null;
  readonly code: string | null;
  readonly market: string | null;
  readonly tonnes: string;
  readonly kwh: string;
  readonly recordCount: number;
  /** Number of records with kWh. */
  readonly kwhRecordCount: number;
}

/** A claim on an instrument for a facility and year. */
export interface ElectricityClaim {
  readonly kind: EnergyInstrumentKind;
  /** Null for a supplier's rate, which applies to the rest. */
  readonly mwh: string | null;
  /** Emission rate in kg CO2e per kWh. */
  readonly rate: string;
  /** True if the energy is renewable. */
  readonly renewable?: boolean | null;
}

/** Market-based electricity of a facility. */
export interface MarketElectricity {
  /** Tonnes of CO2 equivalent; null if kWh are missing. The other parts are then empty. */
  readonly tonnes: string | null;
  readonly instruments: readonly (InventoryEnergyAmount & { readonly kind: EnergyInstrumentKind })[];
  /** kWh that renewable instruments cover. */
  readonly renewableKwh: string;
  /** kWh claimed beyond consumption. */
  readonly unusedKwh: string;
  readonly residualMix: InventoryEnergyAmount | null;
  readonly byLocation: InventoryEnergyAmount | null;
}

const ORDER: readonly EnergyInstrumentKind[] = ["certificate", "contract", "supplier_rate"];

/**
 * Computes the market-based electricity of a facility. Applies claims on certificates, then on contracts, each in the
 * given order, and a supplier's rate to the rest. Without such a rate, applies the residual mix (kg CO2e per kWh), or
 * else the average location-based rate of the records. The order is that of table 6.3 of the GHG Protocol Scope 2
 * Guidance.
 */
export function computeMarket(
  { tonnes, kwh, recordCount, kwhRecordCount }: FacilityElectricity,
  claims: readonly ElectricityClaim[],
  residualRate: string | null,
): MarketElectricity {
  const empty = { instruments: [], renewableKwh: "0", unusedKwh: "0", residualMix: null, byLocation: null };
  if (claims.length === 0 && residualRate === null) {
    const byLocation = recordCount === 0 ? null : { kwhExact: kwh, co2eTonnesExact: tonnes };
    return { ...empty, tonnes, byLocation };
  }
  if (kwhRecordCount < recordCount) return { ...empty, tonnes: null };

  let left = kwh;
  let [renewableKwh, unusedKwh] = ["0", "0"];
  const instruments: MarketElectricity["instruments"][number][] = [];
  for (const { kind, mwh, rate, renewable } of ORDER.flatMap((kind) =>
    claims.filter((claim) => claim.kind === kind),
  )) {
    const claimed = mwh === null ? left : multiplyDecimals([mwh, "1000"]);
    const used = isLarger(claimed, left) ? left : claimed;
    unusedKwh = addDecimals([unusedKwh, subtractDecimals(claimed, used)]);
    left = subtractDecimals(left, used);
    if (renewable) renewableKwh = addDecimals([renewableKwh, used]);
    if (used !== "0") instruments.push({ kind, ...amountOf(used, rate) });
  }
  const isLeft = left !== "0";
  const residualMix = isLeft && residualRate !== null ? amountOf(left, residualRate) : null;
  // Records of 0 kWh have no average rate, so they keep their tonnes.
  const isByLocation = residualRate === null && (isLeft || (kwh === "0" && recordCount > 0));
  const byLocation = isByLocation ? { kwhExact: left, co2eTonnesExact: partOf(tonnes, left, kwh) } : null;
  const parts = [...instruments, ...(residualMix ? [residualMix] : []), ...(byLocation ? [byLocation] : [])];
  return {
    tonnes: addDecimals(parts.map(({ co2eTonnesExact }) => co2eTonnesExact)),
    instruments,
    renewableKwh,
    unusedKwh,
    residualMix,
    byLocation,
  };
}

const amountOf = (kwh: string, rate: string): InventoryEnergyAmount => ({
  kwhExact: kwh,
  co2eTonnesExact: multiplyDecimals([kwh, rate, "0.001"]),
});

/** Returns tonnes × part / whole, rounded half away from zero to 6 decimals; all tonnes if the whole is zero. */
function partOf(tonnes: string, part: string, whole: string): string {
  if (part === whole) return tonnes;
  const product = multiplyFractions([readFraction(tonnes), readFraction(part)]);
  return roundFraction(divideFractions(product, readFraction(whole)), 6);
}
