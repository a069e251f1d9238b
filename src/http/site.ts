import type { IncomingMessage } from "node:http";

/** Addresses under which users open the gateway. */
export interface Site {
  /** Returns the base of links: PUBLIC_URL, or the address of this machine. Without a trailing slash. */
  url(): string;
  /** Returns a link to the console with a token in the fragment, which browsers send to no server. */
  link(
    purpose: "invitation" | "sign-in" | "confirm" | "verify" | "reset" | "change" | "cancel",
    token: string,
  ): string;
  /** Returns the gateway's own origins, regardless of a request's Host header. */
  origins(): readonly string[];
  /** Returns true if a browser keeps a `Secure` cookie that the answer to this request sets. */
  keepsCookies(request: Pick<IncomingMessage, "headers">): boolean;
}

const LOCAL = new Set(["127.0.0.1", "localhost"]);

/** Creates the site. `port` is known once the gateway listens. */
export function createSite(publicUrl: string | undefined, port: () => number): Site {
  const local = () => [`http://127.0.0.1:${port()}`, `http://localhost:${port()}`] as const;
  const url = () => publicUrl ?? local()[0];
  return {
    url,
    link: (purpose, token) => `${url()}/console/#${purpose}=${token}`,
    origins: () => (publicUrl === undefined ? local() : [publicUrl]),
    keepsCookies({ headers: { host = "" } }) {
      const text = publicUrl ?? `http://${host}`;
      // A port may be too large.
      if (!URL.canParse(text)) return false;
      const { protocol, hostname } = new URL(text);
      return protocol === "https:" || LOCAL.has(hostname);
    },
  };
}
