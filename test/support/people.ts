import { randomUUID } from "node:crypto";
import { SESSION_COOKIE } from "../../src/access/credentials.js";
import { hashKey, type Pepper } from "../../src/access/secrets/api-key.js";
import { hashPassword as hash } from "../../src/access/secrets/password.js";
import { seal } from "../../src/access/secrets/sealing.js";
import { generateToken } from "../../src/access/secrets/token.js";
import { generateTotpSecret } from "../../src/access/secrets/totp.js";
import { PLATFORM } from "../../src/access/session.js";
import type { Role } from "../../src/domain/people/roles.js";
import { learnKeys, learnPassword } from "./secrets.js";
import {
  type Answer,
  type Envelope,
  type Gateway,
  type GraphqlAnswer,
  type GraphqlBody,
  makeOrganization,
  NOW,
} from "./server.js";

export interface PersonOverrides {
  /** The slug of an existing organization; by default, a new one is created. */
  readonly organization?: string;
  readonly role?: Role;
  readonly email?: string;
  readonly name?: string;
  /** No password by default: hashing takes time. */
  readonly password?: string;
  readonly kind?: "browser" | "token";
  /** Start of the session. */
  readonly now?: Date;
  readonly pepper?: Pepper;
  /** Time of the second factor; none by default. */
  readonly factorAt?: Date;
}

/** A request. `json` is its body, sent by POST unless `method` is set. */
export interface PersonRequest extends RequestInit {
  readonly json?: unknown;
}

export interface TestCaller {
  call<Body = Envelope>(path: string, request?: PersonRequest): Promise<Answer<Body>>;
  graphql(query: string, variables?: object): Promise<GraphqlAnswer>;
}

/** A signed-in user, whose session authenticates the calls. */
export interface TestPerson extends TestCaller {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string };
  readonly session: { readonly id: string; readonly token: string; readonly refreshToken: string };
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Creates a signed-in user, by default the owner of a new organization. Writes the same rows as a sign-in. */
export async function signUp(gateway: Gateway, overrides: PersonOverrides = {}): Promise<TestPerson> {
  const { prisma } = gateway.database;
  const slug = overrides.organization ?? (await makeOrganization(gateway.database));
  const { email = `${randomUUID()}@example.org`, name = "Ada Person", role = "owner" } = overrides;
  const organization = await prisma.organization.findUniqueOrThrow({ where: { slug } });
  const passwordHash = await hashPassword(overrides.password);
  const user = await prisma.user.create({
    data: {
      email,
      name,
      passwordHash,
      emailConfirmedAt: NOW,
      memberships: { create: { organizationId: organization.id, role } },
    },
  });
  return signIn(gateway, user, organization, overrides);
}

/** Creates a signed-in member of an existing organization. */
export const addMember = (
  gateway: Gateway,
  organization: string,
  role: Role,
  overrides: PersonOverrides = {},
): Promise<TestPerson> => signUp(gateway, { ...overrides, organization, role });

async function hashPassword(password: string | undefined): Promise<string | null> {
  if (password === undefined) return null;
  learnPassword(password);
  return hash(password);
}

/** Creates a super admin without an organization, whose session has a second factor. */
export async function signUpSuperAdmin(gateway: Gateway, password?: string): Promise<TestPerson> {
  const email = `${randomUUID()}@example.org`;
  const passwordHash = await hashPassword(password);
  const data = { email, name: "Root Person", isSuperAdmin: true, passwordHash };
  return signIn(gateway, await gateway.database.prisma.user.create({ data }), null, { factorAt: NOW });
}

/** Adds an authenticator app to a user, but not to any session; returns its secret. */
export async function addApp(
  { database: { prisma } }: Gateway,
  { user: { id: userId } }: Pick<TestPerson, "user">,
  pepper?: Pepper,
): Promise<string> {
  const secret = generateTotpSecret();
  const secretSealed = seal(secret, pepper);
  await prisma.totpSecret.create({ data: { userId, secretSealed, confirmedAt: NOW } });
  await prisma.user.update({ where: { id: userId }, data: { factorSince: NOW } });
  return secret;
}

/** Marks the second factor as given in all sessions of a user. */
export async function giveFactor(
  { database: { prisma } }: Gateway,
  { id: userId }: Pick<TestPerson["user"], "id">,
): Promise<void> {
  await prisma.session.updateMany({ where: { userId }, data: { factorAt: NOW } });
}

/** Creates another session of a user, in one of their organizations or in none. */
export async function signIn(
  gateway: Gateway,
  { id: userId, email, name }: TestPerson["user"],
  home: TestPerson["organization"] | null,
  { kind = "token", now = NOW, pepper, factorAt }: PersonOverrides = {},
): Promise<TestPerson> {
  const [token, refreshToken] = [generateToken("session"), generateToken("refresh")];
  learnKeys(`${token} ${refreshToken}`);
  const isBrowser = kind === "browser";
  const after = (ms: number) => new Date(now.getTime() + ms);
  const expiresAt = after(isBrowser ? DAY_MS / 2 : 30 * DAY_MS);
  const { id } = await gateway.database.prisma.session.create({
    data: {
      userId,
      organizationId: home?.id ?? null,
      kind,
      expiresAt,
      createdAt: now,
      lastUsedAt: now,
      authenticatedAt: now,
      ...(factorAt && { factorAt }),
      tokenHash: hashKey(token, pepper),
      tokenExpiresAt: isBrowser ? expiresAt : after(15 * MINUTE_MS),
      ...(!isBrowser && { refreshHash: hashKey(refreshToken, pepper) }),
    },
  });
  const credentials: Record<string, string> = isBrowser
    ? { Cookie: `${SESSION_COOKIE}=${token}`, "Sec-Fetch-Site": "same-origin" }
    : { Authorization: `Bearer ${token}` };
  return {
    user: { id: userId, email, name },
    organization: pick(home ?? PLATFORM),
    session: { id, token, refreshToken },
    ...callWith(gateway, credentials),
  };
}

/** Returns a caller that sends a credential's headers. */
export function callWith(gateway: Gateway, credentials: Record<string, string>): TestCaller {
  const call = <Body>(path: string, { json, ...init }: PersonRequest = {}) =>
    gateway.call<Body>(path, {
      ...(json !== undefined && { method: "POST", body: JSON.stringify(json) }),
      ...init,
      headers: {
        ...credentials,
        ...(json !== undefined && { "Content-Type": "application/json" }),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
  return {
    call,
    async graphql(query, variables) {
      const answer = await call<GraphqlBody & { extensions?: { cost?: number } }>("/graphql", {
        json: { query, variables },
      });
      const { extensions, ...body } = answer.body;
      return { ...answer, body, cost: extensions?.cost };
    },
  };
}

const pick = ({ id, slug, name }: TestPerson["organization"]) => ({ id, slug, name });
