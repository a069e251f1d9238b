import type { IncomingMessage } from "node:http";

/** Where people open the gateway. */
export interface Site {
  /** What links begin with: PUBLIC_URL, or the address of this machine. Without a slash at the end. */
  url(): string;
  /** A link to the console with a token, in the fragment: browsers send it to no server. */
  link(purpose: "invitation" | "sign-in" | "confirm" | "verify", token: string): string;
  /** The origins whose pages are the gateway's own, whatever a request's Host header says. */
  origins(): readonly string[];
  /** Whether a browser keeps a `Secure` cookie that the answer to this request sets. */
  keepsCookies(request: Pick<IncomingMessage, "headers">): boolean;
}

const LOCAL = new Set(["127.0.0.1", "localhost"]);

/** `port` is known once the gateway listens. */
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
