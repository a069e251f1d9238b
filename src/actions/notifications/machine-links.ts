import { AppError } from "../../errors.js";
import type { ActorContext } from "../actor-context.js";

/**
 * Throws unless the e-mail with a service account's link was queued: OPERATOR_REQUIRED without a mail server, and
 * RATE_LIMIT_EXCEEDED after too many e-mails. A link lets its holder in as a person, so a service account never sees
 * one, and nobody would get a link that is not mailed. Callers who are people pass: they see theirs.
 */
export function requireDelivery(
  { principal, resources }: Pick<ActorContext, "principal" | "resources">,
  isQueued: boolean,
): void {
  if (isQueued || !principal.serviceAccount) return;
  if (resources.outbound.mailer === null) {
    const message =
      "Links that a service account creates are sent by e-mail only, and this gateway cannot send e-mail. Create the link as a person, or ask your administrator to set SMTP_URL.";
    throw new AppError("OPERATOR_REQUIRED", message, { details: [{ path: "SMTP_URL", message }] });
  }
  throw new AppError(
    "RATE_LIMIT_EXCEEDED",
    "Too many links were sent to this address or by this organization. Try again tomorrow.",
    { headers: { "Retry-After": "86400" } },
  );
}
