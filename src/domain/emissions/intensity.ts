import { divideFractions, readFraction, roundFraction } from "../fractions.js";

const DECIMALS = 6;
/** The exact form also needs a limit, because its decimals may not terminate. */
const EXACT_DECIMALS = 20;

/** Tonnes of CO2 equivalent per unit of a business metric. */
export interface Intensity {
  /** Rounded half away from zero to 6 decimals. */
  readonly tonnesPerUnit: number;
  /** A plain decimal, rounded to 20 decimals if it has more. */
  readonly tonnesPerUnitExact: string;
}

/** Divides plain decimals, both zero or more; null if the metric is zero. */
export function intensityOf(tonnes: string, metric: string): Intensity | null {
  const divisor = readFraction(metric);
  if (divisor.numerator === 0n) return null;
  const intensity = divideFractions(readFraction(tonnes), divisor);
  return {
    tonnesPerUnit: Number(roundFraction(intensity, DECIMALS)),
    tonnesPerUnitExact: roundFraction(intensity, EXACT_DECIMALS),
  };
}
