import { z } from "zod";
import type { Accounts } from "../../../actions/accounts/accounts.js";
import type { FactorsSummary } from "../../../actions/second-factors/own-factors.js";
import type { SessionEndpoint } from "../../endpoint.js";
import { answers, bodies, PASSKEY_OPTIONS, passkeyOptions } from "./auth-shapes.js";
import { endpointsWith } from "./session-endpoint.js";

type PasskeySummary = FactorsSummary["passkeys"][number];

const time = z.iso.datetime();

const recoveryCodes = z.array(z.string()).meta({ description: "Ten codes, shown only once." });

const firstCodes = z
  .object({
    recovery_codes: recoveryCodes
      .nullable()
      .meta({ description: "Ten codes, shown only once; null if this is not your first factor." }),
  })
  .meta({ id: "FirstRecoveryCodes" });

const passkeyShape = z
  .object({
    id: z.uuid().meta({ description: "Identifier of the passkey." }),
    name: z.string().meta({ description: "Your own name for it." }),
    created_at: time.meta({ description: "Time it was added." }),
    last_used_at: time.nullable().meta({ description: "Time of the latest use; null before the first." }),
    backed_up: z.boolean().meta({ description: "True if the passkey provider keeps a copy." }),
  })
  .meta({ id: "Passkey" });

const passkeyId = z.object({ id: z.uuid().meta({ description: "Identifier of the passkey." }) });

const factorsShape = z
  .object({
    totp: z
      .object({ confirmed_at: time.meta({ description: "Time it was confirmed with a code." }) })
      .meta({ id: "AuthenticatorApp" })
      .nullable()
      .meta({ description: "Your authenticator app; null without one." }),
    passkeys: z.array(passkeyShape).meta({ description: "Your passkeys, oldest first." }),
    passkeys_available: z.boolean().meta({
      description: "False if the gateway was opened by IP address, which does not support passkeys.",
    }),
    recovery_codes_left: z.int().meta({ description: "Number of your unused recovery codes." }),
    required: z.boolean().meta({
      description: "True if one of your organizations, or the role of super admin, requires a second factor.",
    }),
    required_from: time
      .nullable()
      .meta({ description: "Time from which it is required; null if it is not." }),
    has_password: z.boolean().meta({ description: "True if you can sign in with a password." }),
  })
  .meta({ id: "SecondFactors" });

