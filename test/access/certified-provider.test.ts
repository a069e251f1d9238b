import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ProviderBrowser, startCertifiedProvider } from "../support/certified-provider.js";
import { signUp } from "../support/people.js";
import { type Envelope, type Gateway, startGateway } from "../support/server.js";
import { use } from "../support/use.js";
import { browserOf, CLIENT_ID, send, settingsOf, tokenIn } from "./sso.js";

let gateway: Gateway;
let second: Gateway;
/** The actual time: the provider uses this machine's clock. */
let now: Date;
let id: string;
const provider = use(startCertifiedProvider);
beforeAll(async () => {
  const env = { OIDC_ALLOW_NETWORKS: "127.0.0.0/8" };
  gateway = await startGateway({ env });
  second = await startGateway({ env, database: gateway.database });
  now = new Date();
  for (const each of [gateway, second]) each.setNow(now);
  id = await connect();
});
afterAll(async () => {
  await second.stop();
  await gateway.stop();
});

/** Begins a sign-in, completes it at the provider, and returns what the gateway answers to the callback. */
async function signIn(browser: ProviderBrowser, person: string, { at = gateway, start = "" } = {}) {
  const path = start || `/v1/auth/sso/${id}/start`;
  const begun = await at.call(path, { redirect: "manual" });
  expect(begun.status).toBe(303);
  const [cookie = ""] = begun.headers.getSetCookie();
  const callback = await browser.signIn(begun.headers.get("location") ?? "", person);
  return at.call<string>(callback.pathname + callback.search, {
    redirect: "manual",
    headers: { Cookie: cookie.split(";")[0] ?? "" },
  });
}

/** Saves, tests and enables the provider of a new organization; returns the id of the connection. */
async function connect(): Promise<string> {
  const domain = `${randomUUID()}.example`;
  const owner = await signUp(gateway, { now });
  await gateway.database.prisma.domain.create({
    data: {
      organizationId: owner.organization.id,
      domain,
      token: "7Qm2".repeat(8),
      provenAt: now,
      checkedAt: now,
      createdAt: now,
    },
  });
  const settings = settingsOf(provider);
  const saved = (await send(owner, "PUT", "/v1/sso", settings)).body.data;
  const { redirect_uri: redirectUri = "", logout_uri: logoutUri = "" } = saved as Record<string, string>;
  await provider.register(
    {
      client_id: CLIENT_ID,
      client_secret: settings.client_secret,
      // Behind a load balancer, both processes would have the same address.
      redirect_uris: [redirectUri, redirectUri.replace(gateway.url, second.url)],
      backchannel_logout_uri: logoutUri,
    },
    domain,
  );
  const { url } = (await send(owner, "POST", "/v1/sso/test")).body.data;
  const start = String(url).slice(gateway.url.length);
  const page = await signIn(provider.openBrowser(), "owner", { start });
  expect([page.status, page.body]).toEqual([200, expect.stringContaining("The test succeeded")]);
  const enabled = await send(owner, "POST", "/v1/sso/enable");
  expect(enabled.body.data["status"]).toBe("enabled");
  return String(saved["id"]);
}

describe("single sign-on by a certified provider", () => {
  it("signs in, and refuses nobody while the provider rotates its key under load", async () => {
    let answered = 0;
    const enter = async (index: number) => {
      const at = index % 2 === 0 ? gateway : second;
      const answer = await signIn(provider.openBrowser(), `person-${index}`, { at });
      answered += 1;
      return answer;
    };
    const before = Array.from({ length: 10 }, (_, index) => enter(index));
    await expect.poll(() => answered, { interval: 5 }).toBeGreaterThan(0);
    await provider.rotate();
    const after = Array.from({ length: 30 }, (_, index) => enter(index + 10));
    const answers = await Promise.all([...before, ...after]);
    expect(answers.filter((answer) => tokenIn(answer) === undefined)).toEqual([]);
  });

  it("offers the provider's logout, which also ends the browser's other sessions there", async () => {
    const browser = provider.openBrowser();
    const [one, other] = [
      browserOf(gateway, await signIn(browser, "ada")),
      browserOf(second, await signIn(browser, "ada")),
    ];
    const stranger = browserOf(gateway, await signIn(provider.openBrowser(), "ada"));
    const statusOf = async ({ call }: typeof one) => (await call("/v1/auth/me")).status;
    expect([await statusOf(one), await statusOf(other)]).toEqual([200, 200]);
    const { status, body } = await one.call<Envelope>("/v1/auth/logout", { json: {} });
    const { provider_logout_url: url } = body.data as { provider_logout_url: string };
    expect([status, url]).toEqual([200, `${provider.issuer}/session/end?client_id=${CLIENT_ID}`]);
    expect([await statusOf(one), await statusOf(other)]).toEqual([401, 200]);
    await browser.signOut(url);
    await expect.poll(() => statusOf(other)).toBe(401);
    expect(await statusOf(stranger)).toBe(200);
  });
});
