/** Description of a valid region, for messages. */
export const EXPECTED_REGION = "a country's code or name, EU or Global";
