import { generateSecret, generateURI, verifySync } from "otplib";

const ISSUER = "Carbon Gateway";

/** Length of a time step. The codes of the previous and the next step are accepted, too (RFC 6238, section 5.2). */
const STEP_SECONDS = 30;

const PATTERN = /^[0-9]{6}$/;

/** Creates the secret for an authenticator app: 20 random bytes in base32. */
export const generateTotpSecret = (): string => generateSecret({ length: 20 });

/** Returns the URI of a secret that authenticator apps read from a QR code. */
export const writeTotpUri = (secret: string, email: string): string =>
  generateURI({ issuer: ISSUER, label: email, secret });

/** Returns the time step of a code; null if the code is wrong or its step is not after `lastStep`. */
export function findTotpStep(secret: string, code: string, lastStep: number, now: Date): number | null {
  const token = code.replaceAll(" ", "");
  if (!PATTERN.test(token)) return null;
  const epoch = Math.floor(now.getTime() / 1_000);
  const result = verifySync({ secret, token, epoch, epochTolerance: STEP_SECONDS });
  return result.valid && "timeStep" in result && result.timeStep > lastStep ? result.timeStep : null;
}