/** Creates the endpoints of a user's second factors. */
export function createFactorEndpoints(accounts: Accounts): SessionEndpoint[] {
  const forPeople = endpointsWith(true, accounts.requireSession);
  return [
    forPeople({
      method: "GET",
      path: "/auth/factors",
      summary: "Your second factors",
      setsCookie: false,
      data: factorsShape,
      example: {
        totp: { confirmed_at: TIME },
        passkeys: [PASSKEY],
        passkeys_available: true,
        recovery_codes_left: 10,
        required: false,
        required_from: null,
        has_password: true,
      },
      async handle(_body, incomingCall, session) {
        const { passkeysAvailable, ...factors } = await accounts.describeFactors(session, incomingCall);
        return { data: { ...describeFactors(factors), passkeys_available: passkeysAvailable } };
      },
    }),
    forPeople({
      path: "/auth/totp",
      summary: "Creates the secret of an authenticator app, which takes effect once confirmed with a code",
      setsCookie: false,
      creates: "always",
      failures: ["REAUTHENTICATION_REQUIRED", "CONFLICT", "OPERATOR_REQUIRED"],
      body: bodies.empty.default({}),
      data: z
        .object({
          secret: z.string().meta({ description: "Secret to type into the app, in base32." }),
          uri: z.string().meta({ description: "Content of the QR code." }),
          qr_svg: z.string().meta({ description: "A QR code as SVG." }),
        })
        .meta({ id: "NewTotp" }),
      example: { secret: "GEZDGNBVGY3TQOJQ…", uri: "otpauth://totp/…", qr_svg: "<svg …>" },
      async handle(_body, incomingCall, session) {
        const { secret, uri, qrSvg } = await accounts.createTotp(session, incomingCall);
        return {
          data: { secret, uri, qr_svg: qrSvg },
          status: 201,
          headers: { Location: factorsPath(incomingCall.path) },
        };
      },
    }),
    forPeople({
      path: "/auth/totp/confirm",
      summary: "Confirms an authenticator app with one of its codes, which cannot be used again",
      setsCookie: false,
      failures: [
        "REAUTHENTICATION_REQUIRED",
        "INVALID_CREDENTIALS",
        "CONFLICT",
        "OPERATOR_REQUIRED",
        "RATE_LIMIT_EXCEEDED",
      ],
      body: bodies.code,
      data: firstCodes,
      example: { recovery_codes: CODES },
      handle: async ({ code }, incomingCall, session) => ({
        data: { recovery_codes: await accounts.confirmTotp(session, code, incomingCall) },
      }),
    }),
    forPeople({
      method: "DELETE",
      path: "/auth/totp",
      summary: "Removes your authenticator app",
      setsCookie: false,
      failures: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND", "CONFLICT"],
      data: answers.nothing,
      example: {},
      async handle(_body, incomingCall, session) {
        await accounts.removeTotp(session, incomingCall);
        return { data: {} };
      },
    }),
    forPeople({
      path: "/auth/passkeys/options",
      summary: "Returns the options for a new passkey",
      setsCookie: false,
      failures: ["REAUTHENTICATION_REQUIRED", "CONFLICT"],
      body: bodies.empty.default({}),
      data: passkeyOptions,
      example: PASSKEY_OPTIONS,
      handle: async (_body, incomingCall, session) => ({
        data: await accounts.startEnrolment(session, incomingCall),
      }),
    }),
    forPeople({
      path: "/auth/passkeys",
      summary: "Adds a passkey",
      setsCookie: false,
      creates: "always",
      failures: ["REAUTHENTICATION_REQUIRED", "INVALID_CREDENTIALS", "CONFLICT", "RATE_LIMIT_EXCEEDED"],
      body: bodies.newPasskey,
      data: z
        .object({ passkey: passkeyShape.meta({ description: "The new passkey." }), ...firstCodes.shape })
        .meta({ id: "NewPasskey" }),
      example: { passkey: PASSKEY, recovery_codes: CODES },
      async handle(body, incomingCall, session) {
        const { passkey, recoveryCodes } = await accounts.enrolPasskey(session, body, incomingCall);
        const headers = { Location: `${incomingCall.path.replace(/\/$/, "")}/${passkey.id}` };
        return {
          data: { passkey: describePasskey(passkey), recovery_codes: recoveryCodes },
          status: 201,
          headers,
        };
      },
    }),
    forPeople({
      method: "PATCH",
      path: "/auth/passkeys/{id}",
      summary: "Renames a passkey",
      setsCookie: false,
      failures: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND"],
      params: passkeyId,
      body: bodies.passkeyName,
      data: z
        .object({ passkey: passkeyShape.meta({ description: "The passkey." }) })
        .meta({ id: "RenamedPasskey" }),
      example: { passkey: PASSKEY },
      async handle({ name }, incomingCall, session, { id }) {
        return {
          data: {
            passkey: describePasskey(await accounts.renamePasskey(session, { id, name }, incomingCall)),
          },
        };
      },
    }),
    forPeople({
      method: "DELETE",
      path: "/auth/passkeys/{id}",
      summary: "Removes a passkey",
      setsCookie: false,
      failures: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND", "CONFLICT"],
      params: passkeyId,
      data: answers.nothing,
      example: {},
      async handle(_body, incomingCall, session, { id }) {
        await accounts.removePasskey(session, id, incomingCall);
        return { data: {} };
      },
    }),
    forPeople({
      path: "/auth/recovery-codes",
      summary: "Replaces your recovery codes",
      setsCookie: false,
      failures: ["REAUTHENTICATION_REQUIRED", "CONFLICT", "RATE_LIMIT_EXCEEDED"],
      body: bodies.empty.default({}),
      data: z.object({ recovery_codes: recoveryCodes }).meta({ id: "RecoveryCodes" }),
      example: { recovery_codes: CODES },
      handle: async (_body, incomingCall, session) => ({
        data: { recovery_codes: await accounts.renewRecoveryCodes(session, incomingCall) },
      }),
    }),
  ];
}

const factorsPath = (path: string) => path.replace(/[^/]+\/?$/, "factors");

const describePasskey = ({ id, name, createdAt, lastUsedAt, backedUp }: PasskeySummary) => ({
  id,
  name,
  created_at: createdAt,
  last_used_at: lastUsedAt,
  backed_up: backedUp,
});

const describeFactors = ({
  totp,
  passkeys,
  recoveryCodesLeft,
  requiredFrom,
  hasPassword,
}: FactorsSummary) => ({
  totp: totp && { confirmed_at: totp.confirmedAt },
  passkeys: passkeys.map(describePasskey),
  recovery_codes_left: recoveryCodesLeft,
  required: requiredFrom !== null,
  required_from: requiredFrom,
  has_password: hasPassword,
});

const TIME = "2026-11-20T10:00:00.000Z";
const PASSKEY = {
  id: "0d6b1b0e-54a6-4b52-8a3c-1f0d5a2f7c11",
  name: "Laptop",
  created_at: TIME,
  last_used_at: null,
  backed_up: true,
};
const CODES = ["0123ab-cdefgh-jkmnpq-rstvwx"];
