import { ROLES } from "../people/roles.js";

/** Roles that a provider's claims or a directory's groups can assign, lowest first. */
export const CLAIMED_ROLES = ["viewer", "editor", "admin"] as const;

export type ClaimedRole = (typeof CLAIMED_ROLES)[number];

/** Maximum number of claim values or groups that assign a role. */
export const MAX_ROLE_VALUES = 100;

/** Maximum number of break-glass owners, who can sign in without single sign-on while it is enforced. */
export const MAX_BREAK_GLASS = 2;

/** Rules that assign roles by claims. */
export interface RoleRules {
  readonly defaultRole: ClaimedRole;
  readonly roleClaim: string | null;
  readonly roleMap: Readonly<Record<string, ClaimedRole>>;
}

/** Returns the highest role that the claims assign, or else the default role. */
export function roleOf(
  { defaultRole, roleClaim, roleMap }: RoleRules,
  claims: Readonly<Record<string, unknown>>,
): ClaimedRole {
  const claim = roleClaim !== null && Object.hasOwn(claims, roleClaim) ? claims[roleClaim] : [];
  const values = (Array.isArray(claim) ? claim : [claim]).filter((value) => typeof value === "string");
  const roles = values.flatMap((value) => (Object.hasOwn(roleMap, value) ? [roleMap[value]] : []));
  return CLAIMED_ROLES.findLast((role) => roles.includes(role)) ?? defaultRole;
}

/** Returns true if `text` is a role that claims and groups can assign. */
export const isClaimedRole = (text: unknown): text is ClaimedRole =>
  ROLES.some((role) => role === text) && text !== "owner";
