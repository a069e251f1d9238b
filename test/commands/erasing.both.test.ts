import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eraseUser } from "../../src/actions/leaving/erase-user.js";
import { createOrganization, removeOrganization } from "../../src/actions/people/organizations.js";
import { verifyChain } from "../../src/data/audit/verify-chain.js";
import { countMentions } from "../../src/data/people/erase-account.js";
import { addRecord } from "../support/fixtures.js";
import { runSql, selectColumn } from "../support/graph-fixtures.js";
import { list } from "../support/list.js";
import { addApp, addMember, signUp } from "../support/people.js";
import { addPersonalRows } from "../support/personal-rows.js";
import { makeKey, NOW } from "../support/server.js";
import { fillTables } from "../support/table-rows.js";
import { useGateway } from "../support/use.js";
import { draft, prepareVerification, verify } from "../support/verification.js";

const gateway = useGateway();

const yes = async () => undefined;
const mentions = (...texts: string[]) => gateway.database.transaction((sql) => countMentions(sql, texts));

/** Columns with the name or the address of a person with a row everywhere. */
const MENTIONS = list(`
  chat_messages.said compliance_deadlines.owner directory_users.external_id
  directory_users.family_name directory_users.user_name idempotency_keys.body identities.subject
  invitations.email mail_jobs.email mail_links.email notification_preferences.email_address
  notification_preferences.webhook_url notifications.body passkeys.name users.email users.name
`);

/** Rows with a verifier's name: a signed certificate, and the entry of the trail that it was issued. */
const SIGNED = { "audit_entries.entry": 1, "certificates.statement": 1 };

/** Creates an organization with an owner, an admin, a verifier and rows in every table. `mark` is in people's names. */
async function makeFull(slug: string, name: string, mark: string) {
  const { database } = gateway;
  const { id } = await createOrganization(database, { slug, name });
  const owner = await signUp(gateway, { organization: slug });
  const ada = await addMember(gateway, slug, "admin", {
    email: `Ada.${mark}@Example.org`,
    name: `Ada "${mark}" O'Lovelace`,
  });
  const vera = await signUp(gateway, { email: `vera.${mark}@example.org`, name: `Vera ${mark}` });
  for (const recordedOn of ["2025-01-01", "2025-12-31"]) await addRecord(database, slug, { recordedOn });
  await verify(ada, vera);
  const key = await makeKey(database, slug);
  await database.prisma.apiKeyUsage.create({ data: { keyId: key.id, hour: NOW, requests: 1 } });
  await addApp(gateway, ada);
  await runSql(
    database,
    `INSERT INTO inventory_issues (organization_id, year, issue, basis, reasons, statement, digest, issued_by, issued_at)
     SELECT $1::uuid, 2025, 1, 'reported', '{}', '{}', repeat('0', 64), $2::uuid, now()`,
    id,
    ada.user.id,
  );
  await fillTables(database, id);
  await addPersonalRows(database, { organizationId: id, user: ada.user, other: owner.user });
  return { id, owner, ada, vera };
}

describe("organizations delete", () => {
  it("leaves nothing of an organization but its trail, the history of its keys and the order of its changes", async () => {
    const { id } = await makeFull("gone-steel", "Gone Steel Ltd", "one");
    const tables = await selectColumn(
      gateway.database,
      `SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name = 'organization_id'`,
    );
    const full = Object.keys(await mentions(id));
    // The first has rows within transactions only, and the second for deleted rows only.
    expect(tables.filter((table) => !full.includes(`${table}.organization_id`))).toEqual([
      "audit_pending",
      "removed_rows",
    ]);
    await removeOrganization(gateway.database, "gone-steel", yes);
    expect(Object.keys(await mentions(id, "gone-steel", "Gone Steel")).sort()).toEqual(
      list(`
      audit_entries.entry audit_entries.organization_id audit_entries.target_id audit_heads.chain
      change_sets.organization_id key_events.organization key_events.organization_id
    `),
    );
    expect(await verifyChain(gateway.database, id)).toMatchObject({ ok: true });
  });
});

describe("users erase", () => {
  it("takes an invited verifier off a request, unless the person gets an account meanwhile", async () => {
    const { ada } = await prepareVerification(gateway);
    const invite = async () => {
      const email = `${randomUUID()}@example.org`;
      return { email, request: await draft(ada, { user: { ...ada.user, email } }) };
    };
    const { email, request } = await invite();
    expect(request.status).toBe(201);
    expect(Object.keys(await mentions(email))).toEqual(
      expect.arrayContaining(["verification_requests.verifier_email"]),
    );
    expect(await eraseUser(gateway.database, email, NOW, yes)).toEqual({ id: null, mentions: {} });
    const late = await invite();
    const register = async () => void (await signUp(gateway, { email: late.email }));
    await expect(eraseUser(gateway.database, late.email, NOW, register)).rejects.toThrow(
      `${late.email} has an account now. Run the command again.`,
    );
  });

  it("removes the name and the address from every column but signed statements, and keeps the chain", async () => {
    const { id, owner, ada, vera } = await makeFull("kept-steel", "Kept Steel Ltd", "two");
    const { id: userId, email, name } = ada.user;
    expect(Object.keys(await mentions(email, name)).sort()).toEqual(MENTIONS);
    expect(await eraseUser(gateway.database, email.toUpperCase(), NOW, yes)).toEqual({
      id: userId,
      mentions: {},
    });
    // The id stays where it says who did something.
    expect(Object.keys(await mentions(userId)).sort()).toEqual(
      list(`
      audit_entries.actor_id audit_entries.entry audit_entries.target_id inventory_issues.issued_by
      member_history.user_id sso_events.target_id users.email users.id
    `),
    );
    expect((await ada.call("/v1/auth/me")).status).toBe(401);

    const erase = () => eraseUser(gateway.database, vera.user.email, NOW, yes);
    const { slug } = vera.organization;
    await expect(erase()).rejects.toThrow(
      `${vera.user.email} is the last owner of ${slug}. First make someone else an owner (users create --organization ${slug} --role owner), or delete the organization.`,
    );
    await addMember(gateway, slug, "owner");
    expect(await erase()).toEqual({ id: vera.user.id, mentions: SIGNED });
    await runSql(
      gateway.database,
      "UPDATE sso_connections SET enabled_at = now(), enforced_at = now(), break_glass = ARRAY[$2::uuid] WHERE organization_id = $1::uuid",
      id,
      owner.user.id,
    );
    await expect(eraseUser(gateway.database, owner.user.email, NOW, yes)).rejects.toThrow(
      `${owner.user.email} is a break-glass owner of kept-steel.`,
    );
    for (const chain of [id, null])
      expect(await verifyChain(gateway.database, chain)).toMatchObject({ ok: true });
  });
});
