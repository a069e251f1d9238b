import {
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { z } from "zod";
import { KEY_SCOPES } from "../domain/scopes.js";
import { snakeCase } from "../domain/texts/snake-case.js";
import { decimalShape } from "./decimal.js";
import { argumentOf, hasDirective, rangeOf } from "./directives.js";
import { EXPECTED } from "./expected.js";
import { listQuery, pageOf } from "./list.js";
import type { Operation, Rest } from "./read.js";
import { capitalize, createSpelling, valuesOf } from "./spelling.js";
import { countryShape, flag, listOf, monthShape, uuidShape, wholeNumber } from "./values.js";

type Values = Readonly<Record<string, unknown>>;

/** The REST request of an operation. */
export interface OperationInput {
  /** True if the operation compares the version in `If-Match`. */
  readonly hasVersion: boolean;
  /** Shapes of the parts of the request; absent for parts that it does not have. */
  readonly shapes: Partial<Readonly<Record<"params" | "query" | "body", z.ZodType>>>;
  /** Parts that have their shapes → variables of the operation. */
  variables(parts: {
    readonly params: unknown;
    readonly query: unknown;
    readonly body: unknown;
    readonly expectedVersion: number | null;
  }): Record<string, unknown>;
  /** Maps a path in a variable or argument to its place in the request, such as `body.lines[0].mass_t` or `query.q`. */
  placeOf(path: string): string | undefined;
}

/** The REST form of an input type. */
interface Taken {
  readonly shape: z.ZodType;
  /** From REST's spelling to the graph's. */
  readonly toGraph: (value: never) => unknown;
}

/** The variable for the version that the caller has seen; `If-Match` in REST. */
const VERSION = "expectedVersion";
/** The variable whose fields are those of the request: of the path, the header `If-Match` and the body. */
const INPUT = "input";

/** Numbers in query parameters. */
const NUMBERS = {
  Int: { type: "integer", pattern: "-?\\d{1,9}", plural: "whole numbers" },
  Float: { type: "number", pattern: "-?\\d{1,15}(\\.\\d{1,15})?([eE][+-]?\\d{1,2})?", plural: "numbers" },
} as const;

const asItIs = (value: never): unknown => value;

const textOf = (shape: z.ZodType): Taken => ({ shape, toGraph: asItIs });

/** Creates a function that derives the REST request of an operation. */
export function createInputs(
  schema: GraphQLSchema,
): (operation: Pick<Operation, "name" | "definition" | "rest">) => OperationInput {
  const spell = createSpelling(schema);
  /** One shape for each input type, since a name must have one. */
  const named = new Map<string, Taken>();
  const describe = (shape: z.ZodType, description: string | null | undefined) =>
    description && shape.meta()?.id === undefined ? shape.meta({ description: spell(description) }) : shape;

  function leafOf(type: GraphQLInputType): Taken {
    if (isEnumType(type)) {
      const names = new Map(type.getValues().map(({ name, value }) => [String(value), name]));
      return { shape: z.enum(valuesOf(type)), toGraph: (value) => names.get(value) };
    }
    switch (String(type)) {
      case "Int":
        return textOf(z.int32());
      case "SafeInt":
        return textOf(z.int());
      case "Float":
        return textOf(z.number());
      case "Boolean":
        return textOf(z.boolean());
      case "Decimal":
        return {
          shape: decimalShape("A decimal, as a number or as text."),
          toGraph: (value) => String(value),
        };
      case "UUID":
        return textOf(uuidShape);
      case "Date":
        return textOf(z.iso.date());
      case "DateTime":
        return textOf(z.iso.datetime({ offset: true }));
      // Nobody writes scopes other than those of keys.
      case "Scope":
        return textOf(z.enum(KEY_SCOPES));
      case "CountryCode":
        return textOf(countryShape);
      case "JSONObject":
        return textOf(z.record(z.string(), z.unknown()));
      default:
        return textOf(z.string());
    }
  }

  /** The form of a type in a JSON body. */
  function takenFor(type: GraphQLInputType): Taken {
    if (!isNonNullType(type)) {
      const { shape, toGraph } = presentOf(type);
      return {
        shape: shape.nullable(),
        toGraph: (value) => (value === null || value === undefined ? value : toGraph(value)),
      };
    }
    return presentOf(type.ofType);
  }

  function presentOf(type: GraphQLInputType): Taken {
    if (isListType(type)) {
      const { shape, toGraph } = takenFor(type.ofType);
      return {
        shape: z.array(shape),
        toGraph: toGraph === asItIs ? asItIs : (items: never[]) => items.map(toGraph),
      };
    }
    return isInputObjectType(type) ? objectOf(type) : leafOf(type);
  }

  /** The fields of `without` are in other parts of the request. */
  function objectOf(type: GraphQLInputObjectType, without: readonly GraphQLInputField[] = []): Taken {
    const known = named.get(type.name);
    if (known) return known;
    const fields = Object.values(type.getFields())
      .filter((field) => !without.includes(field))
      .map((field) => ({
        name: field.name,
        restName: snakeCase(field.name),
        ...memberOf(field.type, field),
      }));
    const { shape, toGraph } = objectWith(fields);
    const description = type.description && spell(type.description);
    const taken = { shape: shape.meta({ id: type.name, ...(description && { description }) }), toGraph };
    named.set(type.name, taken);
    return taken;
  }

  /** A member of an object, which may be absent if its type or a default allows it. */
  function memberOf(
    type: GraphQLInputType,
    {
      description,
      defaultValue,
      astNode,
    }: Pick<GraphQLInputField, "description" | "defaultValue" | "astNode">,
  ): Taken {
    // It may be left out, and must not be null.
    const isPresent = hasDirective(astNode ?? {}, "present");
    const { shape, toGraph } = isPresent && !isNonNullType(type) ? presentOf(type) : takenFor(type);
    const isRequired = isNonNullType(type) && defaultValue === undefined;
    return { shape: describe(isRequired ? shape : shape.optional(), description), toGraph };
  }

  /** A part of a JSON body that is a variable: a filter by several values may be one value, as in the graph. */
  function partOf(
    type: GraphQLInputType,
    options: Pick<GraphQLInputField, "description" | "defaultValue" | "astNode">,
  ): Taken {
    const several = memberOf(type, options);
    const isFilter = isListType(type) && !hasDirective(options.astNode ?? {}, "present");
    if (!isFilter || isInputObjectType(getNamedType(type))) return several;
    const one = takenFor(type.ofType);
    return {
      shape: describe(z.union([one.shape, several.shape]), options.description),
      toGraph: (given) => several.toGraph((Array.isArray(given) ? given : given && [given]) as never),
    };
  }

  /** The form of a type as a query parameter. */
  function parameterOf(type: GraphQLInputType, description: string): Taken {
    const present = isNonNullType(type) ? type.ofType : type;
    const spelled = spell(description);
    if (isListType(present)) return parameterOfList(getNamedType(present), spelled);
    const scalar = String(present);
    if (scalar === "Boolean") return textOf(flag(spelled));
    if (scalar === "Int" || scalar === "Float") {
      const { type: jsonType, pattern } = NUMBERS[scalar];
      const shape = z
        .string()
        .regex(new RegExp(`^${pattern}$`), `expected ${EXPECTED[scalar]}`)
        .transform(Number)
        .meta({ type: jsonType, pattern: undefined, description: spelled });
      return textOf(shape);
    }
    const { shape, toGraph } = leafOf(present);
    return { shape: shape.meta({ description: spelled }), toGraph };
  }

  function parameterOfList(item: GraphQLInputType, description: string): Taken {
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
      return textOf(shape.meta({ type: "string", description: `${description} Separated by commas.` }));
    }
    // Texts may hold commas.
    const { shape } = leafOf(item);
    return textOf(
      z
        .union([shape, z.array(shape)])
        .transform((given) => [given].flat())
        .meta({ description: `${description} May be repeated, up to 50 times.` }),
    );
  }

  /** A variable as a member of the part of the request that brings it. */
  function fieldOf({ node, part, restName, input }: Variable): Field {
    const { value: name } = node.variable.name;
    const type = typeFromAST(schema, node.type as never);
    if (!isInputType(type)) throw new Error(`$${name} has no input type`);
    const isRequired = isNonNullType(type) && !node.defaultValue;
    if (part === "params") return { name, restName, ...leafOf(getNamedType(type)) };
    const description = node.description?.value ?? input?.description ?? "";
    const range = rangeOf(node);
    if (range) {
      const { least, most } = range;
      const shape = part === "body" ? z.int().min(least).max(most) : wholeNumber(least, most);
      const taken = textOf(describe(shape, description));
      return { name, restName, ...taken, shape: isRequired ? taken.shape : taken.shape.optional() };
    }
    if (hasDirective(node, "month")) {
      const { shape, toGraph } = textOf(describe(monthShape, description));
      return { name, restName, shape: isRequired ? shape : shape.optional(), toGraph };
    }
    if (part === "body") {
      const defaultValue = node.defaultValue && "its own";
      return { name, restName, ...partOf(type, { description, defaultValue, astNode: input?.astNode }) };
    }
    const { shape, toGraph } = parameterOf(type, description);
    return { name, restName, shape: isRequired ? shape : shape.optional(), toGraph };
  }

  /** The variable whose fields are members of the body, except those that are in the path or in `If-Match`. */
  function inlineOf({ node, restName }: Variable, { path }: Rest) {
    const { value: name } = node.variable.name;
    const type = getNamedType(typeFromAST(schema, node.type as never));
    if (!isInputObjectType(type)) throw new Error(`$${name} is no object, so it cannot be @inline`);
    const fields = Object.values(type.getFields());
    const version = fields.filter((field) => field.name === VERSION);
    const ids = fields.filter((field) => path.includes(`{${snakeCase(field.name)}}`));
    const params = ids.map((field) => ({
      name: field.name,
      restName: snakeCase(field.name),
      ...leafOf(getNamedType(field.type)),
    }));
    return {
      name,
      restName,
      ...objectOf(type, [...version, ...ids]),
      params: objectWith(params),
      hasVersion: version.length > 0,
    };
  }

  return ({ name, definition, rest }) => {
    const uses = listUses(schema, definition);
    const variables = (definition.variableDefinitions ?? []).map((node) => placeVariable(node, uses, rest));
    const fieldsOf = (part: Part) =>
      variables.filter((one) => one.part === part && !one.isInline).map(fieldOf);
    const spread = variables.find(({ part, isInline }) => part === "body" && isInline);
    const inline = spread && inlineOf(spread, rest);
    const params = objectWith(fieldsOf("params"));
    const query = objectWith(fieldsOf("query"));
    const beside = fieldsOf("body");
    const body = objectWith(beside, name);
    const hasPages = variables.some(({ part }) => part === "page");
    const hasVersionBeside = variables.some(({ part }) => part === "version");
    const hasQuery = hasPages || Object.keys(query.shape.shape).length > 0;
    const whole = bodyShape(inline?.shape, beside.length > 0 ? body.shape : undefined);
    const inPath = { ...params.shape.shape, ...inline?.params.shape.shape };
    return {
      hasVersion: hasVersionBeside || inline?.hasVersion === true,
      shapes: {
        ...(Object.keys(inPath).length > 0 && { params: z.object(inPath) }),
        ...(hasQuery && { query: hasPages ? listQuery.extend(query.shape.shape) : query.shape }),
        ...(whole && { body: whole }),
      },
      variables({ params: values, query: given = {}, body: sent = {}, expectedVersion }) {
        return {
          ...params.toGraph((values ?? {}) as Values),
          ...(hasPages && pageOf(given as never)),
          ...query.toGraph(given as Values),
          ...(inline && {
            [inline.name]: {
              ...(inline.toGraph(withoutNames(sent as Values, beside) as never) as object),
              ...inline.params.toGraph((values ?? {}) as Values),
              ...(inline.hasVersion && { [VERSION]: expectedVersion }),
            },
          }),
          ...body.toGraph(sent as Values),
          ...(hasVersionBeside && { [VERSION]: expectedVersion }),
        };
      },
      placeOf(path) {
        const use = uses.find(({ argument }) => isBelow(path, argument));
        const own = use?.variable ?? path.split(/[.[]/)[0];
        const found = variables.find(({ node }) => node.variable.name.value === own);
        if (!found) return undefined;
        const below = snakeCase(path.slice((use?.argument ?? own ?? "").length));
        return placeIn(found.part, found.isInline ? "" : found.restName, below);
      },
    };
  };
}

/** The part of a request that brings a variable. */
type Part = "params" | "query" | "page" | "body" | "version";

interface Variable {
  readonly node: VariableDefinitionNode;
  readonly part: Part;
  readonly restName: string;
  /** The argument or input field that it is passed to. */
  readonly input: GraphQLArgument | GraphQLInputField | undefined;
  /** True if its fields are members of the body. */
  readonly isInline: boolean;
}

/** Names of the variables of a page in REST. */
const PAGE: ReadonlyMap<string, string> = new Map([
  ["first", "limit"],
  ["after", "cursor"],
]);

function placeVariable(node: VariableDefinitionNode, uses: readonly Use[], { path, method }: Rest): Variable {
  const { value: name } = node.variable.name;
  const restName = argumentOf(node, "as", "name") ?? snakeCase(name);
  const input = uses.find(({ variable }) => variable === name)?.input;
  const isInline = name === INPUT || hasDirective(node, "inline");
  const place = (part: Part, at = restName): Variable => ({ node, part, restName: at, input, isInline });
  if (name === VERSION) return place("version");
  if (path.includes(`{${restName}}`)) return place("params");
  if (method !== "GET") return place("body");
  return PAGE.has(name) ? place("page", PAGE.get(name)) : place("query");
}

const PLACES: Readonly<Record<string, string>> = {
  params: "path",
  query: "query",
  page: "query",
  body: "body",
};

function placeIn(part: string, name: string, below: string): string {
  const whole = `${name}${below}`.replace(/^\./, "");
  return `${PLACES[part] ?? "body"}${whole === "" || whole.startsWith("[") ? "" : "."}${whole}`;
}

/** Returns true if a path is that of a part, or of what is below it. */
const isBelow = (path: string, part: string) =>
  path === part || path.startsWith(`${part}.`) || path.startsWith(`${part}[`);

/** The shape of a body with the fields of an input object, with others beside them; undefined for none. */
function bodyShape(spread: z.ZodType | undefined, beside: z.ZodObject | undefined): z.ZodType | undefined {
  const whole =
    spread && beside && spread instanceof z.ZodObject
      ? z.strictObject({ ...spread.shape, ...beside.shape })
      : (spread ?? beside);
  if (!whole || (whole instanceof z.ZodObject && Object.keys(whole.shape).length === 0)) return undefined;
  return whole instanceof z.ZodObject && isOptional(whole) ? whole.optional() : whole;
}

/** Returns true if every member of an object may be left out. */
const isOptional = ({ shape }: z.ZodObject): boolean =>
  Object.values(shape).every((member) => member._zod.optin === "optional");

function withoutNames(values: Values, names: readonly { readonly restName: string }[]): Values {
  if (names.length === 0) return values;
  return Object.fromEntries(
    Object.entries(values).filter(([key]) => !names.some(({ restName }) => restName.split(".")[0] === key)),
  );
}

interface Field extends Taken {
  readonly name: string;
  readonly restName: string;
}

/** An object of fields, of which `audience.kind` is in the object `audience`. What is absent stays absent. */
function objectWith(fields: readonly Field[], name = "") {
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

/** The shapes of fields. An object for some of them is named after the object that it is in, `owner`. */
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

/** A use of a variable in an operation. */
interface Use {
  readonly variable: string;
  /** Such as `filter.scopes`. */
  readonly argument: string;
  /** The argument or the input field. */
  readonly input: GraphQLArgument | GraphQLInputField | undefined;
}

/** Lists the uses of variables in an operation. */
function listUses(schema: GraphQLSchema, definition: OperationDefinitionNode): Use[] {
  const types = new TypeInfo(schema);
  const uses: Use[] = [];
  const look = (
    value: ValueNode,
    argument: string,
    input: GraphQLArgument | GraphQLInputField | undefined,
  ) => {
    if (value.kind === Kind.VARIABLE) {
      uses.push({ variable: value.name.value, argument, input });
    } else if (value.kind === Kind.LIST) {
      for (const [index, item] of value.values.entries()) look(item, `${argument}[${index}]`, input);
    } else if (value.kind === Kind.OBJECT) {
      const type = input && getNamedType(input.type);
      for (const field of value.fields) {
        const below = isInputObjectType(type) ? type.getFields()[field.name.value] : undefined;
        look(field.value, `${argument}.${field.name.value}`, below);
      }
    }
  };
  visit(
    definition,
    visitWithTypeInfo(types, {
      Argument(node: ArgumentNode) {
        look(node.value, node.name.value, types.getArgument() ?? undefined);
      },
    }),
  );
  return uses;
}
