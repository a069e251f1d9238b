import type { GraphQLInputField } from "graphql";
import { z } from "zod";
import { findEmailFault } from "../../domain/people/email.js";
import { hasDirective, limitsOf } from "../directives.js";
import { formatShape } from "./values.js";

/** Limits that the graph declares for a value: the characters of a string, the items of a list, or a number. */
export const declaredLimits = z.registry<Readonly<Record<string, number>>>();

/** A field of the graph's input, which may declare limits. */
export type Limited = GraphQLInputField["astNode"];

/**
 * Adds the limits of a field to its shape, which states them in OpenAPI. An action checks them together with its other
 * rules, and `listProblems` in a body that does not get that far.
 */
export function withLimits(shape: z.ZodType, field: Limited): z.ZodType {
  if (field && hasDirective(field, "email")) {
    return formatShape((text) => findEmailFault(text) === undefined, "an e-mail address");
  }
  const limits = limitsOf(field ?? {});
  if (Object.keys(limits).length === 0) return shape;
  shape.register(declaredLimits, limits);
  const { least: min, most: max } = limits;
  if (shape instanceof z.ZodString) return shape.meta({ maxLength: max });
  if (shape instanceof z.ZodArray) return shape.meta(present({ minItems: min, maxItems: max }));
  // An amount may be a string, for which JSON Schema has no minimum.
  return shape instanceof z.ZodUnion ? shape : shape.meta(present({ minimum: min, maximum: max }));
}

/** Returns the properties that are not undefined. */
const present = (values: Readonly<Record<string, number | undefined>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
