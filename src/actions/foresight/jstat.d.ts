/** Types of the functions used here; the library has none. */
declare module "jstat" {
  const jstat: {
    readonly studentt: {
      cdf(t: number, degreesOfFreedom: number): number;
      inv(p: number, degreesOfFreedom: number): number;
    };
    readonly normal: { inv(p: number, mean: number, sd: number): number };
  };
  export default jstat;
}
