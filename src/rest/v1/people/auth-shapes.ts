import { z } from "zod";
import { findEmailFault } from "../../../domain/people/email.js";
import { findPasswordFault } from "../../../domain/people/password-rules.js";
import { SCOPES } from "../../../domain/scopes.js";
import { findNameFault } from "../../../domain/texts/name.js";
import { EXPECTED_SLUG, isSlug } from "../../../domain/texts/slug.js";
import { roleShape } from "./role.js";

/** The shape of an organization. */
const organizationShape = z
  .object({ id: z.uuid(), slug: z.string(), name: z.string() })
  .meta({ id: "Organization" });

/** The shape of a person, as the person sees it. */
const userShape = z
  .object({ id: z.uuid(), email: z.string(), name: z.string(), created_at: z.iso.datetime() })
  .meta({ id: "User" });

/** A text with a rule that says what is wrong with it. */
const text = (findFault: (text: string) => string | undefined, string = z.string()) =>
  string.superRefine((value, context) => {
    const message = findFault(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

const name = text(findNameFault, z.string().trim()).meta({ description: "1 to 200 characters." });
const email = text(findEmailFault).meta({ description: "At most 254 characters." });
const newPassword = text((password) => findPasswordFault(password, { email: "" })).meta({
  description: "12 to 200 characters, and none of the most common passwords.",
});
const transport = z.enum(["bearer", "cookie"]).default("bearer").meta({
  description: "How the session is carried: by tokens in the Authorization header, or by a cookie.",
});

/** The bodies of requests. */
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
              .meta({ description: "Made of the name if it is left out." }),
          })
          .meta({ id: "NewOrganization" }),
        transport,
      })
      .meta({ id: "Registration" }),
    z
      .strictObject({
        invitation: z.string().meta({ description: "The token at the end of the invitation's link." }),
        password: z.string().meta({
          description: "Of the account with the invitation's e-mail address; if there is none, of a new one.",
        }),
        name: name.optional().meta({
          description: "Name of a new account; by default, the part of the e-mail address before the @.",
        }),
        transport,
      })
      .meta({ id: "InvitedRegistration" }),
  ]),
  login: z.strictObject({ email, password: z.string(), transport }),
  link: z.strictObject({
    token: z.string().meta({ description: "The token at the end of the link." }),
    password: z.string().optional().meta({ description: "A new password, which ends all other sessions." }),
    transport,
  }),
  refresh: z.strictObject({ refresh_token: z.string() }),
  logout: z.strictObject({
    all: z.boolean().default(false).meta({ description: "Whether to end all sessions of the person." }),
  }),
  reauthenticate: z.strictObject({ password: z.string() }),
  password: z.strictObject({ current: z.string(), new: z.string() }),
  organization: z.strictObject({ slug: z.string() }),
  confirmation: z.strictObject({
    token: z.string().meta({ description: "The part of the link that follows `#confirm=`." }),
  }),
  empty: z.strictObject({}),
};

const seconds = z.int().meta({ description: "Seconds." });

const session = z.union([
  z
    .object({
      id: z.uuid(),
      access_token: z.string(),
      token_type: z.literal("Bearer"),
      expires_in: seconds,
      refresh_token: z.string().meta({ description: "For one use." }),
      refresh_expires_in: seconds,
    })
    .meta({ id: "TokenSession" }),
  z.object({ id: z.uuid(), expires_in: seconds }).meta({ id: "CookieSession" }),
]);

/** What is answered, as `data`. */
export const answers = {
  signedIn: z
    .object({
      user: userShape,
      organization: organizationShape.nullable().meta({ description: "The active one." }),
      session,
    })
    .meta({ id: "SignedIn" }),
  session: z.object({ session }).meta({ id: "RenewedSession" }),
  confirmed: z.object({ email: z.string() }).meta({ id: "ConfirmedAddress" }),
  unconfirmed: z
    .object({
      unconfirmed: z.array(z.string()).meta({ description: "Your addresses that are not confirmed." }),
    })
    .meta({ id: "UnconfirmedAddresses" }),
  ended: z.object({ ended_sessions: z.int() }).meta({ id: "EndedSessions" }),
  organization: z
    .object({ organization: organizationShape, role: roleShape, scopes: z.array(z.enum(SCOPES)) })
    .meta({ id: "ActiveOrganization" }),
};
