import { z } from "zod";
import { MAX_CHALLENGE_LENGTH } from "../../../access/secrets/challenge.js";
import { MAX_CREDENTIAL_ID_LENGTH } from "../../../access/secrets/passkeys.js";
import { findEmailFault, findStoredEmailFault } from "../../../domain/people/email.js";
import { findPasswordFault } from "../../../domain/people/password-rules.js";
import { ROLES } from "../../../domain/people/roles.js";
import { SCOPES } from "../../../domain/scopes.js";
import { findNameFault } from "../../../domain/texts/name.js";
import { EXPECTED_SLUG, isSlug } from "../../../domain/texts/slug.js";

import { additionsShape, passwordLinkAt, removedShape, toReviewShape } from "./addition-shapes.js";

const roleShape = z.enum(ROLES);

const organizationShape = z
  .object({
    id: z.uuid().meta({ description: "Identifier of the organization." }),
    slug: z.string().meta({ description: "Short name of the organization, used in URLs." }),
    name: z.string().meta({ description: "Name of the organization." }),
  })
  .meta({ id: "Organization" });

/** Shape of a user, as that user sees it. */
const userShape = z
  .object({
    id: z.uuid().meta({ description: "Identifier of the account." }),
    email: z.string().meta({ description: "E-mail address that you sign in with." }),
    name: z.string().meta({ description: "Your name." }),
    created_at: z.iso.datetime().meta({ description: "Time the account was created." }),
  })
  .meta({ id: "User" });

