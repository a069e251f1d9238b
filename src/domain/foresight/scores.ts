import { sum } from "./trend-line.js";

/** Distances of a value from usual values; null if these do not vary or are too few. */
export interface Scores {
  readonly zScore: number | null;
  readonly robustZ: number | null;
}

const mean = (values: readonly number[]) => sum(values, (value) => value) / values.length;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

/** Deviations up to this share of the median, or of 1 if the median is smaller, are floating-point noise. */
const NOISE = 1e-9;

/**
 * Creates a function that scores a value: the z-score with the sample standard deviation, and the modified z-score with
 * median and MAD (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993). If the MAD is 0, the mean absolute
 * deviation replaces it (IBM SPSS Statistics Algorithms, anomaly detection).
 */
export function createScores(values: readonly number[]): (value: number) => Scores {
  const average = mean(values);
  const sd = Math.sqrt(sum(values, (value) => (value - average) ** 2) / (values.length - 1));
  const center = median(values);
  const deviations = values.map((value) => Math.abs(value - center));
  const noise = NOISE * Math.max(1, Math.abs(center));
  const [mad, meanDeviation] = [median(deviations), mean(deviations)];
  const unit = mad > noise ? mad / 0.6745 : meanDeviation > noise ? 1.253314 * meanDeviation : null;
  return (value) => ({
    zScore: sd > noise ? (value - average) / sd : null,
    robustZ: unit === null ? null : (value - center) / unit,
  });
}
