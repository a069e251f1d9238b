import type { Role } from "../../../../generated/console.js";

/** The roles that a person may give, each with what it may do beyond the one before. */
export const rolesOf = (scopes: readonly string[]): Readonly<Partial<Record<Role, string>>> => ({
  VIEWER: "Viewer: reads",
  EDITOR: "Editor: also writes data",
  ADMIN: "Admin: also manages keys and members",
  ...(scopes.includes("manage:organization") && { OWNER: "Owner: also manages the organization" }),
});
