import { hasDecimals, multiplyFractions, readFraction, roundFraction } from "../fractions.js";
import { conversionOf, type Unit } from "./units.js";

/** Emissions of an activity, as plain decimals. */
export interface Co2e {
  /** Exact, or rounded to 20 decimals if the exact figure does not terminate. */
  readonly kg: string;
  /** Rounded half away from zero to 6 decimals. */
  readonly tonnes: string;
  /** The computation of `kg` in one line, which a reader can repeat. */
  readonly formula: string;
}

/** Kilograms of a gas per unit of an activity. */
export interface Rate {
  /** A plain decimal. */
  readonly factor: string;
  /** `CO2e`, or the only gas that the factor counts. */
  readonly gas: string;
  readonly unit: Unit;
}

/** Maximum decimals of an exact figure: 12 from the amount, 18 from the factor, and the rest from the conversion. */
const MAX_DECIMALS = 60;
const KEPT_DECIMALS = 20;

/** Computes kg CO2e = amount × conversion × factor, exactly. `unit` must be convertible to the rate's unit. */
export function computeCo2e(amount: string, unit: Unit, rate: Rate): Co2e {
  const exact = multiplyFractions([
    readFraction(amount),
    conversionOf(unit, rate.unit),
    readFraction(rate.factor),
  ]);
  const isExact = hasDecimals(exact, MAX_DECIMALS);
  const kg = roundFraction(exact, isExact ? MAX_DECIMALS : KEPT_DECIMALS);
  const conversion = unit.size === rate.unit.size ? "" : ` × ${unit.size} / ${rate.unit.size}`;
  return {
    kg,
    tonnes: roundFraction({ ...exact, denominator: 1_000n * exact.denominator }, 6),
    formula: `${amount} ${unit.name}${conversion} × ${rate.factor} kg ${rate.gas} per ${rate.unit.name} ${isExact ? "=" : "≈"} ${kg} kg CO2e`,
  };
}
