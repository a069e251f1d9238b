/** Maximum lengths of texts in characters (Unicode code points): in bundles, CSV files and the database. */
export const TEXT_LIMITS = {
  /** Names of organizations, facilities, keys, exchanges, sectors and beneficiaries; units, regions and credit types. */
  name: 200,
  /** References, and the codes of facilities. */
  reference: 200,
  category: 200,
  /** Where a figure comes from. */
  source: 1_000,
  title: 1_000,
  /** What a person says about something: notes, evidence, purposes. */
  note: 1_000,
  /** What a verifier found. */
  finding: 2_000,
  /** A verifier's conclusion, and what a certificate states. */
  statement: 10_000,
  url: 2_000,
  /** What notifications and announcements say. */
  body: 4_000,
  /** RFC 5321, section 4.5.3.1.3. */
  email: 254,
  userAgent: 500,
  /** Identifiers of what was found in a series: they name it. */
  anomalyId: 600,
  /** A question of a chat, or what was answered. */
  chatMessage: 16_000,
} as const;

/** Whether a text has at most `limit` characters. */
export function isWithinLimit(text: string, limit: number): boolean {
  return text.length <= limit || (text.length <= 2 * limit && [...text].length <= limit);
}

/** A text, cut off where it has more than `limit` characters. */
export const cutText = (text: string, limit: number): string =>
  isWithinLimit(text, limit) ? text : `${[...text].slice(0, limit - 1).join("")}…`;
