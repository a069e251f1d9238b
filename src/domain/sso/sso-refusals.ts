/** Reasons for refusing a single sign-on, each with the sentence that the user sees. */
const SENTENCES = {
  state:
    "The sign-in was started in another browser, already used, or took longer than 10 minutes. Sign in again.",
  issuer: "The response came from an unexpected provider.",
  audience: "The provider's response is for another application.",
  authorized_party: "The provider issued its response to another application.",
  nonce: "The provider's response belongs to another sign-in. Sign in again.",
  signature: "The signature of the provider's response is invalid.",
  expired: "The provider's response has expired, or its clock is wrong.",
  code: "The provider rejected the code of this sign-in. Sign in again.",
  email_missing: "The provider did not send your e-mail address.",
  email_unverified: "The provider has not verified your e-mail address.",
  domain_not_proven: "Your organization has not proven the domain of your e-mail address.",
  account_unconfirmed:
    "An account with your e-mail address exists, but the address was never confirmed. Reset its password, then sign in with your organization.",
  identity_conflict: "Your account is linked to a different identity at the provider.",
  disabled: "Your account is disabled.",
  not_provisioned: "Your organization has not added you yet.",
  provider_error: "The provider refused the sign-in.",
  provider_unreachable: "The provider could not be reached. Try again later.",
} as const;

export type RefusalReason = keyof typeof SENTENCES;

/** Cookie with the reason for a refusal. The URL of the page that shows it contains only the request id. */
export const REASON_COOKIE = "__Host-cgw_sso_refused";

/** Returns the sentence for a reason; undefined for any other string. */
export const sentenceOf = (reason: string): string | undefined =>
  Object.hasOwn(SENTENCES, reason) ? SENTENCES[reason as RefusalReason] : undefined;

/** A sign-in that was refused. */
export class SsoRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, cause?: unknown) {
    super(SENTENCES[reason], { cause });
    this.name = "SsoRefusal";
    this.reason = reason;
  }
}

/** Returns `error` if it is a refusal, or else a refusal for the reason `otherwise`. */
export const asRefusal = (error: unknown, otherwise: RefusalReason): SsoRefusal =>
  error instanceof SsoRefusal ? error : new SsoRefusal(otherwise, error);
