import type { ServerResponse } from "node:http";
import express, { type Request, type Response } from "express";
import { setSessionCookie } from "../../access/credentials.js";
import { clearSsoCookie, setReasonCookie } from "../../access/sso/cookie.js";
import type { SsoFlow } from "../../actions/sso/sso-flow.js";
import type { TestOutcome } from "../../actions/sso/test-sign-in.js";
import { type RefusalReason, SsoRefusal } from "../../domain/sso/sso-refusals.js";
import { JSON_TYPE, sendError } from "../../http/answer/envelope.js";
import { toAppError } from "../../http/answer/failure.js";
import { escapeHtml, sourceOf } from "../../http/answer/html.js";
import { answersOptions, type IncomingCall, queryOf } from "../../http/incoming-call.js";
import { V1_PREFIXES } from "../../http/surface.js";

const PATH = new RegExp(`^(?:${V1_PREFIXES.join("|")})/auth/sso/([^/]+)/(start|callback|logout)/?$`);

/** Returns true for a path of single sign-on, called by a browser or a provider. */
export const isSsoPath = (path: string): boolean => PATH.test(path);

/** Headers that keep the query, which contains the code, out of caches and the Referer header. */
const PRIVATE = { "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" };

/**
 * Creates the function that answers browsers at `start` and `callback`, with redirects or the result page of a test,
 * and providers at `logout`.
 */
export function createSsoEndpoint(flow: SsoFlow) {
  return async (incomingCall: IncomingCall): Promise<void> => {
    const { request, incoming, response, headers, path } = incomingCall;
    const [, connectionId = "", step = ""] = PATH.exec(path) ?? [];
    request.record.operation = `auth/sso/{connection_id}/${step}`;
    request.record.route = `/v1/auth/sso/{connection_id}/${step}`;
    const common = { ...headers, ...PRIVATE };
    const query = queryOf(incoming);
    const refuse = (refusal: SsoRefusal, isTest: boolean) => {
      const cleared = clearSsoCookie();
      if (isTest) return sendPage(response, common, describeRefusal(refusal), cleared);
      const cookies = [cleared, setReasonCookie(refusal.reason)];
      redirect(response, common, `/console/#sign-in-failed=${request.id}`, cookies);
    };
    try {
      if (answersOptions(incomingCall, [step === "logout" ? "POST" : "GET", "OPTIONS"])) return;
      const client = flow.clientInfoOf(incomingCall);
      if (step === "logout") {
        const { logout_token: token = "" } = await readForm(incomingCall);
        const isEnded = await flow.endByProvider(connectionId, token, client);
        return sendJson(response, isEnded ? 200 : 400, common, isEnded ? {} : { error: "invalid_request" });
      }
      if (step === "start") {
        const { url, cookie } = await flow.start(connectionId, query, client);
        return redirect(response, common, url, [cookie]);
      }
      const outcome = await flow.callback(connectionId, query, incoming, client);
      const cleared = clearSsoCookie();
      if ("signedIn" in outcome) {
        const { token, expiresIn } = outcome.signedIn.session;
        const cookies = [cleared, setSessionCookie(token, expiresIn)["Set-Cookie"]];
        return redirect(response, common, outcome.returnTo, cookies);
      }
      if ("challenge" in outcome) {
        // The page removes the fragment, which servers never see.
        const [page] = outcome.returnTo.split("#");
        return redirect(response, common, `${page}#challenge=${outcome.challenge}`, [cleared]);
      }
      if ("tested" in outcome) return sendPage(response, common, describeTest(outcome.tested), cleared);
      refuse(outcome.refused, outcome.isTest);
    } catch (error) {
      if (error instanceof SsoRefusal) return refuse(error, query.has("test"));
      sendError(response, request, [common], toAppError(error, request.log));
    }
  };
}

const parseForm = express.urlencoded({ extended: false, limit: "64kb", parameterLimit: 20 });

/** Reads the form of a request; empty for any other body. */
function readForm({ incoming, response }: IncomingCall): Promise<Readonly<Record<string, string>>> {
  return new Promise((resolve) => {
    parseForm(incoming as Request, response as Response, () => {
      const body: object = (incoming as Request).body ?? {};
      resolve(Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value === "string")));
    });
  });
}

function sendJson(response: ServerResponse, status: number, headers: Headers, body: object): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { ...headers, "Content-Type": JSON_TYPE, "Content-Length": Buffer.byteLength(text) })
    .end(text);
}

type Headers = Readonly<Record<string, string>>;

function redirect(response: ServerResponse, headers: Headers, Location: string, cookies: string[]): void {
  response.writeHead(303, { ...headers, Location, "Set-Cookie": cookies }).end();
}

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 40rem; margin: 0 auto; padding: 2.5rem 1.25rem; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
`;

function sendPage(response: ServerResponse, headers: Headers, body: string, cookie: string): void {
  const title = "Single sign-on test";
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style><main><h1>${title}</h1>${body}<p><a href="/console/settings/organization-security">Back to Carbon Gateway</a></p></main></html>`;
  response
    .writeHead(200, {
      ...headers,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Length": Buffer.byteLength(html),
      "Content-Security-Policy": `default-src 'none'; style-src ${sourceOf(STYLE)}; frame-ancestors 'none'`,
      "Set-Cookie": cookie,
    })
    .end(html);
}

/** Checks of a sign-in in order, each with the reasons for which it can refuse. */
const CHECKS: readonly (readonly [check: string, reasons: readonly RefusalReason[]])[] = [
  ["The sign-in was started in this browser, with the current settings.", ["state"]],
  ["The provider can be reached.", ["provider_unreachable"]],
  ["The issuer and the code are correct.", ["issuer", "provider_error", "code"]],
  [
    "The signature, audience, nonce and times of the ID token are correct.",
    ["signature", "audience", "authorized_party", "nonce", "expired"],
  ],
  [
    "The e-mail address is verified, and its domain is proven.",
    ["email_missing", "email_unverified", "domain_not_proven"],
  ],
];

/** Lists the checks: passed before the one that refused, and skipped after it. */
function listChecks(refusal: RefusalReason | null): string {
  const failed = refusal === null ? CHECKS.length : CHECKS.findIndex(([, all]) => all.includes(refusal));
  const marks = CHECKS.map(([check], place) => {
    if (place === failed) return `✗ Failed: ${check}`;
    return place < failed ? `✓ ${check}` : `– Not checked: ${check}`;
  });
  return `<h2>Checks</h2><ul>${listItems(marks)}</ul>`;
}

const describeTest = ({ claims, role }: TestOutcome): string =>
  `<p>The test succeeded. You can enable single sign-on within the next 24 hours.</p>${listChecks(null)}` +
  `<p>Role: ${escapeHtml(role)}</p><h2>Claims</h2><ul>${listItems(claims)}</ul>`;

const describeRefusal = ({ reason, message }: SsoRefusal): string =>
  `<p>The test failed: ${escapeHtml(message)}</p><p>Reason: <code>${escapeHtml(reason)}</code></p>${listChecks(reason)}`;

const listItems = (items: readonly string[]) => items.map((item) => `<li>${escapeHtml(item)}</li>`).join("");
