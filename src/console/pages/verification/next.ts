import type { Request } from "./read-requests.js";

/** What can be done with a request now, and by whom. */
export function describeNext({ status, organizationName, verifier }: Request): string {
  const reviewer = verifier.name ?? verifier.email;
  const admin = `An admin of ${organizationName}`;
  switch (status) {
    case "DRAFT":
      return `${admin} submits it, which locks its records, or withdraws it. ${reviewer} does not see it yet.`;
    case "SUBMITTED":
      return `${reviewer} starts the review. ${admin} can withdraw it.`;
    case "IN_REVIEW":
      return `${reviewer} asks for changes or decides. ${admin} can withdraw it.`;
    case "CHANGES_REQUESTED":
      return `Its records can be changed. ${admin} then submits it again, or withdraws it.`;
    case "VERIFIED":
      return `It is decided, and its records stay as they are. ${admin} can reopen it.`;
    case "REJECTED":
      return "It is decided, and its records can be changed. Another request can ask for them again.";
    case "WITHDRAWN":
      return "It ends here, and its records can be changed. Another request can ask for them again.";
  }
}
