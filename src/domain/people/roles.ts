import { KEY_SCOPES, type Scope } from "../scopes.js";

/** Roles of an organization's members. Each includes the permissions of the previous ones. */
export const ROLES = ["viewer", "editor", "admin", "owner"] as const;

export type Role = (typeof ROLES)[number];

const VIEWER: readonly Scope[] = KEY_SCOPES;
const EDITOR: readonly Scope[] = [
  ...VIEWER,
  "write:emissions",
  "write:compliance",
  "write:credits",
  "write:market",
];
const ADMIN: readonly Scope[] = [
  ...EDITOR,
  "manage:keys",
  "manage:members",
  "manage:webhooks",
  "read:audit",
  "request:verification",
];

export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: VIEWER,
  editor: EDITOR,
  admin: ADMIN,
  owner: [...ADMIN, "manage:organization"],
};

/** Scopes available to service accounts, by role. Only service accounts can have `admin:members`, for `/scim/v2`. */
export const SERVICE_SCOPES: Readonly<Record<Exclude<Role, "owner">, readonly Scope[]>> = {
  viewer: VIEWER,
  editor: EDITOR,
  admin: [...ADMIN, "admin:members"],
};