/** Creates the shape of a string. `findFault` describes the fault of an invalid one. */
const text = (findFault: (text: string) => string | undefined, string = z.string()) =>
  string.superRefine((value, context) => {
    const message = findFault(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

const name = text(findNameFault, z.string().trim()).meta({ description: "1 to 200 characters." });
const email = text(findEmailFault).meta({ description: "At most 254 characters." });
const storedEmail = text(findStoredEmailFault).meta({ description: "At most 254 characters." });
const password = z.string().meta({ description: "Your password." });
const newPassword = text((password) => findPasswordFault(password, { email: "" })).meta({
  description:
    "Password of 12 to 200 characters, other than a common one, your e-mail address, the part of it before the @, or your organization's name.",
});
const transport = z.enum(["bearer", "cookie"]).default("bearer").meta({
  description: "Transport of the session: tokens in the Authorization header, or a cookie.",
});

const sameTransport = z.enum(["bearer", "cookie"]).optional().meta({
  description: "Transport of the session; the one in the first request if omitted.",
});
const challenge = z.string().max(MAX_CHALLENGE_LENGTH).meta({ description: "The token of the challenge." });
const response = z
  .looseObject({
    id: z
      .string()
      .max(MAX_CREDENTIAL_ID_LENGTH)
      .regex(/^[\w-]+$/, "expected base64url")
      .meta({ description: "Identifier of the credential." }),
  })
  .meta({
    id: "PasskeyResponse",
    description: "Answer of `navigator.credentials`, as `toJSON` writes it.",
  });
const code = z.string().max(20).meta({ description: "Six-digit code from your authenticator app." });
const recoveryCode = z
  .string()
  .max(100)
  .meta({ description: "One of your recovery codes. Case and dashes are ignored." });

const removeAdded = z.boolean().default(false).meta({
  description:
    "True to remove second factors, recovery codes, identities, sessions and pending changes that were added in the last 7 days. `POST /v1/auth/link/inspect` lists them.",
});

/** Bodies of requests. */
export const bodies = {
  register: z.union([
    z
      .strictObject({
        email,
        password: newPassword,
        name,
        organization: z
          .strictObject({
            name,
            slug: text((slug) => (isSlug(slug) ? undefined : `expected ${EXPECTED_SLUG}`))
              .optional()
              .meta({ description: "Derived from the name if omitted." }),
          })
          .meta({ id: "NewOrganization" }),
        transport,
      })
      .meta({ id: "Registration" }),
    z
      .strictObject({
        invitation: z.string().meta({ description: "The token at the end of the invitation's link." }),
        password: z.string().meta({
          description:
            "Password of the account with the invitation's e-mail address, or of a new account if none exists.",
        }),
        name: name.optional().meta({
          description: "Name of a new account; by default, the part of the e-mail address before the @.",
        }),
        transport,
      })
      .meta({ id: "InvitedRegistration" }),
  ]),
  login: z.strictObject({ email: storedEmail, password, transport }),
  link: z.strictObject({
    token: z.string().meta({ description: "The token at the end of the link." }),
    password: z.string().optional().meta({
      description:
        "New password, which ends all other sessions. Required if the account has a password but its e-mail address was never confirmed.",
    }),
    remove_added: removeAdded,
    transport,
  }),
  disown: z.strictObject({
    token: z.string().meta({ description: "Part of the link after `#disown=`." }),
  }),
  inspection: z.strictObject({
    token: z.string().meta({ description: "The token at the end of the link." }),
  }),
  refresh: z.strictObject({
    refresh_token: z.string().meta({ description: "The refresh token of the session." }),
  }),
  logout: z.strictObject({
    all: z.boolean().default(false).meta({ description: "True to end all of the person's sessions." }),
  }),
  reauthenticate: z.union([
    z.strictObject({ password }).meta({ id: "PasswordProof" }),
    z.strictObject({ code }).meta({ id: "CodeProof" }),
    z.strictObject({ recovery_code: recoveryCode }).meta({ id: "RecoveryCodeProof" }),
    z.strictObject({ challenge, response }).meta({ id: "PasskeyReauthentication" }),
  ]),
  start: z.strictObject({ email: storedEmail }),
  factor: z.union([
    z.strictObject({ challenge, code, transport: sameTransport }).meta({ id: "CodeFactor" }),
    z
      .strictObject({ challenge, recovery_code: recoveryCode, transport: sameTransport })
      .meta({ id: "RecoveryCodeFactor" }),
    z.strictObject({ challenge, response, transport: sameTransport }).meta({ id: "PasskeyFactor" }),
  ]),
  challenge: z.strictObject({ challenge }),
  code: z.strictObject({ code }),
  passkeySignIn: z.strictObject({ challenge, response, transport }),
  newPasskey: z.strictObject({
    challenge,
    name: name.meta({ description: "Your own name for it: 1 to 200 characters." }),
    response,
  }),
  passkeyName: z.strictObject({ name }),
  password: z.strictObject({
    current: password,
    new: z.string().meta({ description: "The new password, 12 to 200 characters." }),
  }),
  organization: z.strictObject({
    slug: z.string().meta({ description: "Slug of an organization you are a member of." }),
  }),
  confirmation: z.strictObject({
    token: z.string().meta({
      description:
        "Part of the link after `#confirm=`, `#change=` or `#cancel=`. Cancelling also removes what was added to the account from 7 days before the change was requested, ends all sessions, removes the password, and e-mails a link for a new one.",
    }),
    password: z.string().optional().meta({
      description: "Password of the account. Without it, confirming requires a session of the account.",
    }),
    deny: z.boolean().default(false).meta({
      description:
        "True if you did not request the e-mail. The gateway invalidates the link, and disables an account that was registered with the address and never confirmed it.",
    }),
  }),
  email: z.strictObject({ email }),
  reset: z.strictObject({
    token: z.string().meta({ description: "Part of the link after `#reset=`." }),
    password: z.string().meta({ description: "The new password, 12 to 200 characters." }),
    remove_added: removeAdded,
  }),
  empty: z.strictObject({}),
};

const seconds = z.int().meta({ description: "Seconds." });

const sessionId = z.uuid().meta({ description: "Identifier of the session." });
const session = z
  .union([
    z
      .object({
        id: sessionId,
        access_token: z.string().meta({ description: "Token to send as `Authorization: Bearer`." }),
        token_type: z.literal("Bearer").meta({ description: "Always `Bearer`." }),
        expires_in: seconds,
        refresh_token: z.string().meta({ description: "Refresh token. Can be used once." }),
        refresh_expires_in: seconds,
      })
      .meta({ id: "TokenSession" }),
    z.object({ id: sessionId, expires_in: seconds }).meta({ id: "CookieSession" }),
  ])
  .meta({ description: "The session, using the requested `transport`." });

const signedIn = z
  .object({
    user: userShape,
    organization: organizationShape.nullable().meta({ description: "The active organization." }),
    session,
  })
  .meta({ id: "SignedIn" });

/** Options for the browser's WebAuthn call. */
export const passkeyOptions = z
  .object({
    options: z.record(z.string(), z.unknown()).meta({
      description:
        "For `navigator.credentials`, as JSON: see `PublicKeyCredential.parseRequestOptionsFromJSON`.",
    }),
    challenge: z
      .string()
      .meta({ description: "Token to send with the answer within 5 minutes. Can be used once." }),
  })
  .meta({ id: "PasskeyOptions" });

export const PASSKEY_OPTIONS: z.infer<typeof passkeyOptions> = {
  options: { challenge: "kvHf…", rpId: "carbon.example.com", userVerification: "required" },
  challenge: "cgw_chl_…",
};

const signInChallenge = z
  .object({
    token: z.string().meta({ description: "Token to send to `/auth/login/factor`. Can be used once." }),
    expires_in: seconds,
    methods: z
      .array(z.enum(["totp", "passkey", "recovery_code"]))
      .meta({ description: "Accepted second factors." }),
    passkey: z.record(z.string(), z.unknown()).nullable().meta({
      description: "Options for `navigator.credentials.get`, as JSON; null if no passkey can be used.",
    }),
  })
  .meta({ id: "SignInChallenge" });

const challenged = z.object({
  user: z.null(),
  organization: z.null(),
  session: z.null(),
  challenge: signInChallenge,
});

const optionallyRemoved = { removed: removedShape.optional() };

const endedSessions = z.int().meta({ description: "Number of sessions ended." });

/** Responses, as `data`. */
export const answers = {
  signedIn,
  challenge: z.object({ challenge: signInChallenge }).meta({ id: "OpenSignInChallenge" }),
  entered: z.union([
    signedIn,
    challenged.meta({
      id: "ChallengedSignIn",
      description: "The account has a second factor, which is required next.",
    }),
  ]),
  start: z
    .object({
      methods: z
        .array(z.enum(["sso", "password", "passkey"]))
        .meta({ description: "Ways to sign in, the preferred one first." }),
      sso: z
        .object({
          url: z
            .string()
            .meta({ description: "URL that starts the sign-in with the organization's provider." }),
        })
        .meta({ id: "SingleSignOnStart" })
        .nullable()
        .meta({ description: "Single sign-on; null if the domain has none." }),
    })
    .meta({ id: "SignInMethods" }),
  session: z.object({ session }).meta({ id: "RenewedSession" }),
  linked: z.union([
    signedIn.extend(optionallyRemoved).meta({ id: "LinkSignedIn" }),
    challenged.extend(optionallyRemoved).meta({
      id: "ChallengedLinkSignIn",
      description: "The account has a second factor, which is required next.",
    }),
  ]),
  link: z
    .object({
      kind: z
        .enum(["sign_in", "invitation", "reset", "cancel", "disown"])
        .meta({ description: "Purpose of the link." }),
      email: z.string().meta({ description: "E-mail address of the account." }),
      organization: z
        .string()
        .nullable()
        .meta({ description: "Name of the organization; null for an account without one." }),
      role: roleShape.nullable().meta({ description: "Role in the organization." }),
      inviter: z.string().nullable().meta({
        description: "Name of the person who sent the invitation; null if an operator created the link.",
      }),
      additions: additionsShape,
      to_review: toReviewShape,
      password_delay_hours: z.int().meta({
        description:
          "Hours until a link for a new password is mailed if the additions are removed; 0 without a wait.",
      }),
      password_link_at: passwordLinkAt,
    })
    .meta({ id: "LinkDetails" }),
  confirmed: z
    .object({
      email: z.string().meta({ description: "The address that the link was sent to." }),
      ...optionallyRemoved,
      to_review: toReviewShape.optional(),
    })
    .meta({ id: "ConfirmedAddress" }),
  unconfirmed: z
    .object({
      unconfirmed: z.array(z.string()).meta({ description: "Your unconfirmed addresses." }),
    })
    .meta({ id: "UnconfirmedAddresses" }),
  nothing: z.object({}).meta({ id: "Nothing" }),
  reset: z
    .object({
      ended_sessions: endedSessions,
      ...optionallyRemoved,
      password_link_at: passwordLinkAt.optional(),
    })
    .meta({ id: "PasswordReset" }),
  disowned: z
    .object({
      removed: removedShape,
      ended_sessions: endedSessions,
      password_removed: z.boolean().meta({
        description:
          "True if the password was removed: the last second factor was, and the password was set after it was added, or in the 7 days before.",
      }),
      password_link_at: passwordLinkAt,
    })
    .meta({ id: "DisownedAddition" }),
  signedOut: z
    .object({
      ended_sessions: endedSessions,
      provider_logout_url: z.string().nullable().meta({
        description:
          "URL for the browser to open, at which the organization's provider ends its own session; null unless the session was started through a provider that offers it.",
      }),
    })
    .meta({ id: "SignedOut" }),
  organization: z
    .object({
      organization: organizationShape,
      role: roleShape.meta({ description: "Your role in it." }),
      scopes: z.array(z.enum(SCOPES)).meta({ description: "Scopes of the role." }),
    })
    .meta({ id: "ActiveOrganization" }),
};
