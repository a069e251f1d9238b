import { z } from "zod";
import { EMISSION_SCOPES, type EmissionScope } from "../../../domain/enums.js";

export const scopeShape = z.enum(EMISSION_SCOPES);

/** A scope as the graph spells it. */
export const upperCase = (scope: EmissionScope) => scope.toUpperCase() as Uppercase<EmissionScope>;
