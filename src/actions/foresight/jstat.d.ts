/** What is used of the library, which comes without types. */
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
