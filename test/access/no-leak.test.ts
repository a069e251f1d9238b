import { randomUUID } from "node:crypto";
import { generateSync } from "otplib";
import { beforeAll, describe, expect, it } from "vitest";
import { callWith, type TestCaller } from "../support/people.js";
import { startProvider } from "../support/provider.js";
import { findSecrets, learnKeys, learnPassword } from "../support/secrets.js";
import { type Envelope, NOW } from "../support/server.js";
import { withBearer } from "../support/service-accounts.js";
import { use } from "../support/use.js";
import { MINUTE_MS, startMailing } from "./mailed.js";
import { createVisitor, newPassword } from "./visitor.js";

const makeSeed = () => `Zq${randomUUID().replaceAll("-", "")}`;
/** Part of every person's name and address, contained in nothing else. */
const SEED = makeSeed();
/** Part of the organization's name and domain, which its audit trail may contain. */
const THING = makeSeed();
const DOMAIN = `${THING}.example`;
const CLIENT_SECRET = `client ${randomUUID()}`;

const mailing = use(() => startMailing({ OIDC_ALLOW_NETWORKS: "127.0.0.0/8" }));
const provider = use(startProvider);
beforeAll(async () => {
  learnPassword(CLIENT_SECRET);
});

let elapsed = 0;
const goOn = (ms: number) => {
  elapsed += ms;
  mailing.setNow(elapsed);
};
const codeOf = (secret: string) =>
  generateSync({ secret, epoch: Math.floor((NOW.getTime() + elapsed) / 1_000) });

/** Errors in answers to this file's requests. */
const errors: string[] = [];

const visit = async <Data = Record<string, unknown>>(path: string, body: object): Promise<Data> => {
  const answer = await createVisitor(mailing.gateway).post(path, body);
  if (answer.body.error) errors.push(JSON.stringify(answer.body.error));
  return answer.body.data as Data;
};

interface Entered {
  readonly session: { readonly access_token: string };
  readonly challenge: { readonly token: string };
}

/** Returns a function that sends requests with the session in an answer. */
function callerOf({ session }: Entered) {
  const caller: TestCaller = callWith(mailing.gateway, { Authorization: `Bearer ${session.access_token}` });
  return async <Data = Record<string, unknown>>(
    path: string,
    json?: object,
    method?: string,
  ): Promise<Data> => {
    const answer = await caller.call<Envelope>(`/v1${path}`, {
      ...(json && { json }),
      ...(method && { method }),
    });
    learnKeys(JSON.stringify(answer.body));
    if (answer.body.error) errors.push(JSON.stringify(answer.body.error));
    return answer.body.data as Data;
  };
}

const person = (name: string) => `${name}.${SEED}@${DOMAIN}`;
const mailedTo = (name: string, subject: string, count = 1) => mailing.token(person(name), subject, count);

