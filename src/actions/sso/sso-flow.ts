import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { unseal } from "../../access/secrets/sealing.js";
import {
  ATTEMPT_MS,
  type PendingSignIn,
  readSsoCookie,
  readTestPass,
  setSsoCookie,
} from "../../access/sso/cookie.js";
import {
  buildSignInUrl,
  type Claims,
  createAttempt,
  exchangeCode,
  type ProviderClient,
  reach,
} from "../../access/sso/exchange.js";
import { write } from "../../data/database/transaction.js";
import { type Connection, findConnection } from "../../data/sso/connections.js";
import { recordEvent } from "../../data/sso/events.js";
import { asRefusal, SsoRefusal } from "../../domain/sso/sso-refusals.js";
import { redirectUriOf } from "../../domain/sso/sso-urls.js";
import { isUuid } from "../../domain/texts/uuid.js";
import { AppError } from "../../errors.js";
import type { IncomingCall } from "../../http/incoming-call.js";
import type { AccountsContext, ClientInfo } from "../accounts/context.js";
import type { SignedIn } from "../sessions/begin-session.js";
import { endByProvider } from "./logout.js";
import { readPerson, signInByProvider } from "./sign-in.js";
import { completeTest, type TestOutcome } from "./test-sign-in.js";

/** The provider's URL for a sign-in, and the cookie that stores the sign-in. */
export interface StartedSignIn {
  readonly url: string;
  readonly cookie: string;
}

/** Outcome of a callback. */
export type CallbackOutcome =
  | { readonly signedIn: SignedIn; readonly returnTo: string }
  /** The sign-in waits for the gateway's own second factor. */
  | { readonly challenge: string; readonly returnTo: string }
  | { readonly tested: TestOutcome }
  | { readonly refused: SsoRefusal; readonly isTest: boolean };

export interface SsoFlowOptions {
  readonly context: AccountsContext;
  /** Counts a refusal for a network address. Resolves to false after too many; further ones are not recorded. */
  readonly countRefusal: (address: string) => Promise<boolean>;
}

export type SsoFlow = ReturnType<typeof createSsoFlow>;

