import { requireOwnProof } from "../../access/principal.js";
import { requireScopes } from "../../access/require-scopes.js";
import { hashKey, listHashes } from "../../access/secrets/api-key.js";
import { generateToken, isToken } from "../../access/secrets/token.js";
import { write } from "../../data/database/transaction.js";
import { lockRequest } from "../../data/verification/write-requests.js";
import {
  type AcceptableRequest,
  bindVerifier,
  findRequestOfLink,
  setVerifierLink,
  type VerifierLink,
} from "../../data/verification/write-verifiers.js";
import { ActionError } from "../action-error.js";
import {
  type ActorContext,
  type PersonContext,
  requireConfirmedAddress,
  requireConfirmedVerifier,
} from "../actor-context.js";
import { queueLinkMail } from "../notifications/link-mail.js";
import { requireDelivery } from "../notifications/machine-links.js";
import { notifyOfAcceptance } from "./notify-parties.js";
import { runStep, type StepContext, type StepRequest } from "./take-step.js";

const LIFETIME_MS = 30 * 24 * 60 * 60_000;

/** A request with the link for its verifier. The link cannot be read again. */
export interface RequestWithLink {
  readonly id: string;
  /** Null for a service account, whose links are delivered by e-mail alone. */
  readonly link: string | null;
}

interface CreatedLink {
  readonly link: string | null;
  /** The stored form of the link. */
  readonly stored: VerifierLink;
  /** Queues the e-mail with the link to the address of a request, if the gateway sends e-mails. */
  mail(context: StepContext): Promise<void>;
}

/**
 * Creates a link that works for 30 days. Throws EMAIL_NOT_CONFIRMED, because the link is mailed to a stranger, and
 * FORBIDDEN for a caller who cannot read records. For a service account, `mail` throws as `requireDelivery` does.
 */
export function createLink(caller: ActorContext): CreatedLink {
  requireConfirmedAddress(caller);
  const { resources, principal, request, now } = caller;
  // The verifier will read records.
  requireScopes(principal, [["read:emissions"]]);
  const token = generateToken("verifier");
  const expiresAt = new Date(now.getTime() + LIFETIME_MS);
  return {
    link: principal.serviceAccount ? null : resources.site.link("verify", token),
    stored: { hash: hashKey(token, resources.pepper), expiresAt },
    async mail({ sql, organizationId, request: { verifierEmail: email } }) {
      const isQueued = await queueLinkMail(resources, sql, {
        kind: "verifier",
        token,
        email,
        userId: principal.person?.user.id ?? null,
        organizationId,
        address: request.address(),
        now,
      });
      requireDelivery(caller, isQueued);
    },
  };
}

/**
 * Creates a new link for the verifier, which replaces the previous one. Throws the errors of `runStep` and
 * `createLink`, and CONFLICT once somebody has accepted the request.
 */
export function createVerifierLink(caller: ActorContext, step: StepRequest): Promise<RequestWithLink> {
  const { link, stored, mail } = createLink(caller);
  return runStep(caller, "createLink", step, async (context) => {
    const { sql, organizationId, request } = context;
    if (request.verifierId !== null) {
      const message = request.isVerifierConfirmed
        ? "The request has a confirmed verifier. To change the verifier, withdraw the request and draft a new one."
        : "Somebody has accepted the request. Reject them before you create a new link.";
      throw new ActionError("CONFLICT", "verification", message, "verifier");
    }
    await setVerifierLink(sql, organizationId, request.id, stored);
    await mail(context);
    return { id: request.id, link };
  });
}

/**
 * Binds a request to the user, who is the first to open its link. Throws EMAIL_NOT_CONFIRMED, and
 * REAUTHENTICATION_REQUIRED as `requireOwnProof` does. Throws the same NOT_FOUND for a link that is unknown, used,
 * replaced or expired, and VALIDATION_FAILED for a current or former member of the organization.
 */
export async function acceptRequest(caller: PersonContext, token: string): Promise<AcceptableRequest> {
  const { database, peppers, noteChange } = caller.resources;
  requireConfirmedVerifier(caller.person);
  const hashes = listHashes(token, peppers);
  const request = isToken("verifier", token) ? await findRequestOfLink(database, hashes, caller.now) : null;
  if (!request) throw noSuchLink();
  requireOwnProof(caller.person.session, caller.now);
  await bind(caller, request, hashes);
  noteChange({ table: null, organizationId: request.organizationId });
  return request;
}

const noSuchLink = () =>
  new ActionError(
    "NOT_FOUND",
    "verification",
    "There is no such link: it was used or replaced, or it has expired. Ask the organization for a new one.",
  );

/** Binds a request to the user. Throws NOT_FOUND if its link was used in the meantime. */
function bind(
  { resources, person, writer, now }: PersonContext,
  request: AcceptableRequest,
  hashes: readonly string[],
): Promise<void> {
  const { requestId, organizationId } = request;
  const verifier = { userId: person.user.id, organizationId: writer.organizationId };
  return write(
    resources.database,
    { ...writer, organizationId },
    async (sql) => {
      const locked = await lockRequest(sql, organizationId, requestId);
      if (!locked || !(await bindVerifier(sql, request, hashes, verifier, now))) throw noSuchLink();
      await notifyOfAcceptance({ sql, organizationId, request: locked }, now);
    },
    "verification_request.accepted",
  );
}
