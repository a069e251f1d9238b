export const VERIFICATION_STATUSES = [
  "draft",
  "submitted",
  "in_review",
  "changes_requested",
  "verified",
  "rejected",
  "withdrawn",
] as const;
/** Where a verification request stands. */
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number];

export const ASSURANCE_LEVELS = ["limited", "reasonable"] as const;
/** How much assurance a verification gives. */
export type AssuranceLevel = (typeof ASSURANCE_LEVELS)[number];

export const OPINIONS = ["unmodified", "modified", "adverse", "disclaimed"] as const;
/** What a verifier concludes. */
export type Opinion = (typeof OPINIONS)[number];

export const FINDING_SEVERITIES = ["low", "medium", "high"] as const;
/** How serious a finding is. */
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

export const CERTIFICATE_STATUSES = ["valid", "superseded", "revoked"] as const;
/** Whether a certificate counts. */
export type CertificateStatus = (typeof CERTIFICATE_STATUSES)[number];

export const VERIFICATION_PARTIES = ["organization", "verifier"] as const;
/** Who changed a request's state. */
export type VerificationParty = (typeof VERIFICATION_PARTIES)[number];

interface Step {
  readonly by: VerificationParty;
  readonly from: readonly VerificationStatus[];
  /** What the step does to a request, as a refusal names it. */
  readonly done: string;
}

/** The steps of a request: who takes each, and in which states. */
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

/** The states in which a request's records are locked. */
export const LOCKING: ReadonlySet<VerificationStatus> = new Set(["submitted", "in_review", "verified"]);

/** The states in which a verifier reads a request's records. */
export const OPEN_TO_VERIFIER: ReadonlySet<VerificationStatus> = new Set([
  "submitted",
  "in_review",
  "changes_requested",
]);

/** Why a step is not allowed in a state; null if it is. */
export function faultOfStep(step: StepName, status: VerificationStatus): string | null {
  const { from, done }: Step = STEPS[step];
  if (from.includes(status)) return null;
  return `The request is ${status.replaceAll("_", " ")}. It can be ${done} only while it is ${from
    .map((allowed) => allowed.replaceAll("_", " "))
    .join(" or ")}.`;
}
