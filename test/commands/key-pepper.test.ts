import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fingerprintPepper, generateKey, hashKey, type Pepper } from "../../src/access/secrets/api-key.js";
import { findCertificateKeyId } from "../../src/access/secrets/certificate-key.js";
import { seal } from "../../src/access/secrets/sealing.js";
import { revokeKeyById } from "../../src/actions/keys/revoke-key.js";
import { rotateKey } from "../../src/actions/keys/rotate-key.js";
import { examine } from "../../src/commands/doctor/doctor.js";
import { addUser } from "../support/audit.js";
import { type CommandDatabase, makeCommandDatabase } from "../support/command-database.js";
import { runSql } from "../support/graph-fixtures.js";
import { runCommand } from "../support/run-command.js";
import {
  CERTIFICATE_KEY,
  type Gateway,
  makeKey,
  makeOrganization,
  NOW,
  startGateway,
} from "../support/server.js";
import { recordStatements } from "../support/statements.js";
import { useDatabase, useGateway } from "../support/use.js";

const OTHER_CERTIFICATE_KEY = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
const OLD = "the pepper of before";
const NEW = "the pepper from now on";

describe("a gateway with KEY_PEPPER_PREVIOUS", () => {
  let organization: string;
  const environments = {
    none: {},
    old: { KEY_PEPPER: OLD },
    both: { KEY_PEPPER: NEW, KEY_PEPPER_PREVIOUS: OLD },
    "new, none before": { KEY_PEPPER: NEW, KEY_PEPPER_PREVIOUS: "none" },
    new: { KEY_PEPPER: NEW },
  };
  const database = useDatabase();
  const gateways: Record<string, Gateway> = Object.fromEntries(
    Object.entries(environments).map(([name, env]) => [name, useGateway({ database, env })]),
  );
  beforeAll(async () => {
    organization = await makeOrganization(database);
  });

  const make = (pepper: Pepper, text = generateKey()) => makeKey(database, organization, { pepper, text });
  const ask = (name: string, key: string) => gateways[name]?.rest("/emissions", key);
  /** Returns the status of each gateway's answer: one if both surfaces agree, else both. */
  async function statuses(key: string): Promise<Record<string, number | number[]>> {
    const answers: Record<string, number | number[]> = {};
    for (const [name, { rest, graphql }] of Object.entries(gateways)) {
      const [first, second] = [
        await rest("/emissions", key),
        await graphql("{ organization { slug } }", key),
      ];
      answers[name] = first.status === second.status ? first.status : [first.status, second.status];
    }
    return answers;
  }

  it("accepts keys of both peppers, while one with a single pepper accepts only its own", async () => {
    const refused = { none: 401, old: 401, both: 401, "new, none before": 401, new: 401 };
    expect(await statuses((await make(OLD)).key)).toEqual({ ...refused, old: 200, both: 200 });
    expect(await statuses((await make(NEW)).key)).toEqual({
      ...refused,
      both: 200,
      "new, none before": 200,
      new: 200,
    });
    expect(await statuses((await make("a pepper of nobody")).key)).toEqual(refused);
  });

  it("accepts keys created without a pepper only if the current or the previous pepper is none", async () => {
    expect(await statuses((await make(undefined)).key)).toEqual({
      none: 200,
      old: 401,
      both: 401,
      "new, none before": 200,
      new: 401,
    });
  });

  it("looks up a key of either pepper in one statement, remembers it, and refuses it once revoked", async () => {
    for (const pepper of [OLD, NEW]) {
      const { id, key } = await make(pepper);
      const lookups = async () => {
        const { statements } = await recordStatements(async () => ask("both", key));
        return statements.filter(({ text }) => text.includes("k.hash")).length;
      };
      expect([await lookups(), await lookups()]).toEqual([1, 0]);
      expect((await ask("both", key))?.status).toBe(200);
      await revokeKeyById({ database, pepper: NEW, now: NOW }, id);
      await expect.poll(async () => (await ask("both", key))?.body.error?.message).toMatch(/revoked/);
    }
  });

  it("prefers the current pepper if the same key exists with both", async () => {
    const key = generateKey();
    const { id: old } = await make(OLD, key);
    const { id: fresh } = await make(NEW, key);
    await revokeKeyById({ database, pepper: NEW, now: NOW }, old);
    expect((await ask("both", key))?.status).toBe(200);
    await revokeKeyById({ database, pepper: NEW, now: NOW }, fresh);
    await expect.poll(async () => (await ask("both", key))?.status).toBe(401);
  });

  it("creates keys, including replacements, with the current pepper", async () => {
    const old = await make(OLD);
    const fresh = await rotateKey({ database, pepper: NEW, now: NOW }, old.id, 1);
    expect(await statuses(fresh.key)).toMatchObject({ old: 401, both: 200, new: 200 });
    expect(await statuses(old.key)).toMatchObject({ both: 200, new: 401 });
    const rows = await database.prisma.apiKey.findMany({ where: { id: { in: [old.id, fresh.id] } } });
    expect(Object.fromEntries(rows.map(({ id, hash, pepper }) => [id, [hash, pepper]]))).toEqual({
      [old.id]: [hashKey(old.key, OLD), fingerprintPepper(OLD)],
      [fresh.id]: [hashKey(fresh.key, NEW), fingerprintPepper(NEW)],
    });
  });
});

