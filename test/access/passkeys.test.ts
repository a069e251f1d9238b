import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { describeInBrowser, openBrowser } from "../support/browser.js";
import { startMailServer, tokenIn } from "../support/hooks.js";
import { callWith, signUp } from "../support/people.js";
import { type Answer, type Envelope, type Gateway, startGateway } from "../support/server.js";
import { use } from "../support/use.js";
import { actionsOn } from "./mailed.js";
import { BEHIND_PROXY, createVisitor, newPassword, refusalOf, type SessionBody } from "./visitor.js";

const PEPPER = "a pepper of this test";
const ENV = { ...BEHIND_PROXY, KEY_PEPPER: PEPPER };

interface Options {
  readonly options: object;
  readonly challenge: string;
}
interface NewPasskey {
  readonly passkey: { readonly id: string; readonly name: string };
  readonly recovery_codes: string[] | null;
}

const dataOf = <Data>({ body }: Answer<Envelope>) => body.data as Data;

/** Addresses a gateway by host name: browsers create no passkeys for IP addresses. */
const named = (gateway: Gateway): Gateway => ({
  ...gateway,
  url: gateway.url.replace("127.0.0.1", "localhost"),
  async call<Body>(path: string, init?: RequestInit) {
    const response = await fetch(gateway.url.replace("127.0.0.1", "localhost") + path, init);
    const { status, headers } = response;
    return { status, headers, body: (await response.json()) as Body } as Answer<Body>;
  },
});

