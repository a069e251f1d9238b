import { randomUUID } from "node:crypto";
import { write } from "../../data/database/transaction.js";
import { insertOrganizationWithOwner } from "../../data/organizations/insert-with-owner.js";
import { insertUser } from "../../data/people/write-users.js";
import { asQueryable } from "../../data/sso/enforcement.js";
import { findPasswordFault } from "../../domain/people/password-rules.js";
import { makeSlug } from "../../domain/texts/slug.js";
import { mailNewLink } from "../notifications/mailed-links.js";
import { beginSession, type SignedIn } from "../sessions/begin-session.js";
import { requireFreeAddress } from "../sso/enforcement-checks.js";
import { fieldConflict, requireNoFaults, requireRegistration } from "./account-errors.js";
import { type AccountsContext, type ClientInfo, guessOf, type Transport, writerOf } from "./context.js";

export interface RegisterRequest {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  /** By default, the slug is derived from the name. */
  readonly organization: { readonly name: string; readonly slug?: string | undefined };
  readonly transport: Transport;
}

/** Registers a user as the owner of a new organization, if registration is open. */
export async function register(
  context: AccountsContext,
  { email, password, name, organization, transport }: RegisterRequest,
  client: ClientInfo,
): Promise<SignedIn> {
  const { resources, passwords, countRegistration } = context;
  const { request } = client;
  requireRegistration(context.registration, "open");
  requireNoFaults({ password: findPasswordFault(password, { email, organization: organization.name }) });
  await countRegistration(request.address());
  await requireFreeAddress(asQueryable(resources.database), email);
  const passwordHash = await passwords.hash(password, guessOf(client, email, null));
  const user = { id: randomUUID(), email, name, passwordHash };
  const id = randomUUID();
  return write(resources.database, writerOf(user, client, id), async (sql) => {
    const createdAt = await insertUser(sql, user, request.now);
    if (createdAt === null)
      throw fieldConflict("email", "An account with this e-mail address already exists.");
    const derived = makeSlug(organization.name);
    const slugs = organization.slug ? [organization.slug] : [derived, `${derived}-${id.slice(0, 8)}`];
    for (const slug of slugs) {
      const founded = { id, slug, name: organization.name };
      if (!(await insertOrganizationWithOwner(sql, founded, user.id))) continue;
      const { now } = request;
      const link = { userId: user.id, kind: "confirm", email, address: request.address(), now } as const;
      await mailNewLink(resources, sql, link);
      return beginSession(context, sql, client, { ...user, createdAt }, { transport, active: founded });
    }
    throw fieldConflict(
      "organization.slug",
      `An organization with the slug ${slugs[0]} already exists. Choose another one.`,
    );
  });
}
