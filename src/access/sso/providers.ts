import { LRUCache } from "lru-cache";
import { z } from "zod";
import { type ProviderAccess, type ProviderAnswer, ProviderUnreachable } from "../../delivery/provider.js";
import { SsoRefusal } from "../../domain/sso/sso-refusals.js";

const MINUTE_MS = 60_000;
/** Time for which metadata and keys are kept. */
const KEPT_MS = 10 * MINUTE_MS;
/** Minimum time between two fetches of the keys because of an unknown one. A rotation may follow any other fetch at once. */
const UNKNOWN_KEY_MS = MINUTE_MS / 2;

/** Browsers open some of them, so none may be a script. */
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

/** Metadata of a provider (OpenID Connect Discovery 1.0), as far as it is used. */
export type Metadata = z.infer<typeof METADATA>;
export type Keys = z.infer<typeof JWKS>;

type SignedToken = "ID token" | "logout token";

interface Known {
  readonly metadata: Metadata;
  keys: Keys;
  readonly fetchedAt: number;
  /** Time of the last fetch for an unknown key, by kind of token. Kept apart because anybody can send a logout token. */
  readonly refreshedAt: Record<SignedToken, number>;
  /** In progress. */
  fetching?: Promise<void> | undefined;
}

export type Providers = ReturnType<typeof createProviders>;

/** Creates the functions that read the metadata and the keys of providers, which this process keeps for 10 minutes. */
export function createProviders({ ask, findFault }: ProviderAccess) {
  const known = new LRUCache<string, Known>({ max: 500 });
  const reading = new Map<string, Promise<Known>>();

  const readJson = async <T>(from: string, shape: z.ZodType<T>): Promise<T> => {
    const answer = await ask(from, { method: "GET", headers: { Accept: "application/json" } });
    const parsed = answer.status === 200 ? shape.safeParse(parseJson(answer)) : undefined;
    if (parsed?.success) return parsed.data;
    throw new ProviderUnreachable(
      `the provider answered ${answer.status} without what was expected at ${from}`,
    );
  };
  const read = async (issuer: string, now: number): Promise<Known> => {
    const base = issuer.replace(/\/$/, "");
    const metadata = await readJson(`${base}/.well-known/openid-configuration`, METADATA);
    // OpenID Connect Discovery 1.0, section 4.3: it must be the same, or anybody could answer for another issuer.
    if (metadata.issuer !== issuer) throw new SsoRefusal("issuer");
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
  /** Sign-ins at the same time share one request. */
  const find = async (issuer: string, now: number): Promise<Known> => {
    const kept = known.get(issuer);
    if (kept && Math.abs(now - kept.fetchedAt) < KEPT_MS) return kept;
    const present = reading.get(issuer) ?? read(issuer, now).finally(() => reading.delete(issuer));
    reading.set(issuer, present);
    return present;
  };

  return {
    ask,
    findFault,
    /** Resolves to the metadata of a provider. Rejects with ProviderUnreachable, and with SsoRefusal for another issuer. */
    findMetadata: async (issuer: string, now: Date): Promise<Metadata> =>
      (await find(issuer, now.getTime())).metadata,
    /**
     * Resolves to the keys of a provider. If the key `kid` of a token is not among them, fetches them again, once in 30 seconds:
     * a code cannot be exchanged twice, so the keys must be up to date before its token is validated.
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
    /** Forgets a provider, to test what it answers now. */
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