describe("the first key in production without a pepper", () => {
  it("comes with a warning", async () => {
    const commands = await makeCommandDatabase();
    onTestFinished(() => commands.close());
    const slug = await commands.use(makeOrganization);
    const line = `keys create --organization ${slug} --name n --tier free --scope read:market --quiet`;
    const create = (name: string) =>
      runCommand(line.replace("name n", `name ${name}`).split(" "), {
        env: { ...commands.env, NODE_ENV: "production" },
      });
    expect((await create("first")).stderr).toBe(
      "Warning: KEY_PEPPER is not set. If the gateways have one, they refuse what you create here.\n",
    );
    expect((await create("second")).stderr).toBe("");
  });
});

describe("a change of the pepper, by commands", () => {
  let commands: CommandDatabase;
  beforeAll(async () => {
    commands = await makeCommandDatabase();
  });
  afterAll(() => commands.close());

  const gateway = (args: string[], env: Record<string, string>) =>
    runCommand(args, { env: { ...commands.env, ...env } });
  const both = { KEY_PEPPER: NEW, KEY_PEPPER_PREVIOUS: OLD };
  const found = async (env: Record<string, string>) => {
    const { checks } = await examine({ ...commands.env, ...env }, () => new Date());
    return checks
      .filter(({ check }) => check === "key pepper")
      .map(({ status, message }) => [status, message] as const);
  };

  it("is tracked by doctor until nothing depends on the old pepper", async () => {
    const organization = await commands.use(makeOrganization);
    const options = [
      "--organization",
      organization,
      "--name",
      "n",
      "--tier",
      "free",
      "--scope",
      "read:market",
    ];
    const created = await gateway(["keys", "create", ...options, "--json"], { KEY_PEPPER: OLD });
    const old = JSON.parse(created.stdout) as { id: string; key: string };
    expect(await found({ KEY_PEPPER: OLD })).toEqual([]);

    expect(await found(both)).toEqual([
      ["warning", `1 key (${old.id}) was created with KEY_PEPPER_PREVIOUS.`],
    ]);
    expect(await found({ KEY_PEPPER: NEW })).toEqual([
      ["warning", `1 key (${old.id}) was created with a pepper that is not set here, so it is refused.`],
    ]);

    const another = await gateway(
      ["keys", "create", ...options.with(3, "other"), "--expires-at", "never", "--json"],
      { KEY_PEPPER: NEW },
    );
    expect(another.code).toBe(0);
    expect(another.stderr).toBe(
      `Warning: 1 key (${old.id}) was created with a pepper that is not set here, so it is refused. If the gateways have other peppers than this command, they refuse what you create here: set the same KEY_PEPPER and KEY_PEPPER_PREVIOUS.\n`,
    );
    await gateway(["keys", "revoke", JSON.parse(another.stdout).id], both);
    const overlapping = JSON.parse(
      (await gateway(["keys", "rotate", old.id, "--overlap", "24", "--json"], both)).stdout,
    );
    const { checks } = await examine({ ...commands.env, ...both }, () => new Date());
    expect(checks.filter(({ check }) => check === "key pepper")).toEqual([
      {
        check: "key pepper",
        status: "warning",
        message: `1 key (${old.id}) was created with KEY_PEPPER_PREVIOUS, and replaced.`,
        mend: expect.stringMatching(
          /^Unset KEY_PEPPER_PREVIOUS only after \S+Z, when the overlap has ended\.$/,
        ),
      },
    ]);
    await gateway(["keys", "revoke", old.id], both);

    const rotated = await gateway(["keys", "rotate", overlapping.id, "--json"], both);
    expect([rotated.code, rotated.stderr]).toEqual([0, ""]);
    expect(await found(both)).toEqual([
      ["ok", "No usable key was created with KEY_PEPPER_PREVIOUS: it can be unset."],
    ]);
    expect(await found({ KEY_PEPPER: NEW })).toEqual([]);

    const { key } = JSON.parse(rotated.stdout) as { key: string };
    await commands.use(async (database) => {
      const app = await startGateway({ database, env: { KEY_PEPPER: NEW } });
      try {
        expect((await app.rest("/market", key)).status).toBe(200);
        expect((await app.rest("/market", old.key)).status).toBe(401);
      } finally {
        await app.stop();
      }
      // As if created by a version that did not record the pepper.
      await runSql(database, "UPDATE api_keys SET pepper = NULL");
    });
    expect(await found({ KEY_PEPPER: NEW })).toEqual([]);
    expect(await found(both)).toEqual([
      [
        "warning",
        expect.stringMatching(
          /^1 key \(.{36}\) was created by an older version, which did not record the pepper/,
        ),
      ],
    ]);
  });

  it("is tracked for tokens of service accounts, which a rotation with an overlap replaces", async () => {
    const organization = await commands.use(makeOrganization);
    const options = ["--organization", organization, "--name", "n", "--role", "viewer", "--json"];
    const first = await gateway(["service-accounts", "create", ...options], { KEY_PEPPER: OLD });
    const { id } = JSON.parse(first.stdout) as { id: string };
    const ofTokens = async () => (await found(both)).filter(([, message]) => message.includes(id));
    expect(await ofTokens()).toEqual([
      ["warning", `1 token (of service account ${id}) was created with KEY_PEPPER_PREVIOUS.`],
    ]);
    await gateway(["service-accounts", "rotate", id, "--overlap", "24"], both);
    expect(await ofTokens()).toEqual([
      ["warning", `1 token (of service account ${id}) was created with KEY_PEPPER_PREVIOUS, and replaced.`],
    ]);
    await gateway(["service-accounts", "revoke", id], both);
  });

  it("is tracked for each kind of secret", async () => {
    await commands.use(async (database) => {
      const slug = await makeOrganization(database);
      await database.prisma.ssoConnection.create({
        data: {
          organization: { connect: { slug } },
          issuer: "https://login.example.com",
          clientId: "gateway",
          clientSecretSealed: seal("a secret of the client", OLD),
          defaultRole: "viewer",
        },
      });
      const user = await addUser(database);
      const secret = seal("a secret", OLD);
      await database.transaction(({ script }) =>
        script(
          `INSERT INTO totp_secrets (user_id, secret_sealed) VALUES ('${user}', '${secret}');
         INSERT INTO notification_preferences (user_id, webhook_url, webhook_secret)
           VALUES ('${user}', 'https://hooks.example.com', '${secret}');
         INSERT INTO mail_jobs (kind, email, user_id, token_sealed, created_at, next_at)
           VALUES ('reset', 'ada@example.com', '${user}', '${secret}', now(), now());
         INSERT INTO webhook_endpoints (organization_id, url, types, format, secret, created_at)
           SELECT id, 'https://hooks.example.com', '{facility.*}', 'json', '${secret}', now() FROM organizations WHERE slug = '${slug}'`,
        ),
      );
    });
    for (const owner of [
      "authenticator app",
      "identity provider",
      "webhook endpoint",
      "notification webhook",
      "unsent e-mail",
    ]) {
      const secrets = `The secrets of 1 ${owner} are sealed with`;
      expect(await found(both)).toContainEqual(["warning", `${secrets} KEY_PEPPER_PREVIOUS.`]);
      expect(await found({ KEY_PEPPER: NEW })).toContainEqual([
        "warning",
        `${secrets} a pepper that is not set here.`,
      ]);
    }
    expect(await found({ KEY_PEPPER: OLD })).toEqual([]);
  });

  it("leaves the key of certificates, which doctor compares with the latest", async () => {
    const [current, other] = [CERTIFICATE_KEY, OTHER_CERTIFICATE_KEY];
    const check = async (env: Record<string, string>) => {
      const { checks } = await examine({ ...commands.env, ...env }, () => new Date());
      return checks.filter((one) => one.check === "certificate key").map(({ status }) => status);
    };
    expect(await check({})).toEqual([]);
    const kid = await findCertificateKeyId({ certificateKey: current, databaseUrl: undefined, dataDir: "" });
    await commands.use((database) =>
      runSql(database, `INSERT INTO signing_keys (kid, public_key) VALUES ('${kid}', repeat('A', 43))`),
    );
    expect(await check({})).toEqual(["failure"]);
    expect(await check({ CERTIFICATE_KEY: other })).toEqual(["warning"]);
    expect(await check({ CERTIFICATE_KEY: current })).toEqual(["ok"]);
  });

  it("shows no pepper", async () => {
    const { stdout, stderr } = await gateway(["doctor"], both);
    for (const secret of [OLD, NEW]) expect(stdout + stderr).not.toContain(secret);
  });
});
