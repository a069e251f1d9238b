import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import { z } from "zod";
import { SERVICE_SCOPES } from "../../domain/people/roles.js";
import { KEY_SCOPES } from "../../domain/scopes.js";
import { capitalize } from "../../domain/texts/capitalize.js";
import { isWebLink } from "../../domain/texts/web-link.js";
import { isMonth } from "../../domain/window.js";
import { isCurrency } from "../../files/bundle/values.js";
import { hasDirective } from "../directives.js";
import { EXPECTED } from "../expected.js";
import { restNameOf, spellingOf, valuesOf } from "../spelling.js";
import { decimalShape } from "./decimal.js";
import { type Limited, withLimits } from "./limits.js";
import { countryShape, flag, formatShape, listOf, monthShape, uuidShape } from "./values.js";

/** Values by their names in REST. */
export type Values = Readonly<Record<string, unknown>>;

/** The REST form of an input type. */
export interface InputForm {
  readonly shape: z.ZodType;
  /** Converts a value from REST's spelling to the graph's. */
  readonly toGraph: (value: never) => unknown;
}

/** Numbers in query parameters. */
const NUMBERS = {
  Int: { type: "integer", pattern: "-?\\d{1,9}", plural: "whole numbers" },
  Float: { type: "number", pattern: "-?\\d{1,15}(\\.\\d{1,15})?([eE][+-]?\\d{1,2})?", plural: "numbers" },
} as const;

const asItIs = (value: never): unknown => value;

/** Creates the form of a value that REST and the graph spell the same way. */
export const formOf = (shape: z.ZodType): InputForm => ({ shape, toGraph: asItIs });