/** Creates the functions that sign people in with the providers of their organizations. */
export function createSsoFlow({ context, countRefusal }: SsoFlowOptions) {
  const { resources, onSignIn } = context;
  const { database, peppers, pepper, site, outbound } = resources;

  /** Returns the gateway as a client of a connection's provider. Throws SsoRefusal if its secret cannot be read. */
  const clientOf = ({ id, issuer, clientId, clientSecretSealed }: Connection): ProviderClient => {
    const clientSecret = clientSecretSealed === null ? null : unseal(clientSecretSealed, peppers);
    if (clientSecretSealed !== null && clientSecret === null)
      throw new SsoRefusal("provider_error", "KEY_PEPPER has changed: save the client secret again");
    return { issuer, clientId, clientSecret, redirectUri: redirectUriOf(site.url(), id) };
  };
  const find = async (id: string): Promise<Connection> => {
    const connection = isUuid(id) ? await findConnection(database, id) : null;
    if (connection === null) throw new AppError("NOT_FOUND", "There is no such way to sign in.");
    return connection;
  };
  /** Records a refusal in the audit trail, unless the network address has had too many. */
  const note = async ({ organizationId, id }: Connection, refusal: SsoRefusal, { request }: ClientInfo) => {
    const { reason, cause } = refusal;
    request.log.info(
      { reason, connection_id: id, cause: describe(cause) },
      "a sign-in by a provider was refused",
    );
    if (!(await countRefusal(request.address()))) return;
    const visitor = { actor: null, organizationId, requestId: request.id };
    const event = { organizationId, action: "sso.refused", targetId: id, reason } as const;
    await write(database, visitor, (sql) => recordEvent(sql, event, request.now));
  };

  return {
    clientInfoOf: ({ request, incoming }: Pick<IncomingCall, "request" | "incoming">): ClientInfo => ({
      request,
      userAgent: incoming.headers["user-agent"],
      party: site.party(incoming),
    }),
    /**
     * Begins a sign-in. Writes nothing to the database except a refusal. Rejects with NOT_FOUND unless the connection
     * is enabled or its settings are being tested, and with SsoRefusal if the provider cannot be reached.
     */
    async start(connectionId: string, query: URLSearchParams, client: ClientInfo): Promise<StartedSignIn> {
      const { now } = client.request;
      const connection = await find(connectionId);
      const given = query.get("test");
      const test = given === null ? null : readTestPass(given, peppers, now);
      const isTest = test?.connectionId === connectionId && test.version === connection.version;
      if (!isTest && (given !== null || connection.enabledAt === null)) {
        throw new AppError("NOT_FOUND", "There is no such way to sign in.");
      }
      const isFresh = query.has("fresh");
      const attempt = await createAttempt();
      try {
        const client = clientOf(connection);
        const url = await reach(buildSignInUrl(outbound.providers, client, attempt, { isFresh, now }));
        const pending: PendingSignIn = {
          connectionId,
          ...attempt,
          returnTo: readReturn(query.get("return"), site.url()),
          expiresAt: now.getTime() + ATTEMPT_MS,
          test: isTest ? { userId: test.userId, version: test.version } : null,
          isFresh,
        };
        return { url, cookie: setSsoCookie(pending, pepper) };
      } catch (error) {
        const refusal = asRefusal(error, "provider_error");
        if (!isTest) onSignIn("refused");
        await note(connection, refusal, client);
        throw refusal;
      }
    },

    /** Ends the sessions that a logout token names. Returns false if it is invalid. Rejects with NOT_FOUND. */
    endByProvider: async (connectionId: string, token: string, client: ClientInfo): Promise<boolean> =>
      endByProvider(context, await find(connectionId), token, client),

    /** Completes a sign-in or a test. Rejects with NOT_FOUND for an unknown connection. */
    async callback(
      connectionId: string,
      query: URLSearchParams,
      { headers }: Pick<IncomingMessage, "headers">,
      client: ClientInfo,
    ): Promise<CallbackOutcome> {
      const { now, log } = client.request;
      const connection = await find(connectionId);
      const pending = readSsoCookie(headers.cookie, peppers, now);
      const isTest = pending?.connectionId === connectionId && pending.test !== null;
      try {
        const isOwn = pending?.connectionId === connectionId && pending.state === query.get("state");
        if (!isOwn || (pending.test === null && connection.enabledAt === null)) throw new SsoRefusal("state");
        const exchange = () => exchangeCode(outbound.providers, clientOf(connection), pending, query, now);
        // Anybody can begin a sign-in and send any code, so these requests to the provider are limited.
        const queued = { ownerId: connection.organizationId, msLeft: EXCHANGE_WAIT_MS };
        const claims = await reach(outbound.enqueueExchange(queued, exchange));
        if (pending.test)
          return { tested: await completeTest(context, connection, claims, pending.test, client) };
        const person = await readPerson(context, connection, claims);
        const authenticatedAt = readAuthentication(claims, pending.isFresh, now);
        const spent = {
          hash: hash("sha256", `sso ${pending.state}`),
          expiresAt: new Date(pending.expiresAt),
        };
        const outcome = await signInByProvider(context, {
          connection,
          person,
          authenticatedAt,
          spent,
          client,
        });
        const { returnTo } = pending;
        if ("challenge" in outcome) return { challenge: outcome.challenge.token, returnTo };
        onSignIn("succeeded");
        return { signedIn: outcome, returnTo };
      } catch (error) {
        if (error instanceof AppError) throw error;
        if (!(error instanceof SsoRefusal)) log.error({ err: error }, "a sign-in by a provider failed");
        const refused = asRefusal(error, "provider_error");
        if (!isTest) onSignIn("refused");
        await note(connection, refused, client);
        return { refused, isTest };
      }
    },
  };
}

/** Maximum time an exchange waits for others of its organization. */
const EXCHANGE_WAIT_MS = 5_000;

/** Maximum age of a fresh authentication. */
const FRESH_MS = 60_000;

/**
 * Returns the time at which the person authenticated at the provider; the epoch if the provider does not say. If it
 * must be fresh, returns `now` or throws SsoRefusal.
 */
function readAuthentication({ auth_time: seconds }: Claims, isFresh: boolean, now: Date): Date {
  const time = typeof seconds === "number" && seconds >= 0 ? Math.min(seconds * 1_000, now.getTime()) : 0;
  if (isFresh && now.getTime() - time > FRESH_MS) throw new SsoRefusal("expired");
  return isFresh ? now : new Date(time);
}

/** Returns the console path to return to after a sign-in: the given one if valid, otherwise the first page. */
function readReturn(given: string | null, siteUrl: string): string {
  const first = "/console/";
  if (given === null || given.length > 1_000 || !given.startsWith(first) || !URL.canParse(given, siteUrl))
    return first;
  const { origin, pathname, search, hash: fragment } = new URL(given, siteUrl);
  const isOwn = origin === new URL(siteUrl).origin && pathname.startsWith(first);
  return isOwn ? pathname + search + fragment : first;
}

/** Returns the messages of an error and its causes, which contain no token. */
function describe(cause: unknown): string | undefined {
  const messages: string[] = [];
  for (let one = cause; one instanceof Error && messages.length < 5; one = one.cause)
    messages.push(one.message);
  return messages.length === 0 ? undefined : messages.join(": ");
}
