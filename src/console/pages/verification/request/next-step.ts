import type { Request } from "../read-requests.js";

/** Describes the next step of a request and who takes it. */
export function describeNext({ status, organizationName, verifier, isAssigned }: Request): string {
  const admin = `an admin of ${organizationName}`;
  const reviewer = isAssigned ? "you" : (verifier.name ?? verifier.email);
  if (!isAssigned && (status === "SUBMITTED" || status === "CHANGES_REQUESTED")) {
    if (verifier.acceptedAt === null) return "Waiting for the verifier to open the link you sent them.";
    if (verifier.confirmedAt === null) return `Waiting for ${admin} to confirm or reject ${reviewer}.`;
  }
  switch (status) {
    case "DRAFT":
      return `Waiting for ${admin} to submit it.`;
    case "SUBMITTED":
      return `Waiting for ${reviewer} to start the review. Until a decision, ${admin} can withdraw the request.`;
    case "IN_REVIEW":
      return `Waiting for ${reviewer} to request changes or decide. Until then, ${admin} can withdraw the request.`;
    case "CHANGES_REQUESTED":
      return `Waiting for ${admin} to correct the records and submit the request again, or to withdraw it.`;
    case "VERIFIED":
      return `Decided. The records stay locked unless ${admin} reopens the request.`;
    case "REJECTED":
      return "Decided. The records are unlocked. A new request can cover them.";
    case "WITHDRAWN":
      return "Withdrawn. The records are unlocked. A new request can cover them.";
  }
}
