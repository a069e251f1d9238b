/** Reasons for which a sign-in by a provider is refused, each with the sentence that its person sees. */
const SENTENCES = {
  state:
    "The sign-in was not begun in this browser, was used before, or took longer than 10 minutes. Begin again.",
  issuer: "The answer is from another provider than the one that was asked.",
  audience: "The provider's answer is for another application.",
  authorized_party: "The provider issued its answer to another application.",
  nonce: "The provider's answer belongs to another sign-in. Begin again.",
  signature: "The signature of the provider's answer is wrong.",
  expired: "The provider's answer has expired, or its clock is wrong.",
  code: "The provider did not accept the code of this sign-in. Begin again.",
  email_missing: "The provider did not send your e-mail address.",
  email_unverified: "The provider has not verified your e-mail address.",
  domain_not_proven: "Your organization has not proven the domain of your e-mail address.",
  account_unconfirmed:
    "There is an account with your e-mail address, which nobody has confirmed. Reset its password, then sign in with your organization.",
  identity_conflict: "Your account belongs to somebody else at the provider.",
  disabled: "Your account is disabled.",
  not_provisioned: "Your organization has not added you yet.",
  provider_error: "The provider refused the sign-in.",
  provider_unreachable: "The provider cannot be reached. Try again later.",
} as const;

export type RefusalReason = keyof typeof SENTENCES;

/** Name of the cookie with the reason of a refusal. The address of the page that shows it has the request's id alone. */
export const REASON_COOKIE = "__Host-cgw_sso_refused";

/** Returns the sentence of a reason; undefined for any other text. */
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

/** Returns `error` as a refusal with its reason, or `otherwise` as the reason of anything else. */
export const asRefusal = (error: unknown, otherwise: RefusalReason): SsoRefusal =>
  error instanceof SsoRefusal ? error : new SsoRefusal(otherwise, error);
