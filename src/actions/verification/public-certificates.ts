import type { CountFailure } from "../../access/authenticate.js";
import type { Resources } from "../../access/context.js";
import {
  findAnyCertificate,
  listSigningKeys,
  type PublicCertificateRow,
} from "../../data/verification/certificates.js";
import { AppError, tooMany } from "../../errors.js";
import type { RequestInfo } from "../../http/request-info.js";
import { linkToCertificate } from "./link.js";

/** The public data of a certificate. */
export interface PublicCertificate extends PublicCertificateRow {
  /** The certificate's page. */
  readonly url: string;
}

/**
 * A public key as a JSON Web Key (RFC 8037), and the period in which it signed. `used_until` is null for the current
 * key.
 */
export interface PublicKey {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly use: "sig";
  readonly alg: "EdDSA";
  readonly kid: string;
  readonly x: string;
  readonly used_from: string;
  readonly used_until: string | null;
}

/** Public access to certificates. */
export interface PublicCertificates {
  /**
   * Returns a certificate by its number. Throws NOT_FOUND, and RATE_LIMIT_EXCEEDED after too many unknown numbers from
   * an address.
   */
  find(request: RequestInfo, number: string): Promise<PublicCertificate>;
  /** Lists the keys that have signed certificates, latest first. */
  listKeys(request: RequestInfo): Promise<PublicKey[]>;
}

/** Creates the public access to certificates. Unknown numbers count as failures of an address, like unknown keys. */
export function createPublicCertificates(
  { database, site }: Pick<Resources, "database" | "site">,
  countFailure: CountFailure,
): PublicCertificates {
  return {
    async find(request, number) {
      const found = await request.inTime(() => findAnyCertificate(database, number));
      if (found) return { ...found, url: linkToCertificate(site, number) };
      const seconds = await countFailure(request.address());
      if (seconds === null) throw new AppError("NOT_FOUND", "There is no certificate with this number.");
      throw tooMany("Too many unknown numbers of certificates.", seconds * 1_000);
    },
    async listKeys(request) {
      const keys = await request.inTime(() => listSigningKeys(database));
      return keys.map(({ kid, publicKey, usedFrom, usedUntil }) => ({
        kty: "OKP" as const,
        crv: "Ed25519" as const,
        use: "sig" as const,
        alg: "EdDSA" as const,
        kid,
        x: publicKey,
        used_from: usedFrom.toISOString(),
        used_until: usedUntil?.toISOString() ?? null,
      }));
    },
  };
}
