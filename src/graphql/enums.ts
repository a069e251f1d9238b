import { EMISSION_SCOPES, FRAMEWORK_STATUSES, PRICE_TYPES } from "../domain/enums.js";
import { TIERS } from "../domain/tiers.js";

/** GraphQL writes enum values in upper case; inside and in the REST contract they are lower case. */
const upperCase = <Value extends string>(values: readonly Value[]) =>
  Object.fromEntries(values.map((value) => [value.toUpperCase(), value])) as {
    [Name in Value as Uppercase<Name>]: Name;
  };

export const enums = {
  EmissionScope: upperCase(EMISSION_SCOPES),
  FrameworkStatus: upperCase(FRAMEWORK_STATUSES),
  PriceType: upperCase(PRICE_TYPES),
  Tier: upperCase(TIERS),
};
