import { z } from "zod";

/** A value of an enum as the graph spells it. */
export const upperCase = <Value extends string>(value: Value) => value.toUpperCase() as Uppercase<Value>;

/** A query parameter with some of these values, separated by commas. `purpose` begins its description. */
export const listOf = <Value extends string>(values: readonly Value[], purpose: string) =>
  z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(values)))
    .optional()
    .meta({ type: "string", description: `${purpose}, separated by commas: ${values.join(", ")}.` });

/** A query parameter that is a whole number within limits; undefined if it is left out. The graph checks the limits. */
export const wholeNumber = (description: string, least: number, most: number) =>
  z
    .string()
    .refine((text) => /^\d{1,6}$/.test(text), `expected a whole number from ${least} to ${most}`)
    .transform(Number)
    .optional()
    .meta({ type: "integer", minimum: least, maximum: most, description });
