import { z } from "zod";
import { DECIMAL_LIMITS, readDecimal } from "../../domain/decimals.js";

/** Returns true if an amount in a request is a decimal. */
export const isDecimal = (amount: number | string): boolean =>
  readDecimal(String(amount), DECIMAL_LIMITS) !== undefined;

/**
 * Creates the shape of an amount in a request: a JSON number, or a decimal as a string. `description` states the
 * accepted amounts.
 */
export const decimalShape = (description: string) =>
  z
    .union([z.number(), z.string()], "expected a decimal")
    .refine(isDecimal, "expected a decimal")
    .meta({ description });
