import { OPEN_TO_VERIFIER, type VerificationStatus } from "../../domain/verification/states.js";
import { ActionError } from "../action-error.js";

/** Throws CONFLICT unless a request's state lets its verifier read the records. */
export function requireOpenToVerifier({ status }: { readonly status: VerificationStatus }): void {
  if (OPEN_TO_VERIFIER.has(status)) return;
  const message = `The request is ${status}. Its verifier can read the records only from its submission to the decision.`;
  throw new ActionError("CONFLICT", "verification", message, "status");
}
