import { verifyTrail } from "../../src/actions/audit-trail.js";
import { findOrganization } from "../../src/data/organizations/organizations.js";
import { ROLES, type Role } from "../../src/domain/people/roles.js";
import { listChain } from "../support/audit.js";
import { addMember, type TestPerson } from "../support/people.js";
import { NOW } from "../support/server.js";
import type { FuzzedGateway } from "./gateway.js";

/** Kinds of callers: an API key, members of every role, and no credential. */
export const CALLERS = ["key", ...ROLES, "nobody"] as const;
export type CallerKind = (typeof CALLERS)[number];

export interface Callers {
  /** Ids of users, sessions, keys and invitations of both tenants. */
  readonly ids: readonly string[];
  /** E-mail addresses of both tenants. */
  readonly emails: readonly string[];
  /** Returns the header with a caller's credential; empty for nobody. Replaces removed members. */
  credentialOf(kind: CallerKind): Promise<string>;
  /** Throws unless the audit trail is intact, and nothing was written for the other tenant. */
  requireOwnTrail(): Promise<void>;
}

/** Adds users, a key and an invitation to both tenants of a gateway. */
export async function addCallers(gateway: FuzzedGateway): Promise<Callers> {
  const { database, ownSlug, otherSlug } = gateway;
  const found = { ids: new Set<string>(), emails: new Set<string>() };
  const people = new Map<Role, TestPerson>();
  const add = async (slug: string, role: Role) => {
    const person = await addMember(gateway, slug, role, slug === otherSlug ? { name: otherSlug } : {});
    for (const id of [person.user.id, person.session.id]) found.ids.add(id);
    found.emails.add(person.user.email);
    return person;
  };
  for (const slug of [ownSlug, otherSlug]) {
    const owner = await add(slug, "owner");
    const invited = { email: `guest@${slug}.example`, role: "viewer" };
    for (const [path, json] of [
      ["/v1/invitations", invited],
      ["/v1/api-keys", { name: slug, scopes: ["read:market"], tier: "free" }],
    ] as const) {
      const { body } = await owner.call(path, { json });
      found.ids.add((body.data as { id: string }).id);
    }
  }
  for (const role of ROLES) people.set(role, await add(ownSlug, role));

  const isHere = async (role: Role, { user, session, organization }: TestPerson) => {
    const { prisma } = database;
    const [living, member] = await Promise.all([
      prisma.session.count({ where: { id: session.id, revokedAt: null } }),
      prisma.membership.count({ where: { userId: user.id, organizationId: organization.id, role } }),
    ]);
    return living + member === 2;
  };
  const otherId = (await findOrganization(database, otherSlug))?.id ?? "";
  const before = (await listChain(database, otherId)).length;
  return {
    ids: [...found.ids],
    emails: [...found.emails],
    async credentialOf(kind) {
      if (kind === "nobody") return "";
      if (kind === "key") return `X-API-Key: ${await gateway.key()}`;
      const known = people.get(kind);
      const person =
        known && (await isHere(kind, known)) ? known : await addMember(gateway, ownSlug, kind, { now: NOW });
      people.set(kind, person);
      return `Authorization: Bearer ${person.session.token}`;
    },
    async requireOwnTrail() {
      const { ok, chains } = await verifyTrail(database, {});
      if (!ok) throw new Error(`the audit trail is broken: ${JSON.stringify(chains)}`);
      const written = (await listChain(database, otherId)).slice(before);
      // The other tenant's own keys are created by a command.
      const more = written.filter(({ actorType }) => actorType !== "command");
      if (more.length > 0) throw new Error(`it wrote for another tenant: ${JSON.stringify(more)}`);
    },
  };
}
