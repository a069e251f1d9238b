import type { SqlSession } from "../../data/database/types.js";
import { findSlugs, listSlugsLike } from "../../data/organizations/slugs.js";
import {
  type Audience,
  type AudienceKind,
  MAX_AUDIENCE_VALUES,
} from "../../domain/announcements/announcement.js";
import { ROLES } from "../../domain/people/roles.js";
import { findClosest } from "../../domain/texts/closest.js";
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

const suggest = (name: string | undefined) => (name === undefined ? "" : `, such as ${name}`);

/** Throws InvalidInput, with the nearest slug, if an organization of the audience does not exist, unless it was in `former`. */
export async function requireOrganizations(
  sql: SqlSession,
  { kind, values }: Audience,
  former: Audience,
): Promise<void> {
  if (kind !== "organizations") return;
  const given = values.filter((slug) => former.kind !== kind || !former.values.includes(slug));
  const known = await findSlugs(sql, given);
  const unknown = given.find((slug) => !known.has(slug));
  if (unknown === undefined) return;
  const nearest = findClosest(unknown, await listSlugsLike(sql, unknown));
  throw new InvalidInput(
    "announcement",
    "audienceValues",
    `must be slugs of existing organizations${suggest(nearest)} (got ${unknown})`,
  );
}

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
