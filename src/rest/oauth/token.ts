import type { ServerResponse } from "node:http";
import express, { type Request, type Response } from "express";
import type { AuthenticatedClient, Client, Oauth } from "../../access/oauth.js";
import type { RateLimitState } from "../../domain/rate-limit.js";
import { isScope, type Scope } from "../../domain/scopes.js";
import type { Policy } from "../../domain/tiers.js";
import { AppError } from "../../errors.js";
import { sendPlain } from "../../http/answer/compress.js";
import { JSON_TYPE, listHeaders } from "../../http/answer/envelope.js";
import { toAppError } from "../../http/answer/failure.js";
import { rateLimitHeaders } from "../../http/answer/headers.js";
import { answersOptions, type IncomingCall } from "../../http/incoming-call.js";

/** Error codes (RFC 6749, section 5.2, and RFC 8707), with their status. */
const STATUS = {
  invalid_request: 400,
  invalid_client: 401,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
} as const;

/** A refusal in OAuth's form. */
class OauthError extends Error {
  readonly code: keyof typeof STATUS;
  constructor(code: keyof typeof STATUS, description: string) {
    super(description);
    this.code = code;
  }
}

const refuse = (code: keyof typeof STATUS, description: string): never => {
  throw new OauthError(code, description);
};

const FORM = "application/x-www-form-urlencoded";
/** Maximum number of form parameters. The endpoint ignores unknown ones, as RFC 6749 requires. */
const MAX_PARAMETERS = 20;
const parseForm = express.urlencoded({ extended: false, limit: "16kb", parameterLimit: MAX_PARAMETERS });

/** Values of the parameters of a form. */
type Form = Readonly<Record<string, string>>;

export interface TokenEndpointOptions {
  readonly oauth: Oauth;
  /** Counts a request against an hourly limit. */
  readonly consume: (principalId: string, policy: Policy) => Promise<RateLimitState>;
}

/** Creates the function that answers POST /oauth/token. */
export function createTokenEndpoint({ oauth, consume }: TokenEndpointOptions) {
  const grant = async (incomingCall: IncomingCall, form: Form) => {
    const { request, incoming } = incomingCall;
    const given = readClient(incoming.headers.authorization, form);
    const client = await oauth.authenticate(given, request);
    if (client === null) return refuse("invalid_client", "The client_id or the client_secret is wrong.");
    const rateLimit = await consume(client.principal.id, client.principal.policy);
    const headers = rateLimitHeaders(rateLimit, request.now);
    if (!rateLimit.allowed) {
      throw new AppError("RATE_LIMIT_EXCEEDED", "The service account has used its hourly limit.", {
        headers: { ...headers, "Retry-After": String(rateLimit.secondsToReset) },
      });
    }
    const resource = form["resource"];
    const target = resource === undefined ? null : oauth.findResource(resource);
    if (target === undefined)
      return refuse("invalid_target", "resource: expected the API's URL, or that of /mcp.");
    const { bearer, scopes, secondsToLive } = oauth.issue(
      client,
      readScopes(form["scope"], client),
      target,
      request.now,
    );
    const body = {
      access_token: bearer,
      token_type: "Bearer",
      expires_in: secondsToLive,
      scope: scopes.join(" "),
    };
    return { body, headers };
  };

  return async (incomingCall: IncomingCall): Promise<void> => {
    const { request, incoming, response, headers: common } = incomingCall;
    request.record.operation = "oauth/token";
    request.record.route = incomingCall.path;
    const isBasic = /^basic /i.test(incoming.headers.authorization ?? "");
    try {
      if (answersOptions(incomingCall, ["POST", "OPTIONS"])) return;
      const { body, headers } = await grant(incomingCall, await readForm(incomingCall));
      send(response, 200, { ...common, ...headers }, body);
    } catch (error) {
      if (error instanceof OauthError) {
        const challenge = error.code === "invalid_client" && isBasic;
        const body = { error: error.code, error_description: error.message };
        const headers = {
          ...common,
          ...(challenge && { "WWW-Authenticate": 'Basic realm="carbon-gateway"' }),
        };
        return send(response, STATUS[error.code], headers, body);
      }
      const { status, message, headers } = toAppError(error, request.log);
      const code = status < 500 && status !== 429 ? "invalid_request" : "temporarily_unavailable";
      send(response, status, { ...common, ...headers }, { error: code, error_description: message });
    }
  };
}

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: object,
): void {
  const text = JSON.stringify(body);
  const own = {
    "Content-Type": JSON_TYPE,
    "Cache-Control": "no-store",
    Pragma: "no-cache",
  };
  sendPlain(response, status, listHeaders([], [{ ...headers, ...own }]), text, Buffer.byteLength(text));
}

/**
 * Reads the body as a form. Throws invalid_request for another content type, a repeated parameter, and a form that is
 * malformed or too large.
 */
async function readForm({ incoming, response }: IncomingCall): Promise<Form> {
  const [type = ""] = (incoming.headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== FORM) return refuse("invalid_request", `Content-Type: expected ${FORM}.`);
  const body = await new Promise<Readonly<Record<string, string | string[]>>>((resolve, reject) => {
    parseForm(incoming as Request, response as Response, (error: unknown) => {
      if (error) reject(new OauthError("invalid_request", "The form is malformed or too large."));
      else resolve((incoming as Request).body ?? {});
    });
  });
  const repeated = Object.values(body).some((value) => typeof value !== "string");
  if (repeated) return refuse("invalid_request", "A parameter is repeated.");
  // RFC 6749 treats a parameter without a value as omitted.
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== "")) as Form;
}

/** Checks the grant type, and reads the client from HTTP Basic or from the form. Throws OauthError. */
function readClient(authorization: string | undefined, form: Form): Client {
  const { grant_type: grantType, client_id: id, client_secret: secret } = form;
  if (grantType === undefined) return refuse("invalid_request", "grant_type is missing.");
  if (grantType !== "client_credentials") {
    return refuse("unsupported_grant_type", "grant_type: expected client_credentials.");
  }
  const [, basic] = /^basic +(\S+)$/i.exec(authorization ?? "") ?? [];
  if (basic === undefined) {
    if (id === undefined || secret === undefined) {
      return refuse("invalid_client", "Send client_id and client_secret, in HTTP Basic or in the body.");
    }
    return { id, secret };
  }
  if (id !== undefined || secret !== undefined) {
    return refuse(
      "invalid_request",
      "The request has a client in HTTP Basic and in the body. Send only one of them.",
    );
  }
  const [name = "", ...rest] = Buffer.from(basic, "base64").toString().split(":");
  return { id: decodeForm(name), secret: decodeForm(rest.join(":")) };
}

/** Decodes a part of HTTP Basic, which RFC 6749 form-encodes. */
function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** Returns the requested scopes; all of the client's if none are requested. Throws invalid_scope. */
function readScopes(given: string | undefined, { principal }: AuthenticatedClient): readonly Scope[] {
  if (given === undefined) return principal.scopes;
  const requested = given.split(" ").filter((name) => name !== "");
  const isGranted = (name: string) => isScope(name) && principal.scopes.includes(name);
  if (requested.length === 0 || !requested.every(isGranted)) {
    return refuse("invalid_scope", `scope: expected some of ${principal.scopes.join(" ")}.`);
  }
  return principal.scopes.filter((scope) => requested.includes(scope));
}