describeInBrowser("passkeys", () => {
  let gateway: Gateway;
  let other: Gateway;
  let context: BrowserContext;
  let page: Page;
  let cdp: CDPSession;
  let authenticatorId = "";

  const mailServer = use(startMailServer);
  beforeAll(async () => {
    const mail = { SMTP_URL: mailServer.url, MAIL_FROM: "no-reply@example.com" };
    gateway = named(await startGateway({ env: { ...ENV, ...mail }, deliveryMs: 20 }));
    other = named(await startGateway({ env: ENV, database: gateway.database }));
    context = await (await openBrowser()).newContext();
    page = await context.newPage();
    await page.goto(`${gateway.url}/healthz`);
    cdp = await context.newCDPSession(page);
    await cdp.send("WebAuthn.enable");
  });
  afterAll(async () => {
    await context.close();
    await other.stop();
    await gateway.stop();
  });
  beforeEach(() => plugIn(true));

  /** Replaces the browser's authenticator with an empty one. */
  async function plugIn(hasUserVerification: boolean): Promise<void> {
    if (authenticatorId !== "") await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    const options = {
      protocol: "ctap2",
      transport: hasUserVerification ? "internal" : "usb",
      hasResidentKey: true,
      hasUserVerification,
      isUserVerified: hasUserVerification,
      automaticPresenceSimulation: true,
    } as const;
    ({ authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options }));
  }

  /** Has the browser create or use a passkey, and returns its response. */
  const ask = (how: "create" | "get", options: object): Promise<{ id: string; response: object }> =>
    page.evaluate(`(async () => {
      const publicKey = PublicKeyCredential.parse${how === "create" ? "Creation" : "Request"}OptionsFromJSON(${JSON.stringify(options)});
      return (await navigator.credentials.${how}({ publicKey })).toJSON();
    })()`);

  const newPerson = async () => {
    const password = newPassword();
    const person = await signUp(gateway, { password, pepper: PEPPER });
    const call = (path: string, method = "POST", json?: object, by = person.session.token) =>
      callWith(gateway, { Authorization: `Bearer ${by}` }).call(`/v1/auth${path}`, {
        method,
        ...(method !== "DELETE" && method !== "GET" && { json: json ?? {} }),
      });
    const enrol = async (name = "Laptop") => {
      const { options, challenge } = dataOf<Options>(await call("/passkeys/options"));
      return call("/passkeys", "POST", { challenge, name, response: await ask("create", options) });
    };
    return { ...person, ...createVisitor(gateway), password, call, enrol };
  };
  type Person = Awaited<ReturnType<typeof newPerson>>;

  const signIn = async ({ user, password, post }: Person) => {
    const { challenge } = dataOf<{ challenge: { token: string; passkey: object; methods: string[] } }>(
      await post("/login", { email: user.email, password }),
    );
    const response = await ask("get", challenge.passkey);
    return {
      challenge,
      response,
      finish: () => post("/login/factor", { challenge: challenge.token, response }),
    };
  };

  const alone = async ({ post }: Pick<Person, "post">) => {
    const { options, challenge } = dataOf<Options>(await post("/login/passkey/options", {}));
    expect(options).not.toHaveProperty("allowCredentials");
    expect(options).toMatchObject({ userVerification: "required", rpId: "localhost" });
    const response = await ask("get", options);
    return { challenge, response, finish: () => post("/login/passkey", { challenge, response }) };
  };
  const WRONG = [401, "INVALID_CREDENTIALS", [{ path: "response", message: expect.any(String) }]];
  const DEAD = [401, "INVALID_CREDENTIALS", [{ path: "challenge", message: expect.any(String) }]];

  it("are added with recovery codes, and serve as second factor after a password, once per challenge", async () => {
    const person = await newPerson();
    const added = await person.enrol();
    const { passkey, recovery_codes: codes } = dataOf<NewPasskey>(added);
    expect(added.status).toBe(201);
    expect(added.headers.get("location")).toBe(`/v1/auth/passkeys/${passkey.id}`);
    expect(codes?.length).toBe(10);
    const { challenge, response, finish } = await signIn(person);
    expect(challenge.methods).toEqual(["passkey", "recovery_code"]);
    expect(refusalOf(await finish())).toEqual([200, undefined]);
    expect(refusalOf(await finish())).toEqual(DEAD);
    const next = dataOf<{ challenge: { token: string } }>(
      await person.post("/login", { email: person.user.email, password: person.password }),
    ).challenge;
    // A response to a different challenge.
    expect(refusalOf(await person.post("/login/factor", { challenge: next.token, response }))).toEqual(WRONG);
    expect(await actionsOn(gateway, passkey.id)).toEqual(["factor.added"]);
  });

  it("are e-mailed with a link that removes exactly that one", async () => {
    const person = await newPerson();
    await person.enrol("Own");
    await plugIn(true);
    await person.enrol("Unwanted");
    const { email, id: userId } = person.user;
    const sent = () => mailServer.mails.filter(({ to }) => to === email);
    await vi.waitFor(() => expect(sent()).toHaveLength(2), { timeout: 60_000, interval: 20 });
    const seen = await Promise.all(
      sent().map(async (mail) => {
        const token = tokenIn(mail);
        const { body } = await person.post("/link/inspect", { token });
        return { token, additions: (body.data as { additions: { name: string }[] }).additions };
      }),
    );
    const unwanted = seen.find(({ additions }) => additions[0]?.name === "Unwanted");
    const done = await person.post("/disown", { token: unwanted?.token });
    expect(done.body.data).toMatchObject({ removed: unwanted?.additions, password_link_at: null });
    const left = await gateway.database.prisma.passkey.findMany({ where: { userId } });
    expect(left.map(({ name }) => name)).toEqual(["Own"]);
    expect(refusalOf(await (await alone(person)).finish())).toEqual(WRONG);
  });

  it("sign in alone, which counts as recent authentication, and authenticate again later", async () => {
    const person = await newPerson();
    await person.enrol();
    const { finish, challenge } = await alone(person);
    const entered = await finish();
    const { session, user } = dataOf<{ session: SessionBody; user: { id: string } }>(entered);
    expect([entered.status, user.id]).toEqual([200, person.user.id]);
    expect(refusalOf(await finish())).toEqual(DEAD);
    const codes = await person.call("/recovery-codes", "POST", {}, session.access_token);
    expect(codes.status).toBe(200);
    const again = dataOf<Options>(
      await person.call("/reauthenticate/options", "POST", {}, session.access_token),
    );
    const response = await ask("get", again.options);
    const proof = { challenge: again.challenge, response };
    // The challenge belongs to the other session.
    expect(refusalOf(await person.call("/reauthenticate", "POST", proof))).toEqual(DEAD);
    expect((await person.call("/reauthenticate", "POST", proof, session.access_token)).status).toBe(200);
    expect(refusalOf(await person.post("/login/factor", { challenge, response }))).toEqual(DEAD);
  });

  it("without user verification are a second factor, but do not sign in alone", async () => {
    await plugIn(false);
    const person = await newPerson();
    expect((await person.enrol()).status).toBe(201);
    expect((await (await signIn(person)).finish()).status).toBe(200);
    const { options, challenge } = dataOf<Options>(await person.post("/login/passkey/options", {}));
    const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
    const id = Buffer.from(credentials[0]?.credentialId ?? "", "base64").toString("base64url");
    const allowCredentials = [{ type: "public-key", id }];
    const response = await ask("get", { ...options, allowCredentials, userVerification: "discouraged" });
    expect(refusalOf(await person.post("/login/passkey", { challenge, response }))).toEqual(WRONG);
  });

  it("store nothing that the database could not hold", async () => {
    const person = await newPerson();
    const { options, challenge } = dataOf<Options>(await person.call("/passkeys/options"));
    const answer = await ask("create", options);
    const response = { ...answer, response: { ...answer.response, transports: ["usb", "\0", ["nfc"]] } };
    expect((await person.call("/passkeys", "POST", { challenge, name: "Key", response })).status).toBe(201);
    const { challenge: token } = dataOf<Options>(await person.post("/login/passkey/options", {}));
    const given = { challenge: token, response: { ...response, id: "a\0" } };
    expect(refusalOf(await person.post("/login/passkey", given))[0]).toBe(422);
  });

  it("are refused from another origin of the same host", async () => {
    const person = await newPerson();
    await person.enrol();
    await page.goto(`${other.url}/healthz`);
    onTestFinished(async () => void (await page.goto(`${gateway.url}/healthz`)));
    expect(refusalOf(await (await alone(person)).finish())).toEqual(WRONG);
    expect(refusalOf(await (await signIn(person)).finish())).toEqual(WRONG);
  });

  it("are refused and audited when the counter goes back, as a copy's does", async () => {
    const person = await newPerson();
    const { passkey } = dataOf<NewPasskey>(await person.enrol());
    const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
    expect((await (await alone(person)).finish()).status).toBe(200);
    expect((await (await alone(person)).finish()).status).toBe(200);
    const [copy] = credentials;
    await plugIn(true);
    await cdp.send("WebAuthn.addCredential", {
      authenticatorId,
      credential: copy as NonNullable<typeof copy>,
    });
    expect(refusalOf(await (await alone(person)).finish())).toEqual(WRONG);
    expect(await actionsOn(gateway, passkey.id)).toEqual(["factor.added", "factor.locked"]);
  });

  it("are renamed and removed by their owner, except for the last way to sign in", async () => {
    const person = await newPerson();
    const { passkey } = dataOf<NewPasskey>(await person.enrol());
    const path = `/passkeys/${passkey.id}`;
    const renamed = await person.call(path, "PATCH", { name: " Work laptop " });
    expect(dataOf<NewPasskey>(renamed).passkey.name).toBe("Work laptop");
    const stranger = await newPerson();
    expect((await stranger.call(path, "PATCH", { name: "Mine" })).status).toBe(404);
    expect((await stranger.call(path, "DELETE")).status).toBe(404);
    // One passkey and recovery codes are enough.
    expect((await person.call("/password", "DELETE")).status).toBe(200);
    expect(refusalOf(await person.call(path, "DELETE"))).toMatchObject([
      409,
      "CONFLICT",
      [{ path: "passkey" }],
    ]);
    expect((await person.call("/factors", "GET")).body.data).toMatchObject({
      has_password: false,
      totp: null,
    });
    const { post, user, password } = person;
    expect((await post("/login", { email: user.email, password })).status).toBe(401);
    expect((await (await alone(person)).finish()).status).toBe(200);
    await plugIn(true);
    await person.enrol("Phone");
    expect((await person.call(path, "DELETE")).status).toBe(200);
    expect(await actionsOn(gateway, passkey.id)).toEqual([
      "factor.added",
      "factor.updated",
      "factor.removed",
    ]);
    expect(await actionsOn(gateway, user.id)).toContain("password.removed");
  });

  it("are not available on an IP address, and the refusal names an address where they are", async () => {
    const person = await newPerson();
    const answer = await fetch(`${gateway.url.replace("localhost", "127.0.0.1")}/v1/auth/passkeys/options`, {
      method: "POST",
      headers: { Authorization: `Bearer ${person.session.token}` },
    });
    const { error } = (await answer.json()) as Envelope;
    expect([answer.status, error]).toMatchObject([409, { message: expect.stringContaining(gateway.url) }]);
  });
});
