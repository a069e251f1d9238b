import { randomUUID } from "node:crypto";
import { hash } from "@node-rs/argon2";
import { describe, expect, it } from "vitest";
import { list } from "../support/list.js";
import { addMember, signIn, signUp } from "../support/people.js";
import { sendRaw } from "../support/raw.js";
import { makeKey, makeOrganization, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";
import {
  BEHIND_PROXY,
  bearer,
  createVisitor,
  expectRefusal,
  isAccepted,
  newEmail,
  newPassword,
  refusalOf,
  type SessionBody,
} from "./visitor.js";

const gateway = useGateway({ env: BEHIND_PROXY });

const newPerson = async (overrides: Parameters<typeof signUp>[1] = {}) => {
  const password = newPassword();
  return { password, ...(await signUp(gateway, { password, ...overrides })), ...createVisitor(gateway) };
};

describe("POST /v1/auth/login", () => {
  it("returns the user, the organization and the tokens of a session", async () => {
    const { user, organization, password, post } = await newPerson();
    const { status, headers, body } = await post("/login", { email: user.email.toUpperCase(), password });
    expect([status, headers.get("set-cookie"), headers.get("ratelimit")]).toEqual([200, null, null]);
    expect(body.data).toEqual({
      user: { ...user, created_at: expect.any(String) },
      organization,
      session: {
        id: expect.any(String),
        access_token: expect.stringMatching(/^cgw_ses_\w{43}$/),
        token_type: "Bearer",
        expires_in: 900,
        refresh_token: expect.stringMatching(/^cgw_ref_\w{43}$/),
        refresh_expires_in: 604_800,
      },
    });
    const { session } = body.data as { session: SessionBody };
    expect(await isAccepted(gateway, session.access_token)).toBe(true);
  });

  it("accepts an existing account whose address would be refused to a new one", async () => {
    const email = `${randomUUID()},x@BÜCHER.example`;
    const { password, post } = await newPerson({ email });
    expect((await post("/login", { email, password })).status).toBe(200);
    expect(refusalOf(await post("/login", { email: `\u0000${email}`, password }))[0]).toBe(422);
  });

  it("stores a browser's session in a cookie hidden from other sites and scripts", async () => {
    const { user, password, post } = await newPerson();
    const { headers, body } = await post("/login", { email: user.email, password, transport: "cookie" });
    expect(headers.get("set-cookie")).toMatch(
      /^__Host-cgw_session=cgw_ses_\w{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const { session } = body.data as { session: object };
    expect(session).toEqual({ id: expect.any(String), expires_in: 43_200 });
  });

  it.each(["gateway.example", "localhost:99999"])(
    "refuses a cookie on a site for which browsers would not store it, and says why: %s",
    async (host) => {
      const body = JSON.stringify({ email: newEmail(), password: newPassword(), transport: "cookie" });
      const lines = [
        "POST /v1/auth/login HTTP/1.1",
        `Host: ${host}`,
        "Content-Type: application/json",
        "Connection: close",
        `Content-Length: ${Buffer.byteLength(body)}`,
      ];
      const answer = await sendRaw(gateway.url, `${lines.join("\r\n")}\r\n\r\n${body}`);
      expect(answer.status).toBe(422);
      expect(JSON.parse(answer.body).error.details).toEqual([
        { path: "transport", message: expect.stringContaining("Browsers keep the cookie only over https") },
      ]);
    },
  );

  it("answers alike for an unknown address, a wrong password, no password and a disabled account", async () => {
    const [known, disabled] = [await newPerson(), await newPerson()];
    const without = await signUp(gateway);
    await gateway.database.prisma.user.update({ where: { id: disabled.user.id }, data: { disabledAt: NOW } });
    const tries: [email: string, password: string][] = [
      [newEmail(), known.password],
      [known.user.email, known.password.toUpperCase()],
      [known.user.email, ` ${known.password}`],
      [known.user.email, ""],
      [known.user.email, `${known.password}\u0000`],
      [without.user.email, ""],
      [disabled.user.email, disabled.password],
    ];
    for (const [email, password] of tries) {
      const { status, headers, body } = await createVisitor(gateway).post("/login", { email, password });
      expect(status).toBe(401);
      expect(body.error).toEqual({
        code: "INVALID_CREDENTIALS",
        message: "The e-mail address or password is wrong.",
      });
      expect(headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  it("reports all problems of an invalid e-mail address and password together", async () => {
    const { post } = createVisitor(gateway);
    const long = `${"x".repeat(300)}@b`;
    for (const email of ["", "ada", "a@b@c", "a\u0000@b.example", "a b@c", long, "\ud800@b", 1, null]) {
      await expectRefusal(
        post("/login", { email, transport: "pigeon" }),
        422,
        "VALIDATION_FAILED",
        ["email", "password", "transport"].map((path) => ({
          path,
          message: expect.stringMatching(/^expected /i),
        })),
      );
    }
    expect((await post("/login")).status).toBe(422);
    await expectRefusal(
      post("/login", { email: newEmail(), password: "", remember: true }),
      422,
      "VALIDATION_FAILED",
      [{ path: "remember", message: "unknown field" }, expect.anything()],
    );
  });

  it("accepts only JSON of moderate size", async () => {
    const { post } = createVisitor(gateway);
    const body = { email: newEmail(), password: "x".repeat(1 << 20) };
    await expectRefusal(post("/login", body), 413, "BAD_REQUEST");
    await expectRefusal(post("/login", "{"), 400, "BAD_REQUEST");
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=latin1",
      "",
    ]) {
      await expectRefusal(post("/login", "{}", { "Content-Type": type }), 415, "BAD_REQUEST");
    }
  });

  it("refuses an API key and a bearer token together", async () => {
    const { session } = await signUp(gateway);
    const { key } = await makeKey(gateway.database, await makeOrganization(gateway.database));
    const { post } = createVisitor(gateway);
    for (const path of list("/login /register /link /refresh /logout /reauthenticate /password")) {
      const answer = await post(path, {}, { ...bearer(session.token), "X-API-Key": key });
      expect([path, ...refusalOf(answer)]).toEqual([path, 400, "BAD_REQUEST"]);
    }
  });

  it("rehashes a password that was hashed with other parameters", async () => {
    const { user, password, dataOf } = await newPerson();
    const { prisma } = gateway.database;
    const passwordHash = await hash(password.normalize("NFKC"), { memoryCost: 8_192, timeCost: 1 });
    await prisma.user.update({ where: { id: user.id }, data: { passwordHash } });
    await dataOf("/login", { email: user.email, password });
    const now = await prisma.user.findUniqueOrThrow({ where: { id: user.id } });
    expect(now.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await dataOf("/login", { email: user.email, password });
  });

  it("blocks guessing after 5 failures, without locking out other addresses", async () => {
    const { user, password, post } = await newPerson();
    const { email } = user;
    // Right passwords do not count.
    for (let i = 0; i < 6; i += 1) expect((await post("/login", { email, password })).status).toBe(200);
    for (let i = 0; i < 5; i += 1)
      expect((await post("/login", { email, password: "wrong" })).status).toBe(401);
    const { headers, ...answer } = await post("/login", { email, password });
    await expectRefusal({ headers, ...answer }, 429, "RATE_LIMIT_EXCEEDED");
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await createVisitor(gateway).post("/login", { email, password })).status).toBe(200);
  });

  it("admits users at known addresses, however many guesses come from elsewhere", async () => {
    const { user, password, post, dataOf } = await newPerson();
    const { email } = user;
    await dataOf("/login", { email, password });
    for (let i = 0; i < 50; i += 1) {
      expect((await createVisitor(gateway).post("/login", { email, password: "wrong" })).status).toBe(401);
    }
    const elsewhere = createVisitor(gateway).post;
    expect((await elsewhere("/login", { email, password })).status).toBe(429);
    expect((await post("/login", { email, password })).status).toBe(200);
  });

  it("keeps 50 sessions per user: a new one ends the least recently used", async () => {
    const { user, organization, password, dataOf } = await newPerson();
    const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
    const sessions: Awaited<ReturnType<typeof signIn>>[] = [];
    for (let i = 0; i < 51; i += 1)
      sessions.push(await signIn(gateway, user, organization, { now: minutesAgo((i * 7) % 51) }));
    const { prisma } = gateway.database;
    await dataOf("/login", { email: user.email, password });
    const living = await prisma.session.findMany({
      where: { userId: user.id, revokedAt: null },
      orderBy: { lastUsedAt: "desc" },
    });
    expect(living.map(({ lastUsedAt }) => lastUsedAt)).toEqual([
      NOW,
      NOW,
      NOW,
      ...Array.from({ length: 47 }, (_, index) => minutesAgo(index + 1)),
    ]);
  });

  it("opens the organization of the latest session, else the one joined first, else none", async () => {
    const { user, organization, password, dataOf } = await newPerson();
    const { prisma } = gateway.database;
    const other = (await signUp(gateway)).organization;
    await prisma.membership.create({ data: { organizationId: other.id, userId: user.id, role: "editor" } });
    const active = async () =>
      (await dataOf<{ organization: { slug: string } | null }>("/login", { email: user.email, password }))
        .organization?.slug ?? null;
    expect(await active()).toBe(organization.slug);
    await prisma.session.deleteMany({ where: { userId: user.id } });
    await signIn(gateway, user, other);
    expect(await active()).toBe(other.slug);
    await prisma.membership.deleteMany({ where: { userId: user.id, organizationId: other.id } });
    expect(await active()).toBe(organization.slug);
    await addMember(gateway, organization.slug, "owner");
    await prisma.membership.deleteMany({ where: { userId: user.id } });
    expect(await active()).toBe(null);
  });

  it("records the client and address of a session, within bounds", async () => {
    const { user, password, address, dataOf } = await newPerson();
    const { session } = await dataOf<{ session: SessionBody }>(
      "/login",
      { email: user.email, password },
      { "User-Agent": `browser ${"x".repeat(2_000)}` },
    );
    const claimed = { "X-Forwarded-For": "x".repeat(300) };
    await dataOf("/login", { email: user.email, password }, claimed);
    const row = await gateway.database.prisma.session.findUniqueOrThrow({ where: { id: session.id } });
    expect(row).toMatchObject({
      address,
      createdAt: NOW,
      lastUsedAt: NOW,
      authenticatedAt: NOW,
      revokedAt: null,
    });
    expect(row.userAgent).toHaveLength(500);
  });

  it("logs who signed in", async () => {
    const { user, organization, password, dataOf } = await newPerson();
    const { session } = await dataOf<{ session: SessionBody }>("/login", { email: user.email, password });
    const who = { user_id: user.id, session_id: session.id, organization: organization.id };
    await expect
      .poll(() => gateway.log().at(-1))
      .toMatchObject({ ...who, status: 200, operation: "auth/login" });
  });

  it("accepts only POST", async () => {
    const { status, headers } = await gateway.call("/v1/auth/login");
    expect([status, headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });
});
