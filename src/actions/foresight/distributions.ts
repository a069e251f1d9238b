import jstat from "jstat";
import type { StudentT } from "../../domain/foresight/trend-line.js";

/** Student's t distribution. */
export const studentT: StudentT = {
  quantile: (p, degreesOfFreedom) => jstat.studentt.inv(p, degreesOfFreedom),
  twoSided: (t, degreesOfFreedom) => 2 * (1 - jstat.studentt.cdf(Math.abs(t), degreesOfFreedom)),
};

/** Returns the quantile of the standard normal distribution for a probability `p`. */
export const normalQuantile = (p: number): number => jstat.normal.inv(p, 0, 1);
