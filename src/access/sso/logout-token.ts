import { once } from "../../domain/once.js";
import { isSubject } from "../../domain/sso/subject.js";
import { SIGNATURES, SKEW_SECONDS } from "./exchange.js";
import type { Providers } from "./providers.js";

/** Maximum age of a logout token, in seconds. */
const MAX_SECONDS = 600;
const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** One session, or all sessions of a user, that a provider has ended. */
export interface ProviderLogout {
  readonly sid: string | null;
  readonly subject: string | null;
  /** Identifies the token, so that it takes effect once. */
  readonly jti: string;
  readonly expiresAt: Date;
}

const load = once(() => import("jose"));

/** Reads a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6); null if it cannot be validated. */
export async function readLogoutToken(
  providers: Providers,
  { issuer, clientId }: { readonly issuer: string; readonly clientId: string },
  token: string,
  now: Date,
): Promise<ProviderLogout | null> {
  const { createLocalJWKSet, decodeProtectedHeader, jwtVerify } = await load();
  try {
    const { kid } = decodeProtectedHeader(token);
    const keys = await providers.findKeys(issuer, kid, now, "logout token");
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys as never), {
      issuer,
      audience: clientId,
      algorithms: SIGNATURES,
      clockTolerance: SKEW_SECONDS,
      currentDate: now,
      requiredClaims: ["iat", "jti"],
    });
    const { iat = 0, jti = "", sub, sid, events, nonce } = payload;
    const age = now.getTime() / 1_000 - iat;
    const isEvent = typeof events === "object" && events !== null && Object.hasOwn(events, EVENT);
    const isInTime = age <= MAX_SECONDS + SKEW_SECONDS && age >= -SKEW_SECONDS;
    const names = { sid: typeof sid === "string" ? sid : null, subject: isSubject(sub) ? sub : null };
    const isNamed = (sub === undefined || names.subject !== null) && (names.subject ?? names.sid) !== null;
    if (!isEvent || !isInTime || nonce !== undefined || !isNamed || jti === "") return null;
    return {
      jti,
      ...names,
      expiresAt: new Date((iat + MAX_SECONDS + 2 * SKEW_SECONDS) * 1_000),
    };
  } catch {
    return null;
  }
}
