import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";

/** Options for signing a token. */
export interface Signing {
  readonly alg?: "RS256" | "ES256" | "HS256" | "none" | undefined;
  /** True to sign with an unpublished key. */
  readonly stranger?: boolean | undefined;
}

/** The provider's answer to a code: claims of an ID token, or an error. */
export type Script = { readonly claims: JWTPayload; readonly signing?: Signing } | { readonly error: string };

/** A local identity provider that follows a test's script. */
export interface ScriptedProvider {
  readonly issuer: string;
  /** Number of requests by path. */
  readonly asked: Readonly<Record<string, number>>;
  /** Returns a code that works once and gets the script's answer. */
  codeFor(script: Script): string;
  sign(claims: JWTPayload, signing?: Signing): Promise<string>;
  /** Signs in everyone who opens its page as this person, without asking. */
  setPerson(claims: JWTPayload): void;
  /** Replaces the published key. */
  rotate(): Promise<void>;
  announce(metadata: object): void;
  /** Holds back the answers to codes until the returned function is called. */
  hold(): () => void;
  /** Makes it close connections without an answer, or answer again. */
  setDown(isDown: boolean): void;
  stop(): Promise<void>;
}

export async function startProvider(): Promise<ScriptedProvider> {
  let made = 0;
  const makeKey = async (alg: "RS256" | "ES256") => {
    made += 1;
    return { ...(await generateKeyPair(alg, { extractable: true })), kid: `key-${made}` };
  };
  let keys = { RS256: await makeKey("RS256"), ES256: await makeKey("ES256") };
  const stranger = await makeKey("RS256");
  const scripts = new Map<string, Script>();
  const asked: Record<string, number> = {};
  let [added, isDown] = [{}, false];
  let held: Promise<void> | undefined;
  let person: JWTPayload = {};

  const sign = async (claims: JWTPayload, { alg = "RS256", stranger: isStranger }: Signing = {}) => {
    if (alg === "none") return new UnsecuredJWT(claims).encode();
    if (alg === "HS256") return new SignJWT(claims).setProtectedHeader({ alg }).sign(Buffer.alloc(32, "s"));
    const key: { privateKey: CryptoKey; kid: string } = isStranger
      ? { ...stranger, kid: keys.RS256.kid }
      : keys[alg];
    return new SignJWT(claims).setProtectedHeader({ alg, kid: key.kid }).sign(key.privateKey);
  };
  const answer = async (path: string, body: string): Promise<[status: number, body: object]> => {
    if (path === "/.well-known/openid-configuration")
      return [
        200,
        {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          ...added,
        },
      ];
    if (path === "/keys") {
      const published = Object.entries(keys).map(async ([alg, { publicKey, kid }]) => ({
        ...(await exportJWK(publicKey)),
        alg,
        kid,
        use: "sig",
      }));
      return [200, { keys: await Promise.all(published) }];
    }
    await held;
    const code = new URLSearchParams(body).get("code") ?? "";
    const script = scripts.get(code) ?? { error: "invalid_grant" };
    scripts.delete(code);
    if ("error" in script) return [400, { error: script.error }];
    const idToken = await sign(script.claims, script.signing);
    return [200, { access_token: "opaque", token_type: "Bearer", id_token: idToken }];
  };
  const codeFor = (script: Script) => {
    const code = `code-${scripts.size}-${Math.random()}`;
    scripts.set(code, script);
    return code;
  };
  /** Returns the URL that its page redirects to, with a code for the person. */
  const authorize = (query: URLSearchParams) => {
    const { client_id: aud = "", redirect_uri: back = "", nonce, state = "" } = Object.fromEntries(query);
    const code = codeFor({ claims: { iss: issuer, aud, nonce, ...person } });
    return `${back}?${new URLSearchParams({ code, state })}`;
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    asked[pathname] = (asked[pathname] ?? 0) + 1;
    if (isDown) return void response.destroy();
    if (pathname === "/authorize")
      return void response.writeHead(303, { Location: authorize(searchParams) }).end();
    const [status, json] = await answer(pathname, body);
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    asked,
    sign,
    codeFor,
    setPerson: (claims) => {
      person = claims;
    },
    async rotate() {
      keys = { RS256: await makeKey("RS256"), ES256: await makeKey("ES256") };
    },
    announce: (metadata) => {
      added = metadata;
    },
    hold() {
      let release: () => void = () => undefined;
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    setDown: (next) => {
      isDown = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
