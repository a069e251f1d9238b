/** Description of what a region is expected to be. */
export const EXPECTED_REGION = "a country's code or name, EU or Global";
