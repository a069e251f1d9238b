import { createPublicKey, generateKeyPairSync, hash, type KeyObject, sign } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readPrivateKey } from "../../config/variables.js";
import type { Config } from "../../config.js";
import { once } from "../../domain/once.js";

/** A private key that signs certificates, with its public part. */
export interface CertificateKey {
  /** The first 16 hexadecimal digits of the SHA-256 of the public key. */
  readonly kid: string;
  /** The 32 bytes of the public key in base64url, as `x` of a JSON Web Key (RFC 8037). */
  readonly publicKey: string;
  /** Returns the Ed25519 signature (RFC 8032) of a string in UTF-8, in base64. */
  sign(text: string): string;
}

function describeKey(privateKey: KeyObject): CertificateKey {
  const { x: publicKey = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  return {
    kid: hash("sha256", Buffer.from(publicKey, "base64url")).slice(0, 16),
    publicKey,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString("base64"),
  };
}

/**
 * Creates the function that returns the key in CERTIFICATE_KEY. If that is not set, the embedded database has a key
 * file in its folder, created on first use. Null if there is neither.
 */
export function createCertificateKey({
  certificateKey,
  databaseUrl,
  dataDir,
}: Pick<Config, "certificateKey" | "databaseUrl" | "dataDir">): () => Promise<CertificateKey | null> {
  if (certificateKey !== undefined) {
    const key = describeKey(readPrivateKey(certificateKey));
    return async () => key;
  }
  if (databaseUrl !== undefined) return async () => null;
  return once(async () => describeKey(readPrivateKey(await readOrCreate(dataDir))));
}

/** Returns the `kid` of the key that signs certificates, without creating a key; null without one. */
export async function findCertificateKeyId({
  certificateKey,
  databaseUrl,
  dataDir,
}: Pick<Config, "certificateKey" | "databaseUrl" | "dataDir">): Promise<string | null> {
  const stored =
    databaseUrl === undefined ? await readFile(fileIn(dataDir), "utf8").catch(() => undefined) : undefined;
  const key = certificateKey ?? stored?.trim();
  return key === undefined ? null : describeKey(readPrivateKey(key)).kid;
}

const fileIn = (folder: string) => join(folder, "certificate-key");

/** Returns the content of the key file. Creates the file if it is missing, readable by its owner alone. */
async function readOrCreate(folder: string): Promise<string> {
  const file = fileIn(folder);
  const created = generateKeyPairSync("ed25519").privateKey.export({ format: "der", type: "pkcs8" });
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(file, `${created.toString("base64")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return (await readFile(file, "utf8")).trim();
}
