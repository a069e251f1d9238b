export const VERIFICATION_STATUSES = [
  "draft",
  "submitted",
  "in_review",
  "changes_requested",
  "verified",
  "rejected",
  "withdrawn",
] as const;
/** State of a verification request. */
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number];

export const ASSURANCE_LEVELS = ["limited", "reasonable"] as const;
/** Level of assurance of a verification. */
export type AssuranceLevel = (typeof ASSURANCE_LEVELS)[number];

export const OPINIONS = ["unmodified", "modified", "adverse", "disclaimed"] as const;
/** A verifier's conclusion. */
export type Opinion = (typeof OPINIONS)[number];

export const FINDING_SEVERITIES = ["low", "medium", "high"] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

export const CERTIFICATE_STATUSES = ["valid", "superseded", "revoked"] as const;
/** Validity of a certificate. */
export type CertificateStatus = (typeof CERTIFICATE_STATUSES)[number];

export const VERIFICATION_PARTIES = ["organization", "verifier"] as const;
/** The party that changed a request's state. */
export type VerificationParty = (typeof VERIFICATION_PARTIES)[number];

interface Step {
  readonly by: VerificationParty;
  readonly from: readonly VerificationStatus[];
  /** Past participle of the step, for error messages. */
  readonly done: string;
}

/** Steps of a request, each with the party that takes it and the states that allow it. */
export const STEPS = {
  submit: { by: "organization", from: ["draft"], done: "submitted" },
  resubmit: { by: "organization", from: ["changes_requested"], done: "submitted again" },
  withdraw: {
    by: "organization",
    from: ["draft", "submitted", "in_review", "changes_requested"],
    done: "withdrawn",
  },
  reopen: { by: "organization", from: ["verified"], done: "opened again" },
  createLink: { by: "organization", from: ["submitted", "changes_requested"], done: "given a verifier" },
  confirmVerifier: { by: "organization", from: ["submitted", "changes_requested"], done: "given a verifier" },
  rejectVerifier: { by: "organization", from: ["submitted", "changes_requested"], done: "given a verifier" },
  start: { by: "verifier", from: ["submitted"], done: "reviewed" },
  requestChanges: { by: "verifier", from: ["in_review"], done: "sent back for changes" },
  decide: { by: "verifier", from: ["in_review"], done: "decided" },
} as const satisfies Record<string, Step>;
export type StepName = keyof typeof STEPS;

/** States in which a request's records are locked. */
export const LOCKING: ReadonlySet<VerificationStatus> = new Set(["submitted", "in_review", "verified"]);

/** States in which a verifier can read a request's records. */
export const OPEN_TO_VERIFIER: ReadonlySet<VerificationStatus> = new Set([
  "submitted",
  "in_review",
  "changes_requested",
]);

/** Returns why a state does not allow a step; null if it does. */
export function findStepFault(step: StepName, status: VerificationStatus): string | null {
  const { from, done }: Step = STEPS[step];
  if (from.includes(status)) return null;
  return `The request is ${status.replaceAll("_", " ")}. It can be ${done} only while it is ${from
    .map((allowed) => allowed.replaceAll("_", " "))
    .join(" or ")}.`;
}
