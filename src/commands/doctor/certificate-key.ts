import { findCertificateKeyId } from "../../access/secrets/certificate-key.js";
import type { Config } from "../../config.js";
import type { Database } from "../../data/database/types.js";
import { listSigningKeys } from "../../data/verification/certificates.js";
import { type Finding, fail, ok, warn } from "./finding.js";

/** Compares the key that signs certificates with that of the latest certificates. Returns no findings without any. */
export async function examineCertificateKey(database: Database, config: Config): Promise<Finding[]> {
  const check = "certificate key";
  const latest = (await listSigningKeys(database)).find(({ usedUntil }) => usedUntil === null);
  if (latest === undefined) return [];
  const kid = await findCertificateKeyId(config);
  if (kid === latest.kid) return [ok(check, `The key is that of the latest certificates (${kid}).`)];
  const mend = `Set CERTIFICATE_KEY to the key ${latest.kid}, from your copy. To change the key, see The key in docs/verification.md.`;
  return kid === null
    ? [
        fail(
          check,
          `Certificates were signed with the key ${latest.kid}, but none is set: no verification can end.`,
          mend,
        ),
      ]
    : [
        warn(
          check,
          `The key is ${kid}, and the latest certificates were signed with ${latest.kid}.`,
          `${mend} If you have changed it, this disappears with the next certificate.`,
        ),
      ];
}
