import { type DocumentNode, Kind, visit } from "graphql";

/** Fields about the caller, and those whose rows the database does not announce. */
const UNSHARED = new Set([
  "rateLimit",
  "viewer",
  "members",
  "invitations",
  "auditLog",
  "monitoring",
  "apiKeys",
  "apiKey",
  "conversations",
  "conversation",
  "verificationRequests",
  "verificationRequest",
  "verificationAssignments",
  "verificationCertificates",
  "verificationCertificate",
  "activeAnnouncements",
  "announcements",
]);

const known = new WeakMap<DocumentNode, boolean>();

/** Whether a document's answer may be cached, and is the same for all callers of one organization with the same scopes. */
export function isShared(document: DocumentNode): boolean {
  let shared = known.get(document);
  if (shared === undefined) {
    const names: string[] = [];
    visit(document, { [Kind.FIELD]: ({ name }) => void names.push(name.value) });
    shared = !names.some((name) => UNSHARED.has(name));
    known.set(document, shared);
  }
  return shared;
}
