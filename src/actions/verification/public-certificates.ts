import type { Resources } from "../../access/context.js";
import {
  findAnyCertificate,
  listSigningKeys,
  type PublicCertificateRow,
} from "../../data/verification/certificates.js";
import { AppError, tooMany } from "../../errors.js";
import type { RequestInfo } from "../../http/request-info.js";
import { linkToCertificate } from "./link.js";

/** A certificate as anybody may see it. */
export interface PublicCertificate extends PublicCertificateRow {
  /** The page about it. */
  readonly url: string;
}

/** A public key as a JSON Web Key (RFC 8037), and when it signed; `used_until` is null for the one in use. */
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

/** What anybody may see of certificates. */
export interface PublicCertificates {
  /** Finds a certificate by its number. Throws NOT_FOUND, and RATE_LIMIT_EXCEEDED after too many unknown numbers of an address. */
  find(request: RequestInfo, number: string): Promise<PublicCertificate>;
  /** The keys that have signed certificates, latest first. */
  listKeys(request: RequestInfo): Promise<PublicKey[]>;
}

/** Creates what anybody may see of certificates. Unknown numbers count as failures of an address, as unknown keys do. */
export function createPublicCertificates(
  { database, site }: Pick<Resources, "database" | "site">,
  countFailure: (address: string) => Promise<number | null>,
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
        ...({ kty: "OKP", crv: "Ed25519", use: "sig", alg: "EdDSA" } as const),
        kid,
        x: publicKey,
        used_from: usedFrom.toISOString(),
        used_until: usedUntil?.toISOString() ?? null,
      }));
    },
  };
}
