import { generateSync } from "otplib";
import { describe, expect, it } from "vitest";
import { MINUTE_MS, startMailing } from "../access/mailed.js";
import { createVisitor, newPassword, refusalOf } from "../access/visitor.js";
import { openEventStream } from "../support/event-stream.js";
import { type Envelope, NOW } from "../support/server.js";
import { withBearer } from "../support/service-accounts.js";
import { use } from "../support/use.js";
import { openDirectory } from "./directory.js";

const CHALLENGE = [401, "INVALID_CREDENTIALS", [{ path: "challenge", message: expect.any(String) }]];

describe.each([
  ["with Redis", {}],
  ["while Redis is unavailable", { REDIS_URL: "redis://127.0.0.1:9" }],
])("a deactivated user %s", (_state, env) => {
  const mailing = use(() => startMailing(env));

  it("loses sessions, streams, links and challenges on another process, for good", async () => {
    const { gateway, other } = mailing;
    const directory = await openDirectory(gateway, await mailing.signUp());
    const [email, password] = [directory.address(), newPassword()];
    const person = await mailing.signUp({ email, password });
    const { body } = await person.call<Envelope>("/v1/auth/totp", { json: {} });
    const { secret } = body.data as { secret: string };
    const codeAt = (ms: number) => generateSync({ secret, epoch: (NOW.getTime() + ms) / 1_000 });
    const confirmed = await person.call("/v1/auth/totp/confirm", { json: { code: codeAt(0) } });
    expect(confirmed.status).toBe(200);
    const { id } = await directory.addUser({ userName: email });
    const visitor = createVisitor(other);
    await visitor.post("/password-reset", { email });
    const reset = { token: await mailing.token(email, "Reset your password"), password: newPassword() };
    const login = await visitor.dataOf<{ challenge: { token: string } }>("/login", { email, password });
    const stream = await openEventStream(`${other.url}/v1/events/stream`, {
      headers: { Authorization: `Bearer ${person.session.token}` },
    });
    expect(await stream.next()).toEqual({ retry: "2000" });

    mailing.setNow(MINUTE_MS);
    await directory.patch(`/Users/${id}`, { op: "Replace", path: "active", value: "False" });

    await stream.rest();
    const finishReset = () => visitor.post("/password-reset/finish", reset);
    const giveFactor = () =>
      visitor.post("/login/factor", { challenge: login.challenge.token, code: codeAt(MINUTE_MS) });
    const me = () => withBearer(other, person.session.token).call("/v1/auth/me");
    expect((await me()).status).toBe(401);
    expect((await finishReset()).status).toBe(410);
    expect((await giveFactor()).status).toBe(401);
    await directory.patch(`/Users/${id}`, { op: "replace", value: { active: true } });
    expect((await me()).status).toBe(401);
    expect((await finishReset()).status).toBe(410);
    expect(refusalOf(await giveFactor())).toEqual(CHALLENGE);
  });

  it("is notified at the old and the new address when the directory changes it", async () => {
    const directory = await openDirectory(mailing.gateway, await mailing.signUp());
    const user = await directory.addUser();
    const next = directory.address();
    const path = 'emails[type eq "work"].value';
    await directory.patch(`/Users/${user.id}`, { op: "Replace", path, value: next });
    for (const address of [user.userName, next])
      await mailing.mails(address, "Your e-mail address was changed");
  });
});
