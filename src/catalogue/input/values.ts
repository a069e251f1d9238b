import { z } from "zod";
import { isUuid } from "../../domain/texts/uuid.js";
import { isMonth } from "../../domain/window.js";
import { readCountry } from "../../regions/countries.js";
import { EXPECTED } from "../expected.js";

/** Converts an enum value to the graph's spelling. */
export const upperCase = <Value extends string>(value: Value) => value.toUpperCase() as Uppercase<Value>;

/** Creates a comma-separated query parameter that accepts these values. `purpose` starts its description. */
export const listOf = <Value extends string>(values: readonly Value[], purpose: string) =>
  z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(values)))
    .optional()
    .meta({ type: "string", description: `${purpose}, separated by commas: ${values.join(", ")}.` });

/** Creates a query parameter that is `true` or `false`, or empty for `true`. */
export const flag = (description: string) =>
  z
    .enum(["true", "false", ""])
    .transform((text) => text !== "false")
    .optional()
    // OpenAPI describes values as JSON, where an enum of strings cannot contain a boolean.
    .meta({ type: "boolean", enum: undefined, description });

/** Creates a query parameter that is a whole number within limits. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max,
      `expected a whole number from ${min} to ${max}`,
    )
    .transform(Number)
    .meta({ type: "integer", minimum: min, maximum: max });

/** Creates a query parameter that may be repeated. */
export const textsShape = (text: z.ZodType<string>, description: string) =>
  z
    .union([text, z.array(text)])
    .transform((texts) => [texts].flat())
    .optional()
    .meta({ description: `${description} May be repeated, up to 50 times.` });

/** Shape of a string that PostgreSQL can store. */
export const storableText = z
  .string()
  .refine((text) => !text.includes("\0"), "expected text without NUL characters");

/** Shape of a country, by its code or name. */
export const countryShape = z
  .string()
  .refine((text) => readCountry(text) !== undefined, `expected ${EXPECTED.CountryCode}`);

/** Shape of a month, `YYYY-MM`. */
export const monthShape = z.string().refine(isMonth, `expected ${EXPECTED.Month}`);

/** Creates the shape of a string whose format an action checks, and `listProblems` only in a body with other problems. */
export const formatShape = (isValid: (text: string) => boolean, expected: string) =>
  z.string().refine(isValid, { error: `expected ${expected}`, when: () => false });

/** Shape of an id. */
export const uuidShape = z.string().refine(isUuid, "expected a UUID");
