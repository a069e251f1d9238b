import { z } from "zod";
import {
  ADDITION_KINDS,
  type Addition,
  LEFT_KINDS,
  type LeftAddition,
} from "../../../domain/people/additions.js";

const addition = z
  .object({
    kind: z.enum(ADDITION_KINDS).meta({ description: "Type of access." }),
    name: z.string().meta({
      description:
        "Name of a passkey, organization of an identity, user agent of a session, e-mail address, or host of a webhook; empty for others.",
    }),
    added_at: z.iso.datetime().nullable().meta({ description: "Time it was added; null if unknown." }),
  })
  .meta({ id: "Addition" });

const leftAddition = z
  .object({
    kind: z.enum(LEFT_KINDS).meta({ description: "Type of the addition." }),
    name: z.string().meta({ description: "Its name, its host, or the invited e-mail address." }),
    organization: z.string().meta({ description: "Name of the organization." }),
    added_at: z.iso.datetime().meta({ description: "Time it was added." }),
  })
  .meta({ id: "OrganizationAddition" });

/** Removed access, as `removed`. */
export const removedShape = z
  .array(addition)
  .meta({ description: "Access that was removed from the account, oldest first." });

/** Access that a link removes or offers to remove, as `additions`. */
export const additionsShape = z.array(addition).meta({
  description:
    "Access to the account that the link removes, or removes if you choose so (the last 7 days), oldest first.",
});

/** Additions of a user to organizations, as `to_review`. */
export const toReviewShape = z.array(leftAddition).meta({
  description:
    "What the account added to organizations in the same time, at most 100. The link does not remove it: ask an admin to review it. Empty for a mailed link for a new password.",
});

/** Time of the next link, as `password_link_at`. */
export const passwordLinkAt = z.iso.datetime().nullable().meta({
  description:
    "Time at which a link for a new password is mailed. Until then, e-mails set none, because one of them removed the last second factor. Null without this wait.",
});

export const describeAdditions = (additions: readonly Addition[]): z.infer<typeof removedShape> =>
  additions.map(({ kind, name, addedAt }) => ({ kind, name, added_at: addedAt?.toISOString() ?? null }));

export const describeLeft = (left: readonly LeftAddition[]): z.infer<typeof toReviewShape> =>
  left.map(({ addedAt, ...rest }) => ({ ...rest, added_at: addedAt.toISOString() }));

export const ADDITION_EXAMPLE: z.infer<typeof addition> = {
  kind: "passkey",
  name: "Laptop",
  added_at: "2026-11-20T10:00:00.000Z",
};
