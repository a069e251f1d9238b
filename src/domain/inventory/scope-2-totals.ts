import { addDecimals, multiplyDecimals, subtractDecimals } from "../decimals.js";
import type { Steps } from "../steps.js";
import type { EnergyInstrumentKind, InventoryEnergyAmount, InventoryScope2 } from "./inventory.js";
import type { FacilityElectricity, MarketElectricity } from "./scope-2.js";

/** A facility with its location-based and market-based electricity. */
export interface ComputedFacility {
  readonly electricity: FacilityElectricity;
  readonly market: MarketElectricity;
}

/** Purchased electricity of all facilities, after shares. */
export interface ElectricityTotals {
  readonly tonnes: string;
  readonly kwh: string;
  readonly facilityCount: number;
}

/** Maximum number of facilities listed in an inventory. */
export const MAX_LISTED_FACILITIES = 5_000;

const KINDS: readonly EnergyInstrumentKind[] = ["certificate", "contract", "supplier_rate"];

function* sum(amounts: readonly (string | null)[]): Steps<string> {
  yield;
  return addDecimals(amounts.map((amount) => amount ?? "0"));
}

/**
 * Sums electricity by the market-based method. `facilities` are ordered by code; those not listed have neither claims
 * nor a residual mix, so they count by location.
 */
export function* sumMarket(
  facilities: readonly ComputedFacility[],
  totals: ElectricityTotals,
): Steps<
  InventoryScope2 & { readonly marketBasedTonnesExact: string | null; readonly renewableKwhExact: string }
> {
  const markets = facilities.map(({ market }) => market);
  const isUnknown = markets.some(({ tonnes }) => tonnes === null);
  const used = markets.flatMap(({ instruments }) => instruments);
  const consumers = facilities.filter(({ electricity }) => electricity.recordCount > 0);
  const others = {
    kwhExact: subtractDecimals(totals.kwh, yield* sum(consumers.map(({ electricity }) => electricity.kwh))),
    co2eTonnesExact: subtractDecimals(
      totals.tonnes,
      yield* sum(consumers.map(({ electricity }) => electricity.tonnes)),
    ),
  };
  const instruments = [];
  for (const kind of KINDS) {
    const amount = yield* addEnergy(used.filter((instrument) => instrument.kind === kind));
    if (amount === null) continue;
    const { kwhExact, co2eTonnesExact } = amount;
    instruments.push({ kind, mwhExact: multiplyDecimals([kwhExact, "0.001"]), co2eTonnesExact });
  }
  const unusedKwh = yield* sum(markets.map((market) => market.unusedKwh));
  return {
    consumptionKwhExact: totals.kwh,
    coveredKwhExact: yield* sum(used.map(({ kwhExact }) => kwhExact)),
    unusedMwhExact: multiplyDecimals([unusedKwh, "0.001"]),
    instruments,
    residualMix: yield* addEnergy(markets.map(({ residualMix }) => residualMix)),
    byLocation: yield* addEnergy([
      ...markets.map(({ byLocation }) => byLocation),
      totals.facilityCount > consumers.length ? others : null,
    ]),
    facilities: consumers.slice(0, MAX_LISTED_FACILITIES).map(({ electricity, market }) => ({
      facility: electricity.code,
      market: electricity.market,
      consumptionKwhExact: electricity.kwh,
      co2eTonnesExact: electricity.tonnes,
      marketBasedCo2eTonnesExact: market.tonnes,
    })),
    renewableKwhExact: yield* sum(markets.map(({ renewableKwh }) => renewableKwh)),
    marketBasedTonnesExact: isUnknown
      ? null
      : addDecimals([others.co2eTonnesExact, yield* sum(markets.map(({ tonnes }) => tonnes))]),
  };
}

/** Adds amounts of energy; null if all are null. */
function* addEnergy(amounts: readonly (InventoryEnergyAmount | null)[]): Steps<InventoryEnergyAmount | null> {
  const known = amounts.filter((amount) => amount !== null);
  if (known.length === 0) return null;
  return {
    kwhExact: yield* sum(known.map(({ kwhExact }) => kwhExact)),
    co2eTonnesExact: yield* sum(known.map(({ co2eTonnesExact }) => co2eTonnesExact)),
  };
}
