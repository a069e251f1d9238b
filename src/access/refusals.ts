import { AppError } from "../errors.js";

/** Messages for refused API keys, by reason. */
export const REFUSALS = {
  missing: "No API key. Send it in the X-API-Key header.",
  misplaced: "The API key was sent in the wrong place. Send it in the X-API-Key header.",
  repeated: "More than one X-API-Key header. Send exactly one.",
  malformed: "Invalid API key: malformed. A key is cgw_live_ followed by 38 letters and digits.",
  unknown: "Invalid API key: unknown.",
  revoked: "Invalid API key: revoked.",
  expired: "Invalid API key: expired.",
} as const;

export type Refusal = keyof typeof REFUSALS;

/**
 * Creates INVALID_KEY with a machine-readable reason: `extensions.reason` in GraphQL, and the `error` parameter of
 * `WWW-Authenticate` (RFC 9110, section 11.6.1) everywhere.
 */
export function refuseKey(
  reason: Refusal | "insufficient_scope",
  message: string,
  extensions: Readonly<Record<string, unknown>> = {},
): AppError {
  return new AppError("INVALID_KEY", message, {
    headers: { "WWW-Authenticate": `ApiKey error="${reason}"` },
    extensions: { reason, ...extensions },
  });
}
