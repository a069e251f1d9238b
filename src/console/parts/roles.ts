import type { Role } from "../../generated/console.js";
import { nameOf } from "./names.js";

/** Permissions of each role in an organization. */
const PERMISSIONS: Readonly<Record<Role, string>> = {
  VIEWER: "see all data",
  EDITOR: "see and edit all data",
  ADMIN: "edit all data and manage API keys and members",
  OWNER: "do everything, including managing owners",
};

/** Describes a role to its holder: "As editor you can see and edit all data." */
export function describeRole(role: string | null): string {
  const code = role?.toUpperCase();
  return code !== undefined && code in PERMISSIONS
    ? `As ${code.toLowerCase()} you can ${PERMISSIONS[code as Role]}.`
    : "";
}

/** Returns the roles that a user with these scopes may assign, with their permissions. */
export const rolesOf = (scopes: readonly string[]): Readonly<Partial<Record<Role, string>>> =>
  Object.fromEntries(
    Object.entries(PERMISSIONS)
      .filter(([role]) => role !== "OWNER" || scopes.includes("manage:organization"))
      .map(([role, permissions]) => [role, `${nameOf(role)}: can ${permissions}`]),
  );
