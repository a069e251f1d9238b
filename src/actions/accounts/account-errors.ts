import { AppError, type Problem } from "../../errors.js";

const CHALLENGE = { headers: { "WWW-Authenticate": "Bearer" } };
const refuse = (message: string, path?: string) =>
  new AppError("INVALID_CREDENTIALS", message, {
    ...CHALLENGE,
    ...(path !== undefined && { details: [{ path, message }] }),
  });

/**
 * Creates INVALID_CREDENTIALS. The message is the same for an unknown e-mail address, a wrong password and a disabled
 * account.
 */
export const wrongCredentials = (): AppError => refuse("The e-mail address or password is wrong.");

/** Creates INVALID_CREDENTIALS for a signed-in user whose account has no password. */
export const noPassword = (): AppError =>
  refuse(
    "The account has no password. To set one, sign in with a link and a new `password` (POST /v1/auth/link), or ask for a link with POST /v1/auth/password-reset.",
  );

/** Creates INVALID_CREDENTIALS for a sign-in link. The message is the same for every reason. */
export const wrongLink = (): AppError =>
  refuse("The sign-in link does not exist, was used, or has expired. Ask for another one.");

/** Creates INVALID_CREDENTIALS for a challenge that cannot be used. The message is the same for every reason. */
export const deadChallenge = (): AppError =>
  refuse(
    "The challenge was used, has expired, had too many wrong answers, or its account or sign-in settings have changed. Sign in again.",
    "challenge",
  );

/** Creates INVALID_CREDENTIALS for a wrong second factor. `path` is the field that contained it. */
export const wrongFactor = (path: "code" | "recovery_code" | "response"): AppError =>
  refuse(
    path === "response" ? "The passkey is wrong." : "The code is wrong, was used before, or has expired.",
    path,
  );

/** Creates NOT_FOUND for an invitation. The message is the same for every reason. */
export const noInvitation = () =>
  new AppError(
    "NOT_FOUND",
    "The invitation does not exist, was used or revoked, or has expired. Ask for another one.",
  );

/** Creates LINK_EXPIRED for a mailed link. The message is the same for every reason. */
export const deadLink = (): AppError =>
  new AppError("LINK_EXPIRED", "The link was used or replaced, has expired, or is not yours.");

/** Creates OPERATOR_REQUIRED for an action that sends an e-mail. `command` does the same on the server. */
export function mailRequired(command: string): AppError {
  const message = `This gateway cannot send e-mail. Ask your administrator to run on the server: gateway ${command}`;
  return new AppError("OPERATOR_REQUIRED", message, { details: [{ path: "SMTP_URL", message }] });
}

export const refreshTokenReused = (): AppError =>
  new AppError(
    "REFRESH_TOKEN_REUSED",
    "The refresh token was used before, so its session was ended. Sign in again.",
    CHALLENGE,
  );

/** Throws VALIDATION_FAILED with all faults. Ignores undefined entries. */
export function requireNoFaults(faults: Readonly<Record<string, string | undefined>>): void {
  const details = Object.entries(faults).flatMap(([path, message]): Problem[] =>
    message === undefined ? [] : [{ path, message }],
  );
  if (details.length === 0) return;
  throw new AppError(
    "VALIDATION_FAILED",
    details.map(({ path, message }) => `body.${path}: ${message}`).join("; "),
    { details },
  );
}

/** Creates CONFLICT for one field of the input. */
export const fieldConflict = (path: string, message: string): AppError =>
  new AppError("CONFLICT", message, { details: [{ path, message }] });

/** Creates CONFLICT for an invitation below the role owner to an organization without members. */
export const ownerFirst = (): AppError =>
  fieldConflict("invitation", "The organization has no members yet, and the first must be an owner.");

/** Creates OPERATOR_REQUIRED for a secret that the gateway cannot encrypt. */
export function pepperRequired(): AppError {
  const message =
    "This gateway has no KEY_PEPPER to encrypt the secret with. Ask your administrator to set KEY_PEPPER, and KEY_PEPPER_PREVIOUS=none.";
  return new AppError("OPERATOR_REQUIRED", message, { details: [{ path: "KEY_PEPPER", message }] });
}

/** Registration policy: invited people only, everybody, or nobody. */
export type Registration = "invite" | "open" | "closed";

/** Throws FORBIDDEN if people with an invitation (`invite`), or without one (`open`), may not register. */
export function requireRegistration(allowed: Registration, needed: "invite" | "open"): void {
  if (allowed === "closed") throw new AppError("FORBIDDEN", "This gateway does not accept registrations.");
  if (allowed === "open" || needed === "invite") return;
  throw new AppError("FORBIDDEN", "You need an invitation to register. Send its token as invitation.");
}
