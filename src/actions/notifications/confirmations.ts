import type { Resources } from "../../access/context.js";
import { hashKey } from "../../access/secrets/api-key.js";
import { generateToken } from "../../access/secrets/token.js";
import type { SqlSession } from "../../data/database/types.js";
import { insertMailLink, type NewMailLink } from "../../data/people/mail-links.js";
import { queueLinkMail } from "./link-mail.js";

/** Lifetime of a link that confirms an address. */
const LIFETIME_MS = 24 * 3_600_000;

/**
 * Queues an e-mail with a link that confirms an address. After too many e-mails, queues none, and the previous link
 * still works.
 */
export async function sendConfirmation(
  resources: Pick<Resources, "outbound" | "pepper">,
  sql: SqlSession,
  { userId, kind, email, now }: Pick<NewMailLink, "userId" | "kind" | "email"> & { readonly now: Date },
): Promise<void> {
  const token = generateToken("confirmation");
  const mail = { kind: "confirm", email, token, userId, organizationId: null, now } as const;
  if (!(await queueLinkMail(resources, sql, mail))) return;
  const tokenHash = hashKey(token, resources.pepper);
  await insertMailLink(sql, {
    userId,
    kind,
    email,
    tokenHash,
    expiresAt: new Date(now.getTime() + LIFETIME_MS),
  });
}
