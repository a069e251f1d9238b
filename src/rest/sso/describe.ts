import { COMMON_HEADERS, describeHeaders, refer } from "../openapi/failures.js";

const CONNECTION_ID = {
  name: "connection_id",
  in: "path",
  required: true,
  description: "Identifier of the organization's identity provider, from `GET /sso`.",
  schema: { type: "string", format: "uuid" },
};

const ofQuery = (name: string, description: string) => ({
  name,
  in: "query",
  required: false,
  description,
  schema: { type: "string", maxLength: 1_000 },
});

const FAILURES = refer({ "404": "NotFound", "500": "InternalError", default: "Malformed" });

const redirect = (Location: string, cookie: string) => ({
  "303": {
    description: "Redirects the browser.",
    headers: describeHeaders({ ...COMMON_HEADERS, Location }, { "Set-Cookie": cookie }),
  },
  ...FAILURES,
});

const json = (description: string, example: object) => ({
  description,
  headers: describeHeaders(COMMON_HEADERS),
  content: { "application/json": { schema: { type: "object" }, example } },
});

/** Steps of single sign-on, called by browsers and providers. Successful responses have no envelope. */
const STEPS = [
  {
    step: "start",
    method: "GET",
    operationId: "startSingleSignOn",
    summary: "Starts a sign-in with the organization's identity provider",
    parameters: [
      ofQuery("return", "Console page to open after the sign-in."),
      ofQuery("fresh", "With any value, makes the provider ask the user to authenticate again."),
    ],
    responses: redirect(
      "The provider; or `/console/#sign-in-failed=<request id>` if the sign-in cannot start, for example because the provider cannot be reached.",
      "Cookie of the sign-in in progress, valid for 10 minutes.",
    ),
  },
  {
    step: "callback",
    method: "GET",
    operationId: "finishSingleSignOn",
    summary:
      "Completes a sign-in with the organization's identity provider, which redirects the browser here",
    parameters: [
      ofQuery("code", "The provider's code."),
      ofQuery("state", "State of the sign-in, from its start."),
      ofQuery("iss", "The provider's issuer (RFC 9207)."),
      ofQuery("error", "Reason the provider refused."),
    ],
    responses: {
      "200": {
        description: "Result page of a test.",
        headers: describeHeaders(COMMON_HEADERS, { "Set-Cookie": "Removes the cookie of the sign-in." }),
        content: { "text/html": { schema: { type: "string" } } },
      },
      ...redirect(
        "The page given at the start, with `#challenge=cgw_chl_…` if the gateway's own second factor is still required; or `/console/#sign-in-failed=<request id>`.",
        "The cookie of the session.",
      ),
    },
  },
  {
    step: "logout",
    method: "POST",
    operationId: "endProviderSessions",
    summary: "Ends the sessions named by a logout token of the provider (back-channel logout)",
    parameters: [],
    requestBody: {
      required: true,
      content: {
        "application/x-www-form-urlencoded": {
          schema: {
            type: "object",
            required: ["logout_token"],
            properties: {
              logout_token: { type: "string", description: "Logout token signed by the provider." },
            },
          },
        },
      },
    },
    responses: {
      "200": json("The sessions have ended.", {}),
      "400": json("The token is invalid, or was used before.", { error: "invalid_request" }),
      ...FAILURES,
    },
  },
] as const;

/** Methods, paths and summaries of the steps. */
export const SSO_STEPS = STEPS.map(({ method, step, summary }) => ({
  method,
  path: `/auth/sso/{connection_id}/${step}`,
  summary,
}));

/** Describes the steps as paths of OpenAPI, with this tag. */
export const describeSso = (tag: string): Record<string, Record<string, object>> =>
  Object.fromEntries(
    STEPS.map(({ step, method, parameters, ...operation }) => [
      `/auth/sso/{connection_id}/${step}`,
      {
        [method.toLowerCase()]: {
          ...operation,
          tags: [tag],
          description: "Needs no credentials.",
          security: [],
          parameters: [CONNECTION_ID, ...parameters],
        },
      },
    ]),
  );
