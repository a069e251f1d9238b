import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** The relying party of passkeys (WebAuthn, section 4): its host, and the origin of its pages. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/** Addresses under which users open the gateway. */
export interface Site {
  /** Returns the base URL of links: PUBLIC_URL, or the gateway's port at 127.0.0.1. Has no trailing slash. */
  url(): string;
  /** Returns a link to the console with a token in the fragment, which browsers do not send to servers. */
  link(
    purpose: "invitation" | "sign-in" | "confirm" | "verify" | "reset" | "change" | "cancel" | "disown",
    token: string,
  ): string;
  /** Returns the gateway's own origins, regardless of a request's Host header. */
  origins(): readonly string[];
  /** Returns true if a browser keeps a `Secure` cookie set by the response to this request. */
  keepsCookies(request: Pick<IncomingMessage, "headers">): boolean;
  /**
   * Returns the relying party for the page of a request: the host of PUBLIC_URL, or `localhost`. Null on an IP address,
   * for which browsers create no passkeys. Without PUBLIC_URL, null on any host but `localhost`.
   */
  party(request: Pick<IncomingMessage, "headers">): RelyingParty | null;
}

const LOCAL = new Set(["127.0.0.1", "localhost"]);

/** Creates the site. `port` is known once the gateway is listening. */
export function createSite(publicUrl: string | undefined, port: () => number): Site {
  const local = () => [`http://127.0.0.1:${port()}`, `http://localhost:${port()}`] as const;
  const url = () => publicUrl ?? local()[0];
  /** Returns PUBLIC_URL or, without it, the URL of the request's host; null if the Host header is invalid. */
  const pageOf = ({ headers: { host = "" } }: Pick<IncomingMessage, "headers">) => {
    const text = publicUrl ?? `http://${host}`;
    // A port may be too large.
    return URL.canParse(text) ? new URL(text) : null;
  };
  return {
    url,
    link: (purpose, token) => `${url()}/console/#${purpose}=${token}`,
    origins: () => (publicUrl === undefined ? local() : [publicUrl]),
    keepsCookies(request) {
      const page = pageOf(request);
      return page !== null && (page.protocol === "https:" || LOCAL.has(page.hostname));
    },
    party(request) {
      const { hostname: id } = pageOf(request) ?? { hostname: "" };
      if (publicUrl === undefined)
        return id === "localhost" ? { id, origin: `http://localhost:${port()}` } : null;
      return isIP(id.replace(/^\[|\]$/g, "")) === 0 ? { id, origin: new URL(publicUrl).origin } : null;
    },
  };
}
