import { beforeAll, describe, expect, it } from "vitest";
import { useCommands } from "../support/commands.js";
import { learnKeys } from "../support/secrets.js";
import { makeOrganization } from "../support/server.js";

describe("gateway service-accounts", () => {
  const { database, run, json, ends } = useCommands("service-accounts");
  let acme: string;
  beforeAll(async () => {
    acme = await database.use(makeOrganization);
  });

  it("creates, updates, rotates, lists and revokes an account, with the command as the actor", async () => {
    const scopes = "--role editor --scope read:market write:market";
    const created = await json(`create --organization ${acme} --name ERP ${scopes}`);
    expect(created).toMatchObject({
      token: expect.stringMatching(/^cgw_svc_\w{38}$/),
      name: "ERP",
      scopes: ["read:market", "write:market"],
      status: "active",
    });
    expect(await json(`update ${created.id} --role viewer`)).toMatchObject({ scopes: ["read:market"] });
    const { stdout: token } = await run(`rotate ${created.id} --overlap 24 --quiet`);
    learnKeys(token);
    expect(token).toMatch(/^cgw_svc_\w{38}\n$/);
    const [listed] = await json(`list --organization ${acme}`);
    expect(listed).toMatchObject({ id: created.id, tokens: [{}, {}] });
    expect(JSON.stringify(listed)).not.toContain(token.trim());
    expect(await json(`revoke ${created.id}`)).toMatchObject({ status: "revoked", tokens: [] });
    await ends(`rotate ${created.id}`, 1, "is revoked: create a new one");

    const entries = await database.use(({ select }) =>
      select<{ text: string }>(
        `SELECT action || ' by ' || actor_id AS text FROM audit_entries WHERE target_type = 'service_account' ORDER BY seq`,
        [],
      ),
    );
    expect(entries.map(({ text }) => text)).toEqual([
      "service_account.created by service-accounts create",
      "service_account.updated by service-accounts update",
      "service_account.rotated by service-accounts rotate",
      "service_account.revoked by service-accounts revoke",
    ]);
  });

  it("reports a scope outside the role", () =>
    ends(
      `create --organization ${acme} --name ERP --role viewer --scope write:market`,
      2,
      "--scopes must be one or more scopes of the role viewer",
    ));
});
