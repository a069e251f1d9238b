import {
  type Fraction,
  multiplyFractions,
  percentOfFraction,
  ratioOf,
  readFraction,
  roundFraction,
  signOf,
  subtractFractions,
} from "../fractions.js";

/** Maximum number of years from a base year to its target year. */
export const MAX_TARGET_YEARS = 60;

/** A base year and its target, as either a percentage or a value. Amounts are plain decimals. */
export interface TargetLine {
  readonly baseYear: number;
  readonly targetYear: number;
  readonly reductionPercentExact: string | null;
  readonly targetValueExact: string | null;
}

/** Amount of a year, in the unit of the target. */
export interface YearAmount {
  /** Null if unknown. */
  readonly amount: Fraction | null;
  readonly issued: boolean;
}

/** A year on the path. Amounts are plain decimals, rounded to 6 decimals; percentages to 2. */
export interface TargetYear {
  readonly year: number;
  readonly plannedExact: string | null;
  readonly actualExact: string | null;
  readonly issued: boolean;
  readonly distanceExact: string | null;
  readonly distancePercent: number | null;
  readonly achievedPercent: number | null;
  readonly onPath: boolean | null;
}

export interface TargetPath {
  readonly baseExact: string | null;
  readonly targetExact: string | null;
  readonly path: readonly TargetYear[];
}

const DECIMALS = 6;
const write = (amount: Fraction | null) => amount && roundFraction(amount, DECIMALS);
const HUNDREDTH: Fraction = { numerator: 1n, denominator: 100n };

/**
 * Computes the path of a target, a straight line from the base year's issued amount, and compares each year with it.
 * Rounds only the results.
 */
export function drawTargetPath(
  { baseYear, targetYear, reductionPercentExact, targetValueExact }: TargetLine,
  amountOf: (year: number) => YearAmount,
): TargetPath {
  const first = amountOf(baseYear);
  const base = first.issued ? first.amount : null;
  const target = base && readTarget(base, reductionPercentExact, targetValueExact);
  const years = targetYear - baseYear;
  const path = Array.from({ length: years + 1 }, (_, index) => {
    const year = baseYear + index;
    const { amount: actual, issued } = index === 0 ? first : amountOf(year);
    const part = { numerator: BigInt(index), denominator: BigInt(years) };
    const planned =
      base && target && subtractFractions(base, multiplyFractions([subtractFractions(base, target), part]));
    const distance = actual && planned && subtractFractions(actual, planned);
    return {
      year,
      plannedExact: write(planned),
      actualExact: write(actual),
      issued: actual !== null && issued,
      distanceExact: write(distance),
      distancePercent: distance && planned && percentOfFraction(distance, planned),
      achievedPercent:
        base &&
        target &&
        actual &&
        percentOfFraction(subtractFractions(base, actual), subtractFractions(base, target)),
      onPath: distance && signOf(distance) <= 0,
    };
  });
  return { baseExact: write(base), targetExact: write(target), path };
}

function readTarget(base: Fraction, reduction: string | null, value: string | null): Fraction {
  if (value !== null) return readFraction(value);
  const reduced = multiplyFractions([base, readFraction(reduction ?? "0"), HUNDREDTH]);
  return subtractFractions(base, reduced);
}

/**
 * Returns tonnes per unit of a business metric, or tonnes if `metric` is undefined. Null if either is unknown or the
 * metric is zero.
 */
export function perUnit(tonnes: string | null, metric: string | null | undefined): Fraction | null {
  if (tonnes === null || metric === null) return null;
  const amount = readFraction(tonnes);
  return metric === undefined ? amount : ratioOf(amount, readFraction(metric));
}
