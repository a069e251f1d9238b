import { z } from "zod";
import { DECIMAL_LIMITS, readDecimal } from "../../domain/amounts.js";

/** The shape of an amount in a request: a JSON number, or a decimal as text. `description` says which amounts fit. */
export const decimalShape = (description: string) =>
  z
    .union([z.number(), z.string()])
    .refine((amount) => readDecimal(String(amount), DECIMAL_LIMITS) !== undefined, "expected a decimal")
    .meta({ description });
