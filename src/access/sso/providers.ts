import { LRUCache } from "lru-cache";
import { z } from "zod";
import { type ProviderAccess, type ProviderAnswer, ProviderUnreachable } from "../../delivery/provider.js";
import { SsoRefusal } from "../../domain/sso/sso-refusals.js";

const MINUTE_MS = 60_000;
/** Path of a provider's metadata, below its issuer. */
export const DISCOVERY = ".well-known/openid-configuration";

/** Lifetime of cached metadata and keys. */
const CACHE_MS = 10 * MINUTE_MS;
/**
 * Minimum time between two fetches caused by an unknown key. Other fetches do not count, because the provider may
 * rotate its keys right after one.
 */
const UNKNOWN_KEY_MS = MINUTE_MS / 2;

/** Only http and https, because browsers open some of these URLs. */
const url = z
  .string()
  .max(2_000)
  .refine((text) => URL.canParse(text) && /^https?:/i.test(text));
const METADATA = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: url,
  token_endpoint: url,
  jwks_uri: url,
  end_session_endpoint: url.optional().catch(undefined),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  id_token_signing_alg_values_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
const JWKS = z.looseObject({ keys: z.array(z.record(z.string(), z.unknown())).max(200) });

/** The metadata of a provider that the gateway uses (OpenID Connect Discovery 1.0). */
export type Metadata = z.infer<typeof METADATA>;
export type Keys = z.infer<typeof JWKS>;

type SignedToken = "ID token" | "logout token";

interface CachedProvider {
  readonly metadata: Metadata;
  keys: Keys;
  readonly fetchedAt: number;
  /** Time of the last fetch for an unknown key, by kind of token, because anybody can send a logout token. */
  readonly refreshedAt: Record<SignedToken, number>;
  /** The fetch of the keys in progress. */
  fetching?: Promise<void> | undefined;
}

export type Providers = ReturnType<typeof createProviders>;

/** Creates the functions that read the metadata and keys of providers. This process caches them for 10 minutes. */
export function createProviders({ ask, findFault }: ProviderAccess) {
  const known = new LRUCache<string, CachedProvider>({ max: 500 });
  const reading = new Map<string, Promise<CachedProvider>>();

  const readJson = async <T>(from: string, shape: z.ZodType<T>): Promise<T> => {
    const refuse = (got: string, cause?: unknown) =>
      new ProviderUnreachable(`${got} (asked ${from} for JSON)`, { cause });
    const answer = await ask(from, { method: "GET", headers: { Accept: "application/json" } }).catch(
      (error: Error) => {
        throw error instanceof ProviderUnreachable ? refuse(error.message, error) : error;
      },
    );
    if (answer.status !== 200) throw refuse(`the provider answered ${answer.status}`);
    const json = parseJson(answer);
    if (json === undefined) throw refuse(`the provider answered ${answer.contentType || "no JSON"}`);
    const parsed = shape.safeParse(json);
    if (parsed.success) return parsed.data;
    const faults = new Set(parsed.error.issues.map(({ path }) => path[0] ?? "its content"));
    throw refuse(`the provider's ${[...faults].map(String).join(", ")} cannot be used`);
  };
  const read = async (issuer: string, now: number): Promise<CachedProvider> => {
    const base = issuer.replace(/\/$/, "");
    const from = `${base}/${DISCOVERY}`;
    const metadata = await readJson(from, METADATA);
    // Otherwise, anybody could answer for another issuer (OpenID Connect Discovery 1.0, section 4.3).
    if (metadata.issuer !== issuer)
      throw new SsoRefusal(
        "issuer",
        new Error(`${from} has the issuer ${metadata.issuer}, expected ${issuer}`),
      );
    const keys = await readJson(metadata.jwks_uri, JWKS);
    const found = {
      metadata,
      keys,
      fetchedAt: now,
      refreshedAt: { "ID token": -Infinity, "logout token": -Infinity },
    };
    known.set(issuer, found);
    return found;
  };
  /** Returns a cached provider, or reads it. Simultaneous sign-ins share one request. */
  const find = async (issuer: string, now: number): Promise<CachedProvider> => {
    const kept = known.get(issuer);
    if (kept && Math.abs(now - kept.fetchedAt) < CACHE_MS) return kept;
    const current = reading.get(issuer) ?? read(issuer, now).finally(() => reading.delete(issuer));
    reading.set(issuer, current);
    return current;
  };

  return {
    ask,
    findFault,
    /** Reads a provider's metadata. Rejects with ProviderUnreachable, or with SsoRefusal if the issuer differs. */
    findMetadata: async (issuer: string, now: Date): Promise<Metadata> =>
      (await find(issuer, now.getTime())).metadata,
    /**
     * Reads a provider's keys. If a token's `kid` is not among them, fetches them again, at most every 30 seconds. They
     * must be up to date before a token is validated, because its code cannot be exchanged twice.
     */
    async findKeys(issuer: string, kid: unknown, now: Date, token: SignedToken = "ID token"): Promise<Keys> {
      const time = now.getTime();
      const provider = await find(issuer, time);
      const isKnown = () => kid === undefined || provider.keys.keys.some((key) => key["kid"] === kid);
      if (
        !isKnown() &&
        (provider.fetching || Math.abs(time - provider.refreshedAt[token]) >= UNKNOWN_KEY_MS)
      ) {
        provider.fetching ??= readJson(provider.metadata.jwks_uri, JWKS)
          .then((keys) => {
            provider.keys = keys;
          })
          .finally(() => {
            provider.refreshedAt[token] = time;
            provider.fetching = undefined;
          });
        await provider.fetching;
      }
      return provider.keys;
    },
    /** Drops a provider from the cache, so that a test sees its current answers. */
    forget: (issuer: string): void => void known.delete(issuer),
  };
}

function parseJson({ body }: ProviderAnswer): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
