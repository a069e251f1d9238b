/** Maximum lengths of strings in characters (Unicode code points): in bundles, CSV files and the database. */
export const TEXT_LIMITS = {
  /** Names of organizations, facilities, keys, exchanges, sectors and beneficiaries; units, regions, credit types. */
  name: 200,
  /** References, and the codes of facilities. */
  reference: 200,
  category: 200,
  /** Source of a figure. */
  source: 1_000,
  title: 1_000,
  /** Free text that people write: notes, evidence, purposes. */
  note: 1_000,
  /** A verifier's finding. */
  finding: 2_000,
  /** A verifier's conclusion, and the statement of a certificate. */
  statement: 10_000,
  url: 2_000,
  /** Text of notifications and announcements. */
  body: 4_000,
  /** RFC 5321, section 4.5.3.1.3. */
  email: 254,
  userAgent: 500,
  /** Identifiers of anomalies, which include the name of the series. */
  anomalyId: 600,
  /** A question in a chat, or its answer. */
  chatMessage: 16_000,
} as const;

/** Returns true if `text` has at most `limit` characters. */
export function isWithinLimit(text: string, limit: number): boolean {
  return text.length <= limit || (text.length <= 2 * limit && [...text].length <= limit);
}

/** Cuts a longer string to `limit` characters, the last of them an ellipsis. */
export const cutText = (text: string, limit: number): string =>
  isWithinLimit(text, limit) ? text : `${[...text].slice(0, limit - 1).join("")}…`;
