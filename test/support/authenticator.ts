import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}
interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

const hash = (data: string | Buffer) => createHash("sha256").update(data).digest();
const base64url = (data: string | Uint8Array) => Buffer.from(data).toString("base64url");

// Flags of authenticator data (WebAuthn, section 6.1).
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** Creates an authenticator with one passkey, for tests without a browser. It answers as a browser at `origin` does. */
export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(16);
  let handle = "";
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const answer = (response: object) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: "public-key",
    clientExtensionResults: {},
    response,
  });
  const counter = Buffer.alloc(4);

  return {
    create({ challenge, rp, user }: CreationOptions) {
      handle = user.id;
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      // An ES256 key on the curve P-256 (RFC 9053, sections 2.1 and 7.1).
      const key = isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, new Uint8Array(Buffer.from(x, "base64url"))],
          [-3, new Uint8Array(Buffer.from(y, "base64url"))],
        ]),
      );
      const flags = Buffer.from([USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL]);
      const model = Buffer.alloc(16);
      const authData = Buffer.concat([
        hash(rp.id),
        flags,
        counter,
        model,
        Buffer.from([0, id.length]),
        id,
        key,
      ]);
      const attestation = new Map<string, string | Map<string, never> | Uint8Array>([
        ["fmt", "none"],
        ["attStmt", new Map<string, never>()],
        ["authData", new Uint8Array(authData)],
      ]);
      return answer({
        clientDataJSON: base64url(clientData("webauthn.create", challenge)),
        attestationObject: base64url(isoCBOR.encode(attestation)),
        transports: ["internal"],
      });
    },
    get({ challenge, rpId }: RequestOptions) {
      const data = clientData("webauthn.get", challenge);
      const authData = Buffer.concat([hash(rpId), Buffer.from([USER_PRESENT | USER_VERIFIED]), counter]);
      return answer({
        clientDataJSON: base64url(data),
        authenticatorData: base64url(authData),
        signature: base64url(sign("sha256", Buffer.concat([authData, hash(data)]), privateKey)),
        userHandle: handle,
      });
    },
  };
}
