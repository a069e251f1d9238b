/** The used part of the library, which has no types of its own. */
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
