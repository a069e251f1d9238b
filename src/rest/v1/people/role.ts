import { z } from "zod";
import { ROLES, type Role } from "../../../domain/people/roles.js";

/** The shape of a member's role. */
export const roleShape = z.enum(ROLES);

/** Returns a role in the graph's spelling. */
export const upperCase = (role: Role) => role.toUpperCase() as Uppercase<Role>;
