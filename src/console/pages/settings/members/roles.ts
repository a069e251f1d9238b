import type { Role } from "../../../../generated/console.js";

/** The roles, each with what it may do beyond the one before. */
export const ROLES: Readonly<Record<Role, string>> = {
  VIEWER: "Viewer: reads",
  EDITOR: "Editor: also writes data",
  ADMIN: "Admin: also manages keys and members",
  OWNER: "Owner: also manages the organization",
};

/** The roles that a person may give. */
export const rolesOf = (scopes: readonly string[]): readonly Role[] =>
  scopes.includes("manage:organization")
    ? ["VIEWER", "EDITOR", "ADMIN", "OWNER"]
    : ["VIEWER", "EDITOR", "ADMIN"];
