import type { Request } from "../read-requests.js";

/** Describes the next step of a request, and who takes it. */
export function describeNext({ status, organizationName, verifier, isAssigned }: Request): string {
  const admin = `an admin of ${organizationName}`;
  const reviewer = isAssigned ? "you" : (verifier.name ?? verifier.email);
  if (!isAssigned && (status === "SUBMITTED" || status === "CHANGES_REQUESTED")) {
    if (verifier.acceptedAt === null) return "Waits for the verifier to open the link that you send them.";
    if (verifier.confirmedAt === null) return `Waits for ${admin} to confirm or reject ${reviewer}.`;
  }
  switch (status) {
    case "DRAFT":
      return `Waits for ${admin} to submit it.`;
    case "SUBMITTED":
      return `Waits for ${reviewer} to start the review. Until it is decided, ${admin} can withdraw it.`;
    case "IN_REVIEW":
      return `Waits for ${reviewer} to request changes or to decide. Until then, ${admin} can withdraw it.`;
    case "CHANGES_REQUESTED":
      return `Waits for ${admin} to submit it again, once the records are changed, or to withdraw it.`;
    case "VERIFIED":
      return `Decided. The records stay locked unless ${admin} reopens it.`;
    case "REJECTED":
      return "Decided. The records can be changed; another request can ask to have them verified.";
    case "WITHDRAWN":
      return "Ended. The records can be changed; another request can ask to have them verified.";
  }
}
