import type { Role } from "../../../../generated/console.js";

/** Returns the roles that the user may assign. Each description lists what it adds to the role before it. */
export const rolesOf = (scopes: readonly string[]): Readonly<Partial<Record<Role, string>>> => ({
  VIEWER: "Viewer: reads",
  EDITOR: "Editor: also writes data",
  ADMIN: "Admin: also manages keys and members",
  ...(scopes.includes("manage:organization") && { OWNER: "Owner: also manages the organization" }),
});
