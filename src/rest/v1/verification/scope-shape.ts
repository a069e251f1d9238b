import { z } from "zod";
import { EMISSION_SCOPES } from "../../../domain/enums.js";

export const scopeShape = z.enum(EMISSION_SCOPES);
