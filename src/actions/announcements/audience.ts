import {
  type Audience,
  type AudienceKind,
  MAX_AUDIENCE_VALUES,
} from "../../domain/announcements/announcement.js";
import { ROLES } from "../../domain/people/roles.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { TIERS } from "../../domain/tiers.js";
import { EXPECTED_COUNTRY, readCountry } from "../../regions/countries.js";
import { InvalidInput } from "../action-error.js";
import { readText } from "../read-text.js";

/** Audience in an input. Omitted parts are unchanged. */
export interface GivenAudience {
  readonly audience?: AudienceKind | null | undefined;
  readonly audienceValues?: readonly string[] | null | undefined;
}

/** Allowed values of each kind of audience; null for a kind without a fixed set. */
const ALLOWED: Readonly<Record<AudienceKind, readonly string[] | null>> = {
  all: [],
  plans: TIERS,
  roles: ROLES,
  regions: null,
  organizations: null,
};

/**
 * Reads the audience of an announcement. Throws InvalidInput for values that the kind does not allow, and for missing
 * or too many ones.
 */
export function readAudience({ audience, audienceValues }: GivenAudience, current: Audience): Audience {
  const kind = audience ?? current.kind;
  const given = audienceValues ?? (kind === current.kind ? current.values : []);
  const refuse = (fault: string) => new InvalidInput("announcement", "audienceValues", fault);
  if (kind === "all" ? given.length > 0 : given.length === 0 || given.length > MAX_AUDIENCE_VALUES) {
    const expected =
      kind === "all"
        ? 'must be empty for the audience "all"'
        : `must have 1 to ${MAX_AUDIENCE_VALUES} values`;
    throw refuse(`${expected} (got ${given.length})`);
  }
  const allowed = ALLOWED[kind];
  const values = given.map((text) => {
    const value = readText("announcement", "audienceValues", text, TEXT_LIMITS.name);
    if (allowed && !allowed.includes(value))
      throw refuse(`must be one of ${allowed.join(", ")} (got ${value})`);
    if (kind !== "regions") return value;
    const country = readCountry(value);
    if (country === undefined) throw refuse(`must be countries: ${EXPECTED_COUNTRY} (got ${value})`);
    return country;
  });
  return { kind, values: [...new Set(values)].sort() };
}
