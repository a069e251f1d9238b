/**
 * Two or more A-labels, the last of which is not a number. A constraint in the database is less strict about the last
 * label.
 */
const FORM = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?![0-9]+$)[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;

/** Leaves room for the label of the TXT record in a name of 253 characters. */
const MAX_CHARACTERS = 230;

/** Reads a domain as A-labels in lower case; undefined if it is invalid. */
export function readDomain(text: string): string | undefined {
  const url = `http://${text.trim()}`;
  // Refuses the other parts of a URL.
  if (text.length > 2 * MAX_CHARACTERS || /[\s/?#@:%\\]/.test(text.trim()) || !URL.canParse(url))
    return undefined;
  const { hostname } = new URL(url);
  return hostname.length <= MAX_CHARACTERS && FORM.test(hostname) ? hostname : undefined;
}

/** Returns the domain of an e-mail address as A-labels; undefined if it cannot be verified, as in `ada@localhost`. */
export const domainOf = (email: string): string | undefined =>
  readDomain(email.slice(email.lastIndexOf("@") + 1));

/** The TXT record that proves control of a domain. */
export interface DomainRecord {
  readonly name: string;
  readonly type: "TXT";
  readonly value: string;
}

export const recordOf = (domain: string, token: string): DomainRecord => ({
  name: `_carbon-gateway.${domain}`,
  type: "TXT",
  value: `carbon-gateway-verification=${token}`,
});

export type DomainStatus = "pending" | "proven" | "failing";

/** Returns the status that follows from the checks so far. */
export const statusOf = ({
  provenAt,
  failingSince,
}: {
  readonly provenAt: Date | null;
  readonly failingSince: Date | null;
}): DomainStatus => (provenAt === null ? "pending" : failingSince === null ? "proven" : "failing");

/** Maximum number of domains per organization. */
export const MAX_DOMAINS = 20;

/** Time without the TXT record after which a proof lapses. */
export const LAPSE_MS = 7 * 86_400_000;
