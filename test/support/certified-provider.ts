import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";

/** The gateway's registration as the provider's client. */
export interface RegisteredClient {
  readonly client_id: string;
  readonly client_secret: string;
  readonly redirect_uris: readonly string[];
  readonly backchannel_logout_uri: string;
}

/** A browser at the provider, with its cookies. */
export interface ProviderBrowser {
  /** Signs in at an authorization URL; returns the URL that the provider redirects to. */
  signIn(url: string, accountId: string): Promise<URL>;
  /** Opens the logout page and confirms it. */
  signOut(url: string): Promise<void>;
}

/** A local identity provider, built with a library that the OpenID Foundation has certified. */
export interface CertifiedProvider {
  readonly issuer: string;
  /** Starts serving a client. Users' addresses are in `domain`. */
  register(client: RegisteredClient, domain: string): Promise<void>;
  /** Switches to a new signing key, and publishes both. */
  rotate(): Promise<void>;
  openBrowser(): ProviderBrowser;
  stop(): Promise<void>;
}

interface Context {
  readonly oidc: {
    readonly provider: Provider;
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
}

const LOGIN = "/login/";

export async function startCertifiedProvider(): Promise<CertifiedProvider> {
  let listener: RequestListener | undefined;
  const server = createServer((incoming, response) => void listener?.(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys: object[] = [];
  let [client, domain]: [RegisteredClient | undefined, string] = [undefined, ""];

  /** Adds a signing key, and restarts the provider with it. */
  const serve = async () => {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    keys.unshift({ ...(await exportJWK(privateKey)), kid: `key-${keys.length}`, alg: "RS256", use: "sig" });
    const provider = new Provider(issuer, {
      clients: [{ ...client, backchannel_logout_session_required: true }],
      jwks: { keys: [...keys] },
      cookies: { keys: ["a key for cookies"] },
      scopes: ["openid", "email", "profile"],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      // The gateway reads only the ID token.
      conformIdTokenClaims: false,
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `${LOGIN}${uid}` },
      findAccount: (_context: unknown, accountId: string) => ({
        accountId,
        claims: () => ({
          sub: accountId,
          email: `${accountId}@${domain}`,
          email_verified: true,
          name: "Ada Person",
        }),
      }),
      async loadExistingGrant({ oidc: { provider, client, session } }: Context) {
        const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
        grant.addOIDCScope("openid email profile");
        await grant.save();
        return grant;
      },
      // The library's own dispatcher refuses local addresses.
      fetch: (url: string, { dispatcher: _, ...init }: RequestInit & { dispatcher?: unknown }) =>
        fetch(url, init),
    });
    const answer = provider.callback();
    listener = (incoming, response) => {
      if (!incoming.url?.startsWith(LOGIN)) return answer(incoming, response);
      const [, accountId = ""] = /\bwho=([\w-]+)/.exec(incoming.headers.cookie ?? "") ?? [];
      return provider.interactionFinished(incoming, response, { login: { accountId } });
    };
  };

  return {
    issuer,
    async register(newClient, domainOfUsers) {
      [client, domain] = [newClient, domainOfUsers];
      await serve();
    },
    rotate: serve,
    openBrowser: () => openBrowser(issuer),
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function openBrowser(issuer: string): ProviderBrowser {
  const cookies = new Map<string, string>();
  const visit = async (url: string, init: RequestInit = {}) => {
    const header = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", ...init, headers: { Cookie: header } });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return {
    async signIn(url, accountId) {
      cookies.set("who", accountId);
      let next = url;
      while (next.startsWith(issuer)) {
        const response = await visit(next);
        const location = response.headers.get("location");
        if (location === null) throw new Error(`the provider answered ${response.status} at ${next}`);
        next = new URL(location, issuer).href;
      }
      return new URL(next);
    },
    async signOut(url) {
      const page = await (await visit(url)).text();
      const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
      const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(page) ?? [];
      await visit(action, { method: "POST", body: new URLSearchParams({ xsrf, logout: "yes" }) });
    },
  };
}
