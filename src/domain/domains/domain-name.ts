/** Two or more labels of a host name as A-labels, of which the last is no number. The database requires the same form. */
const FORM = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?![0-9]+$)[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;

/** Leaves room for the label of the TXT record within the 253 characters of a name. */
const MOST_CHARACTERS = 230;

/** Returns a domain as A-labels in lower case; undefined if the text is no domain. */
export function readDomain(text: string): string | undefined {
  const url = `http://${text.trim()}`;
  // Of what else a URL may have, none is part of a domain.
  if (text.length > 2 * MOST_CHARACTERS || /[\s/?#@:%\\]/.test(text.trim()) || !URL.canParse(url))
    return undefined;
  const { hostname } = new URL(url);
  return hostname.length <= MOST_CHARACTERS && FORM.test(hostname) ? hostname : undefined;
}

/** Returns the domain of an e-mail address as A-labels; undefined if it cannot be proven, as that of `ada@localhost`. */
export const domainOf = (email: string): string | undefined =>
  readDomain(email.slice(email.lastIndexOf("@") + 1));

/** The TXT record that proves a domain. */
export interface DomainRecord {
  readonly name: string;
  readonly type: "TXT";
  readonly value: string;
}

/** Returns the record that proves a domain with this token. */
export const recordOf = (domain: string, token: string): DomainRecord => ({
  name: `_carbon-gateway.${domain}`,
  type: "TXT",
  value: `carbon-gateway-verification=${token}`,
});

export type DomainStatus = "pending" | "proven" | "failing";

/** Returns the result of the checks of a domain so far. */
export const statusOf = ({
  provenAt,
  failingSince,
}: {
  readonly provenAt: Date | null;
  readonly failingSince: Date | null;
}): DomainStatus => (provenAt === null ? "pending" : failingSince === null ? "proven" : "failing");

/** Maximum number of an organization's domains. */
export const MOST_DOMAINS = 20;

/** Time without the record after which a proof ends. */
export const LAPSE_MS = 7 * 86_400_000;
