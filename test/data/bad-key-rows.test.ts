import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeKey } from "../../src/actions/keys/change-key.js";
import { listKeys } from "../../src/actions/keys/list-keys.js";
import { revokeKeyById } from "../../src/actions/keys/revoke-key.js";
import { rotateKey } from "../../src/actions/keys/rotate-key.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";

let database: TestDatabase;
let gateway: Gateway;
beforeAll(async () => {
  database = await openTestDatabase();
  gateway = await startGateway({ database });
});
afterAll(async () => {
  await gateway.stop();
  await database.close();
});

const context = () => ({ database, pepper: undefined, now: NOW });

/** Writes a value that the checks refuse into a key's row, as if the row were older than the checks. */
async function spoil(id: string, column: string, value: string) {
  const [check] = await database.select<{ definition: string }>(
    "SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = $1",
    [`api_keys_${column}_range`],
  );
  await database.transaction(({ script }) =>
    script(`ALTER TABLE api_keys DROP CONSTRAINT api_keys_${column}_range;
      UPDATE api_keys SET ${column} = '${value}' WHERE id = '${id}';
      ALTER TABLE api_keys ADD CONSTRAINT api_keys_${column}_range ${check?.definition}`),
  );
}

describe("a key whose row is older than the checks", () => {
  it.each([
    ["last_used_at", "infinity", 200, "active"],
    ["last_used_at", "-infinity", 200, "active"],
    ["last_used_at", "20000-01-01 00:00:00Z", 200, "active"],
    ["created_at", "infinity", 200, "active"],
    ["expires_at", "infinity", 200, "active"],
    ["expires_at", "-infinity", 401, "expired"],
    ["revoked_at", "infinity", 401, "revoked"],
  ])(
    "is accepted or refused, listed and revoked like any other: %s %s",
    async (column, value, status, state) => {
      const slug = await makeOrganization(database);
      const { key, id } = await makeKey(database, slug);
      const { id: sound } = await makeKey(database, slug);
      await spoil(id, column, value);
      expect((await gateway.rest("/market", key)).status).toBe(status);
      const states = async () =>
        Object.fromEntries((await listKeys(context(), slug)).map((row) => [row.id, row.status]));
      expect(await states()).toEqual({ [id]: state, [sound]: "active" });
      expect((await revokeKeyById(context(), id)).status).toBe("revoked");
      expect((await gateway.rest("/market", key)).status).toBe(401);
    },
  );

  it("can be replaced", async () => {
    const slug = await makeOrganization(database);
    const { id } = await makeKey(database, slug);
    await spoil(id, "expires_at", "infinity");
    const { key } = await rotateKey(context(), id, 1);
    expect((await gateway.rest("/market", key)).status).toBe(200);
  });

  it("prevents no other key from being used or changed", async () => {
    const slug = await makeOrganization(database);
    const [bad, good] = [await makeKey(database, slug), await makeKey(database, slug)];
    await spoil(bad.id, "expires_at", "infinity");
    // In one turn of the event loop, so that one statement records both uses.
    await Promise.all([bad, good].map(({ key }) => gateway.rest("/market", key)));
    const lastUse = async () =>
      (await listKeys(context(), slug)).find(({ id }) => id === good.id)?.lastUsedAt;
    await expect.poll(lastUse).toEqual(NOW);
    expect((await changeKey(context(), good.id, { name: "x" })).name).toBe("x");
  });

  it("has its last use recorded once it is used again", async () => {
    const slug = await makeOrganization(database);
    const { key, id } = await makeKey(database, slug);
    await spoil(id, "last_used_at", "infinity");
    await gateway.rest("/market", key);
    await expect.poll(async () => (await listKeys(context(), slug))[0]?.lastUsedAt).toEqual(NOW);
  });
});