/** Plays a year of an account: the usual changes, and typical mistakes. */
async function liveThroughAYear(): Promise<void> {
  const { gateway } = mailing;
  let password = newPassword();
  const email = person("ada");
  const names = { name: `Ada ${SEED}`, organization: { name: `Works ${THING}` } };
  const registered = await visit<Entered>("/register", { email, password, ...names });
  const call = callerOf(registered);
  await call("/auth/email/confirm", { token: await mailedTo("ada", "Confirm your e-mail address") });
  await visit("/register", { email, password, ...names });
  await visit("/login", { email, password: newPassword() });
  await visit("/login", { email: person("nobody"), password });

  const { secret } = await call<{ secret: string }>("/auth/totp", {});
  learnPassword(secret);
  const { recovery_codes: codes } = await call<{ recovery_codes: string[] }>("/auth/totp/confirm", {
    code: codeOf(secret),
  });
  expect(codes).toHaveLength(10);
  for (const code of codes) learnPassword(code);
  goOn(MINUTE_MS);
  const asked = async () => (await visit<Entered>("/login", { email, password })).challenge.token;
  await visit("/login/factor", { challenge: await asked(), code: "000000" });
  await visit("/login/factor", { challenge: await asked(), recovery_code: codes[0] });
  const signedIn = await visit<Entered>("/login/factor", { challenge: await asked(), code: codeOf(secret) });
  const act = callerOf(signedIn);

  const { organization } = await act<{ organization: { id: string; slug: string } }>("/auth/me");
  await act("/invitations", { email: person("bob"), role: "editor" });
  const invitation = await mailedTo("bob", "You have been invited to Carbon Gateway");
  await visit("/register", { invitation, password, name: `Bob ${SEED}` });
  await act("/api-keys", { name: `Key ${THING}`, scopes: ["read:emissions"] });

  await gateway.database.prisma.domain.create({
    data: {
      organizationId: organization.id,
      domain: DOMAIN.toLowerCase(),
      token: "7Qm2".repeat(8),
      provenAt: NOW,
      checkedAt: NOW,
      createdAt: NOW,
    },
  });
  const settings = { issuer: provider.issuer, client_id: "gateway", default_role: "viewer" };
  await act("/sso", { ...settings, client_secret: CLIENT_SECRET }, "PUT");
  const account = { name: `Directory ${THING}`, role: "admin", scopes: ["admin:members"] };
  const directory = withBearer(gateway, (await act<{ token: string }>("/service-accounts", account)).token);
  const user = { userName: person("carl"), displayName: `Carl ${SEED}` };
  expect((await directory.call("/scim/v2/Users", { json: user })).status).toBe(201);
  const again = await directory.call("/scim/v2/Users", { json: user });
  errors.push(JSON.stringify(again.body));

  await visit("/password-reset", { email });
  const token = await mailedTo("ada", "Reset your password");
  await visit("/password-reset/finish", { token, password: email });
  password = newPassword();
  await visit("/password-reset/finish", { token, password });
  await visit("/password-reset/finish", { token, password });
  goOn(MINUTE_MS);
  const later = callerOf(
    await visit<Entered>("/login/factor", { challenge: await asked(), code: codeOf(secret) }),
  );
  await later("/auth/email", { email: person("countess") });
  const change = await mailedTo("countess", "Confirm your new e-mail address");
  await later("/auth/email/confirm", { token: change });
  await visit("/email/confirm", { token: await mailedTo("ada", "Your e-mail address is being changed") });
  await mailing.settled();
}

describe("a year of accounts", () => {
  it("leaks no secrets, and no names or addresses of users into subjects, logs, errors or audit entries", async () => {
    await liveThroughAYear();
    const { gateway } = mailing;
    const subjects = mailing
      .allMails()
      .flatMap((text) => /^Subject: .*(?:\r\n[ \t].*)*/m.exec(text)?.[0] ?? []);
    const entries = await gateway.database.select<{ entry: string }>(
      "SELECT to_jsonb(e)::text AS entry FROM audit_entries AS e",
      [],
    );
    const log = JSON.stringify(gateway.log());
    const tables = await gateway.database.select<{ name: string }>(
      "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
      [],
    );
    const copies = await Promise.all(
      tables.map(({ name }) =>
        gateway.database.select<{ text: string }>(
          `SELECT coalesce(jsonb_agg(t), '[]')::text AS text FROM ${name} AS t`,
          [],
        ),
      ),
    );
    const copy = copies.flat().map(({ text }) => text);
    // Proof that the year was played.
    expect(copy.join()).toContain(SEED);
    expect(subjects.length).toBeGreaterThan(8);
    expect(errors.length).toBeGreaterThan(5);
    const spoken = [...subjects, ...errors, log];
    const trail = entries.map(({ entry }) => entry);
    expect(spoken.filter((text) => holds(text, SEED) || holds(text, THING))).toEqual([]);
    expect(trail.filter((text) => holds(text, SEED))).toEqual([]);
    expect(findSecrets([...spoken, ...trail].join("\n"))).toEqual([]);
    expect(copy.flatMap(findRawSecrets)).toEqual([]);
  });
});

const holds = (text: string, seed: string) => text.toLowerCase().includes(seed.toLowerCase());

/** Finds secrets in a copy of the database, which may contain hashes. */
const findRawSecrets = (text: string) =>
  findSecrets(text).filter((found) => !/^(?:[0-9a-f]{64}|\$argon2)/.test(found));
