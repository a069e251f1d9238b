import { answerLost, keyReused, requestInProgress } from "../../access/idempotency.js";
import { type AppError, ERROR_STATUS, type ErrorCode } from "../../errors.js";
import { type Endpoint, hasETag, hasScope, isRepeatable } from "../endpoint.js";
import { type FAILURES, failure, limitHeadersWhere, refer } from "./failures.js";

const describeError = ({ code, message, details }: AppError) => ({
  code,
  message,
  ...(details && { details }),
});

/** An error whose only detail has the message of the error. */
const withDetail = (code: ErrorCode, path: string, message: string) => ({
  code,
  message,
  details: [{ path, message }],
});

const COUNTED = { sometimes: limitHeadersWhere("Only if the request was counted.") };

/** Failures of the wider API in addition to those of the external API, by their names in components/responses. */
export const WIDER_FAILURES = {
  Unauthenticated: failure(
    "One of: the session or token is missing or has ended; the API key was refused or lacks the scope; the password, code, link or refresh token in the body is wrong.",
    {
      noSession: {
        code: "UNAUTHENTICATED",
        message:
          "No credential. Send a session or service account token as Authorization: Bearer, or an API key as X-API-Key.",
      },
      expired: { code: "UNAUTHENTICATED", message: "The session has expired. Sign in again." },
      wrongPassword: {
        code: "INVALID_CREDENTIALS",
        message: "The e-mail address or password is wrong.",
      },
      reusedToken: {
        code: "REFRESH_TOKEN_REUSED",
        message: "The refresh token was used before, so its session was ended. Sign in again.",
      },
      noScope: { code: "INVALID_KEY", message: "The API key lacks the scope read:audit." },
    },
    { always: { "WWW-Authenticate": "`Bearer`, or `ApiKey` with the reason." }, ...COUNTED },
  ),
  Forbidden: failure(
    "One of: the role lacks the scope; a page of another site sent the request; the password or second factor must be entered again; the e-mail address must be confirmed; a second factor is required.",
    {
      noScope: { code: "FORBIDDEN", message: "The role viewer lacks the scope manage:keys." },
      passwordNeeded: {
        code: "REAUTHENTICATION_REQUIRED",
        message:
          "Confirm that it is you: send your password to POST /v1/auth/reauthenticate, then try again within 10 minutes.",
      },
      factorNeeded: {
        code: "SECOND_FACTOR_REQUIRED",
        message:
          "Your organization requires a second factor. Add an authenticator app with POST /v1/auth/totp, or a passkey.",
      },
      unconfirmed: {
        code: "EMAIL_NOT_CONFIRMED",
        message:
          "Confirm your e-mail address first. Open the link that we e-mailed you, or request another with POST /v1/auth/email/send.",
      },
      otherSite: {
        code: "CSRF_REJECTED",
        message:
          "A page of another site sent the request: expected Sec-Fetch-Site: same-origin, got cross-site.",
      },
    },
    COUNTED,
  ),
  NotFound: failure(
    "The object does not exist in your organization.",
    {
      code: "NOT_FOUND",
      message: "There is no open invitation with the id 2f0d6a1c-8f1e-4d57-9a0b-3c5e7d9b1f24.",
    },
    COUNTED,
  ),
  Conflict: failure(
    "One of: a value is taken, or an object has changed since or is in a state that does not allow the request (see `details`); the first request with the same `Idempotency-Key` is still running, or its answer cannot be repeated; the server lacks a setting.",
    {
      changed: withDetail(
        "CONFLICT",
        "version",
        'VERSION_MISMATCH: If-Match is "3", and the current version is "4". Read it again.',
      ),
      noPepper: withDetail(
        "OPERATOR_REQUIRED",
        "KEY_PEPPER",
        "This gateway has no KEY_PEPPER to encrypt the secret with. Ask your administrator to set KEY_PEPPER, and KEY_PEPPER_PREVIOUS=none.",
      ),
      noMail: withDetail(
        "OPERATOR_REQUIRED",
        "SMTP_URL",
        "This gateway cannot send e-mail. Ask your administrator to run on the server: gateway users reset-link <email>",
      ),
      inProgress: describeError(requestInProgress()),
      answerLost: describeError(answerLost("/v1/emissions/records/5d0c2f3a-2a7e-4a35-9a8b-1d2f0e6c7b90")),
    },
    {
      sometimes: {
        ...COUNTED.sometimes,
        "Retry-After": "Seconds to wait. Only if a retry can succeed.",
      },
    },
  ),
  LinkExpired: failure(
    "The link from an e-mail has been used or replaced, has expired, or belongs to another person (`LINK_EXPIRED`); or the cursor or event id is too old or unknown, so the data must be read again (`CURSOR_EXPIRED`).",
    {
      link: {
        code: "LINK_EXPIRED",
        message: "The link was used or replaced, has expired, or is not yours.",
      },
      cursor: {
        code: "CURSOR_EXPIRED",
        message:
          "This cursor belongs to a history that a restore discarded. Read the collection again, without a cursor.",
      },
    },
    COUNTED,
  ),
  ValidationFailed: failure(
    "One of: the body or file is invalid (`details` has the first problems and the number of further ones); the request is valid but cannot be carried out, for the reason in `code`; the `Idempotency-Key` was used before with a different request.",
    {
      invalid: {
        code: "VALIDATION_FAILED",
        message:
          "body.name: expected text, got 1; body.tier: expected one of free, pro, enterprise, got nothing",
        details: [
          { path: "name", message: "expected text, got 1" },
          { path: "tier", message: "expected one of free, pro, enterprise, got nothing" },
        ],
      },
      keyReused: describeError(keyReused()),
    },
    COUNTED,
  ),
  Malformed: failure(
    "The request, a query parameter or a header is malformed (`BAD_REQUEST`; with status 413 if the body is too large, and 415 if its type is not supported), or its method is not allowed (`METHOD_NOT_ALLOWED`).",
    { code: "BAD_REQUEST", message: 'query.limit: expected a whole number from 1 to 100, got "0"' },
    { sometimes: { Allow: "The allowed methods, if the method is not allowed.", ...COUNTED.sometimes } },
  ),
  TooManyRequests: failure(
    "The hourly limit is exceeded, there were too many failures, or too many requests of this kind are in progress.",
    {
      budgetSpent: {
        code: "RATE_LIMIT_EXCEEDED",
        message: "Rate limit exceeded: 5000 requests per hour (session). The limit resets in 1412 seconds.",
      },
      tooManyFailures: {
        code: "RATE_LIMIT_EXCEEDED",
        message: "Too many requests without a valid token. Try again in 42 seconds.",
      },
    },
    { always: { "Retry-After": "Seconds to wait." }, ...COUNTED },
  ),
  Unavailable: failure(
    "The server cannot do this at present, for the reason in the message. Nothing was changed, unless the message says that it may have been.",
    {
      code: "INTERNAL_ERROR",
      message:
        "The database cannot store changes, because it is read-only. Nothing was changed. Reads still work.",
    },
    { always: { "Retry-After": "Seconds to wait." }, ...COUNTED },
  ),
};

