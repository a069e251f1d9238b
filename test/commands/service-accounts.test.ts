import { beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../support/run-command.js";
import { learnKeys } from "../support/secrets.js";
import { makeOrganization } from "../support/server.js";
import { useCommandDatabase } from "../support/use.js";

describe("gateway service-accounts, as a process", () => {
  let acme: string;
  const commands = useCommandDatabase();
  beforeAll(async () => {
    acme = await commands.use(makeOrganization);
  });

  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(["service-accounts", ...args], { env: commands.env });
    learnKeys(stdout);
    return { code, stdout, stderr };
  };
  const read = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, "--json");
    expect([code, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  };

  it("creates, updates, rotates, lists and revokes an account, with the command as the actor", async () => {
    const settings = ["--organization", acme, "--name", "ERP", "--role", "editor"];
    const created = await read("create", ...settings, "--scope", "read:market", "write:market");
    expect(created).toMatchObject({
      token: expect.stringMatching(/^cgw_svc_\w{38}$/),
      name: "ERP",
      scopes: ["read:market", "write:market"],
      status: "active",
    });
    expect(await read("update", created.id, "--role", "viewer")).toMatchObject({ scopes: ["read:market"] });
    const { stdout: token } = await run("rotate", created.id, "--overlap", "24", "--quiet");
    expect(token).toMatch(/^cgw_svc_\w{38}\n$/);
    const [listed] = await read("list", "--organization", acme);
    expect(listed).toMatchObject({ id: created.id, tokens: [{}, {}] });
    expect(JSON.stringify(listed)).not.toContain(token.trim());
    expect(await read("revoke", created.id)).toMatchObject({ status: "revoked", tokens: [] });
    const again = await run("rotate", created.id);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is revoked: create a new one")]);

    const entries = await commands.use(({ select }) =>
      select<{ action: string; actor: string }>(
        `SELECT action, actor_id AS actor FROM audit_entries WHERE target_type = 'service_account' ORDER BY seq`,
        [],
      ),
    );
    expect(entries).toEqual(
      [
        ["created", "create"],
        ["updated", "update"],
        ["rotated", "rotate"],
        ["revoked", "revoke"],
      ].map(([verb, command]) => ({
        action: `service_account.${verb}`,
        actor: `service-accounts ${command}`,
      })),
    );
  });

  it("reports a scope outside the role", async () => {
    const { code, stderr } = await run(
      "create",
      "--organization",
      acme,
      "--name",
      "ERP",
      "--role",
      "viewer",
      "--scope",
      "write:market",
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("--scopes must be one or more scopes of the role viewer"),
    ]);
  });
});