/** Creates functions that derive the REST forms of the schema's input types. */
export function createForms(schema: GraphQLSchema) {
  const spell = spellingOf(schema);
  /** One shape per input type, because a name must have only one. */
  const named = new Map<string, InputForm>();
  const describe = (shape: z.ZodType, description: string | null | undefined) =>
    description && shape.meta()?.id === undefined ? shape.meta({ description: spell(description) }) : shape;

  function leafOf(type: GraphQLInputType): InputForm {
    if (isEnumType(type)) {
      const names = new Map(type.getValues().map(({ name, value }) => [String(value), name]));
      return { shape: z.enum(valuesOf(type)), toGraph: (value) => names.get(value) };
    }
    switch (String(type)) {
      case "Int":
        return formOf(z.int32());
      case "SafeInt":
        return formOf(z.int());
      case "Float":
        return formOf(z.number());
      case "Boolean":
        return formOf(z.boolean());
      case "Decimal":
        return {
          shape: decimalShape("A decimal, as a number or a string."),
          toGraph: (value) => String(value),
        };
      case "UUID":
        return formOf(uuidShape);
      case "Date":
        return formOf(z.iso.date());
      case "DateTime":
        return formOf(z.iso.datetime({ offset: true }));
      // The scopes of an API key.
      case "Scope":
        return formOf(z.enum(KEY_SCOPES));
      case "ServiceAccountScope":
        return formOf(z.enum(SERVICE_SCOPES.admin));
      case "CountryCode":
        return formOf(countryShape);
      case "Month":
        return formOf(formatShape(isMonth, EXPECTED.Month));
      case "URL":
        return formOf(formatShape(isWebLink, EXPECTED.URL));
      case "Currency":
        return formOf(formatShape(isCurrency, EXPECTED.Currency));
      case "JSONObject":
        return formOf(z.record(z.string(), z.unknown()));
      default:
        return formOf(z.string());
    }
  }

  /** Derives the form of a type in a JSON body, with the limits of its field. */
  function formFor(type: GraphQLInputType, field?: Limited): InputForm {
    if (!isNonNullType(type)) {
      const { shape, toGraph } = nonNullForm(type, field);
      return {
        shape: shape.nullable(),
        toGraph: (value) => (value === null || value === undefined ? value : toGraph(value)),
      };
    }
    return nonNullForm(type.ofType, field);
  }

  function nonNullForm(type: GraphQLInputType, field?: Limited): InputForm {
    const form = unlimitedForm(type);
    return field ? { ...form, shape: withLimits(form.shape, field) } : form;
  }

  function unlimitedForm(type: GraphQLInputType): InputForm {
    if (isListType(type)) {
      const { shape, toGraph } = formFor(type.ofType);
      return {
        shape: z.array(shape),
        toGraph: toGraph === asItIs ? asItIs : (items: never[]) => items.map(toGraph),
      };
    }
    return isInputObjectType(type) ? objectOf(type) : leafOf(type);
  }

  /** Derives an object without the fields in `without`, which are in other parts of the request. */
  function objectOf(type: GraphQLInputObjectType, without: readonly GraphQLInputField[] = []): InputForm {
    const known = named.get(type.name);
    if (known) return known;
    const fields = Object.values(type.getFields())
      .filter((field) => !without.includes(field))
      .map((field) => ({
        name: field.name,
        restName: restNameOf(field.name),
        ...memberOf(field.type, field),
      }));
    const { shape, toGraph } = objectWith(fields);
    const description = type.description && spell(type.description);
    const form = { shape: shape.meta({ id: type.name, ...(description && { description }) }), toGraph };
    named.set(type.name, form);
    return form;
  }

  /** Derives a member of an object. It is optional if its type or a default allows that. */
  function memberOf(
    type: GraphQLInputType,
    {
      description,
      defaultValue,
      astNode,
    }: Pick<GraphQLInputField, "description" | "defaultValue" | "astNode">,
  ): InputForm {
    // The caller may omit it, but not send null.
    const isPresent = hasDirective(astNode ?? {}, "present");
    const { shape, toGraph } =
      isPresent && !isNonNullType(type) ? nonNullForm(type, astNode) : formFor(type, astNode);
    const isRequired = isNonNullType(type) && defaultValue === undefined;
    return { shape: describe(isRequired ? shape : shape.optional(), description), toGraph };
  }

  /** Derives a variable in a JSON body. A filter by several values also accepts a single one, as in the graph. */
  function partOf(
    type: GraphQLInputType,
    options: Pick<GraphQLInputField, "description" | "defaultValue" | "astNode">,
  ): InputForm {
    const several = memberOf(type, options);
    const isFilter = isListType(type) && !hasDirective(options.astNode ?? {}, "present");
    if (!isFilter || isInputObjectType(getNamedType(type))) return several;
    const one = formFor(type.ofType);
    return {
      shape: describe(z.union([one.shape, several.shape]), options.description),
      toGraph: (given) => several.toGraph((Array.isArray(given) ? given : given && [given]) as never),
    };
  }

  /** Derives an argument of a tool. It is never null, but may be optional. The range of a list applies to its size. */
  function argumentFor(
    type: GraphQLInputType,
    { description, isRequired, defaultValue, range }: ArgumentOptions,
  ): InputForm {
    const present = isNonNullType(type) ? type.ofType : type;
    const { shape: plain, toGraph } = nonNullForm(present);
    const shape = range ? limited(plain, range) : plain;
    const shown = defaultValue === undefined ? shape : shape.meta({ default: defaultValue });
    const described = description ? shown.meta({ description: spell(description) }) : shown;
    return { shape: isRequired ? described : described.optional(), toGraph };
  }

  /** Derives the form of a type as a query parameter. */
  function parameterOf(type: GraphQLInputType, description: string): InputForm {
    const present = isNonNullType(type) ? type.ofType : type;
    const spelled = spell(description);
    if (isListType(present)) return parameterOfList(getNamedType(present), spelled);
    const scalar = String(present);
    if (scalar === "Boolean") return formOf(flag(spelled));
    // In a body, the action checks months together with the other fields.
    if (scalar === "Month") return formOf(monthShape.meta({ description: spelled }));
    if (scalar === "Int" || scalar === "Float") {
      const { type: jsonType, pattern } = NUMBERS[scalar];
      const shape = z
        .string()
        .regex(new RegExp(`^${pattern}$`), `expected ${EXPECTED[scalar]}`)
        .transform(Number)
        .meta({ type: jsonType, pattern: undefined, description: spelled });
      return formOf(shape);
    }
    const { shape, toGraph } = leafOf(present);
    return { shape: shape.meta({ description: spelled }), toGraph };
  }

  function parameterOfList(item: GraphQLInputType, description: string): InputForm {
    if (isEnumType(item)) {
      const { toGraph } = leafOf(item);
      const shape = listOf(valuesOf(item), description.replace(/\.$/, ""));
      return { shape, toGraph: (values: never[]) => values.map(toGraph) };
    }
    const scalar = String(item);
    if (scalar === "Int" || scalar === "Float") {
      const number = NUMBERS[scalar];
      const shape = z
        .string()
        .regex(
          new RegExp(`^${number.pattern}(,${number.pattern})*$`),
          `expected ${number.plural}, separated by commas`,
        )
        .transform((text) => text.split(",").map(Number));
      return formOf(shape.meta({ type: "string", description: `${description} Separated by commas.` }));
    }
    // Not comma-separated, because strings may contain commas.
    const { shape } = leafOf(item);
    return formOf(
      z
        .union([shape, z.array(shape)])
        .transform((given) => [given].flat())
        .meta({ description: `${description} May be repeated, up to 50 times.` }),
    );
  }

  return { describe, leafOf, objectOf, partOf, parameterOf, argumentFor };
}