const NAMES: Readonly<Record<string, keyof typeof WIDER_FAILURES>> = {
  "401": "Unauthenticated",
  "403": "Forbidden",
  "404": "NotFound",
  "409": "Conflict",
  "410": "LinkExpired",
  "422": "ValidationFailed",
  "429": "TooManyRequests",
};

/**
 * Lists the codes that an endpoint of the wider API can return, in addition to INTERNAL_ERROR and the codes for
 * malformed requests.
 */
function* codesOf(endpoint: Endpoint): Generator<ErrorCode> {
  const { method, input, creates, failures = [] } = endpoint;
  yield* failures;
  if (isRepeatable(endpoint)) {
    yield* ["IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_ANSWER_LOST", "IDEMPOTENCY_KEY_REUSED"] as const;
  }
  const isScoped = hasScope(endpoint);
  if (isScoped || endpoint.needsSession)
    yield* ["UNAUTHENTICATED", "FORBIDDEN", "RATE_LIMIT_EXCEEDED"] as const;
  if (input.params) yield "NOT_FOUND";
  if (input.body) yield "VALIDATION_FAILED";
  if (isScoped && (creates || (hasETag(endpoint) && method !== "GET"))) yield "CONFLICT";
}

/** Returns references to the failures of an endpoint of the wider API, by status. */
export function describeFailures(endpoint: Endpoint) {
  const statuses = [...codesOf(endpoint)].map((code) => String(ERROR_STATUS[code])).toSorted();
  const names = Object.fromEntries(statuses.map((status) => [status, NAMES[status] as string]));
  return refer({
    ...names,
    "500": "InternalError" satisfies keyof typeof FAILURES,
    "503": "Unavailable" satisfies keyof typeof WIDER_FAILURES,
    default: "Malformed",
  });
}