interface ArgumentOptions {
  readonly description: string | null | undefined;
  readonly isRequired: boolean;
  /** The default in the graph's internal form. */
  readonly defaultValue?: unknown;
  readonly range?: { readonly min: number; readonly max: number } | undefined;
}

/** Limits a whole number, or the size of a list. */
const limited = (shape: z.ZodType, { min, max }: { readonly min: number; readonly max: number }) =>
  shape instanceof z.ZodArray ? shape.min(min).max(max) : z.int().min(min).max(max);

/** A part of a request, with its names in the graph and in REST. */
export interface Field extends InputForm {
  readonly name: string;
  readonly restName: string;
}

/** Creates an object from fields. `audience.kind` goes into the object `audience`. Absent values stay absent. */
export function objectWith(fields: readonly Field[], name = "") {
  const placed = fields.map((field) => ({ field, steps: field.restName.split(".") }));
  return {
    shape: z.strictObject(shapesOf(fields, name)),
    toGraph(values: Values): Record<string, unknown> {
      const target: Record<string, unknown> = {};
      for (const { field, steps } of placed) {
        const value = steps.reduce<unknown>((at, step) => (at as Values | undefined)?.[step], values);
        if (value !== undefined) target[field.name] = field.toGraph(value as never);
      }
      return target;
    },
  };
}

/** Returns the shapes of fields. A nested object is named after `owner`, the object around it. */
function shapesOf(fields: readonly Field[], owner: string): Record<string, z.ZodType> {
  const names = new Set(fields.map(({ restName }) => restName.split(".")[0] ?? ""));
  return Object.fromEntries(
    Array.from(names, (name) => {
      const own = fields.find(({ restName }) => restName === name);
      if (own) return [name, own.shape];
      const inside = fields.filter(({ restName }) => restName.startsWith(`${name}.`));
      const object = z
        .strictObject(
          Object.fromEntries(inside.map(({ restName, shape }) => [restName.slice(name.length + 1), shape])),
        )
        .meta({ id: `${capitalize(owner)}${capitalize(name)}Input` });
      return [name, isOptional(object) ? object.optional() : object];
    }),
  );
}

/** Returns true if every member of an object is optional. */
export const isOptional = ({ shape }: z.ZodObject): boolean =>
  Object.values(shape).every((member) => member._zod.optin === "optional");
