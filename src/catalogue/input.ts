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
import { snakeCase } from "../domain/texts/snake-case.js";
import { decimalShape } from "./decimal.js";
import { argumentOf, hasDirective } from "./directives.js";
import { EXPECTED } from "./expected.js";
import { listQuery, pageOf } from "./list.js";
import type { Operation } from "./read.js";
import { createSpelling, valuesOf } from "./spelling.js";
import { countryShape, flag, listOf, uuidShape } from "./values.js";

type Values = Readonly<Record<string, unknown>>;

/** What a REST request for an operation brings. */
export interface OperationInput {
  /** Shapes of the parts of the request; absent where it brings nothing. */
  readonly shapes: Partial<Readonly<Record<"params" | "query" | "body", z.ZodType>>>;
  /** Parts that have their shapes → variables of the operation. */
  variables(parts: {
    readonly params: unknown;
    readonly query: unknown;
    readonly body: unknown;
    readonly expectedVersion: number | null;
  }): Record<string, unknown>;
  /** Where the caller wrote what the graph names by a variable or an argument: `body.lines[0].mass_t`, `query.q`, `path.id`. */
  placeOf(path: string): string | undefined;
}

/** What REST takes for an input type. */
interface Taken {
  readonly shape: z.ZodType;
  /** From REST's spelling to the graph's. */
  readonly toGraph: (value: never) => unknown;
}

/** The variable with the version that a caller has seen, which REST takes as `If-Match`. */
const VERSION = "expectedVersion";
/** The variables whose fields are those of the body. */
const SPREAD = new Set(["input", "patch"]);

const asItIs = (value: never): unknown => value;

const textOf = (shape: z.ZodType): Taken => ({ shape, toGraph: asItIs });

/** Makes the function that derives what a REST request for an operation brings. */
export function createInputs(
  schema: GraphQLSchema,
): (operation: Pick<Operation, "name" | "definition" | "fragments" | "rest">) => OperationInput {
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
      case "CountryCode":
        return textOf(countryShape);
      case "JSONObject":
        return textOf(z.record(z.string(), z.unknown()));
      default:
        return textOf(z.string());
    }
  }

  /** What a JSON body holds for a type. */
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

  function objectOf(type: GraphQLInputObjectType): Taken {
    const known = named.get(type.name);
    if (known) return known;
    const fields = Object.values(type.getFields()).map((field) => ({
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
    { description, defaultValue }: { description?: string | null | undefined; defaultValue?: unknown },
  ): Taken {
    const { shape, toGraph } = takenFor(type);
    const isRequired = isNonNullType(type) && defaultValue === undefined;
    return { shape: describe(isRequired ? shape : shape.optional(), description), toGraph };
  }

  /** What a query parameter holds for a type. */
  function parameterOf(type: GraphQLInputType, description: string): Taken {
    const present = isNonNullType(type) ? type.ofType : type;
    const spelled = spell(description);
    if (isListType(present)) return parameterOfList(getNamedType(present), spelled);
    switch (String(present)) {
      case "Boolean":
        return textOf(flag(spelled));
      case "Int":
        return textOf(
          z
            .string()
            .regex(/^-?\d{1,9}$/, `expected ${EXPECTED.Int}`)
            .transform(Number)
            .meta({ type: "integer", description: spelled }),
        );
      default: {
        const { shape, toGraph } = leafOf(present);
        return { shape: shape.meta({ description: spelled }), toGraph };
      }
    }
  }

  function parameterOfList(item: GraphQLInputType, description: string): Taken {
    if (isEnumType(item)) {
      const { toGraph } = leafOf(item);
      const shape = listOf(valuesOf(item), description.replace(/\.$/, ""));
      return { shape, toGraph: (values: never[]) => values.map(toGraph) };
    }
    if (String(item) === "Int") {
      const shape = z
        .string()
        .regex(/^-?\d{1,9}(,-?\d{1,9})*$/, "expected whole numbers, separated by commas")
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

  return ({ name, definition, rest: { path, method } }) => {
    const uses = listUses(schema, definition);
    const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, segment]) => segment));
    const variables = (definition.variableDefinitions ?? []).map((node) => {
      const type = typeFromAST(schema, node.type as never);
      if (!isInputType(type)) throw new Error(`${name}: $${node.variable.name.value} has no input type`);
      return describeVariable(node, type, uses);
    });
    const of = (part: Part) => variables.filter((variable) => variable.part === part);
    type Part = "params" | "query" | "body" | "page" | "version";
    function describeVariable(node: VariableDefinitionNode, type: GraphQLInputType, all: readonly Use[]) {
      const { value: own } = node.variable.name;
      const restName = argumentOf(node, "as", "name") ?? snakeCase(own);
      const isInline = SPREAD.has(own) || hasDirective(node, "inline");
      const isPage = method === "GET" && (own === "first" || own === "after");
      const part: Part =
        own === VERSION
          ? "version"
          : inPath.has(restName)
            ? "params"
            : isPage
              ? "page"
              : method === "GET"
                ? "query"
                : "body";
      const description =
        node.description?.value ?? all.find(({ variable }) => variable === own)?.description ?? "";
      return {
        name: own,
        restName,
        part,
        type,
        description,
        isInline,
        hasDefault: node.defaultValue !== undefined,
      };
    }
    const isSpread = ({ part, isInline }: { part: Part; isInline: boolean }) => part === "body" && isInline;

    const params = of("params").map(({ name: own, restName }) => ({
      name: own,
      restName,
      ...textOf(uuidShape),
    }));
    const query = of("query").map(({ name: own, restName, type, description, hasDefault }) => {
      const { shape, toGraph } = parameterOf(type, description);
      const isRequired = isNonNullType(type) && !hasDefault;
      return { name: own, restName, shape: isRequired ? shape : shape.optional(), toGraph };
    });
    const spread = variables.find(isSpread);
    const spreadObject = spread && takenFor(spread.type);
    const beside = of("body")
      .filter((variable) => variable !== spread)
      .map(({ name: own, restName, type, description, hasDefault }) => ({
        name: own,
        restName,
        ...memberOf(type, { description, ...(hasDefault && { defaultValue: true }) }),
      }));
    const parameters = objectWith(query);
    const others = objectWith(beside);
    const queryShape = of("page").length > 0 ? listQuery.extend(parameters.shape.shape) : parameters.shape;
    const body = bodyShape(spreadObject?.shape, beside.length > 0 ? others.shape : undefined);

    return {
      shapes: {
        ...(params.length > 0 && { params: z.object(objectWith(params).shape.shape) }),
        ...((query.length > 0 || of("page").length > 0) && { query: queryShape }),
        ...(body && { body }),
      },
      variables({ params: values, query: given = {}, body: sent = {}, expectedVersion }) {
        return {
          ...objectWith(params).toGraph((values ?? {}) as never),
          ...(of("page").length > 0 && pageOf(given as never)),
          ...parameters.toGraph(given as never),
          ...(spread && {
            [spread.name]: spreadObject?.toGraph(withoutNames(sent as Values, beside) as never),
          }),
          ...others.toGraph(sent as never),
          ...(of("version").length > 0 && { [VERSION]: expectedVersion }),
        };
      },
      placeOf(graphPath) {
        const use = uses.find(({ argument }) => isBelow(graphPath, argument));
        const variable = variables.find(({ name: own }) => own === use?.variable || isBelow(graphPath, own));
        if (!variable) return undefined;
        const below = graphPath.slice((use?.argument ?? variable.name).length);
        return placeIn(variable.part, isSpread(variable) ? "" : restNameOf(variable), snakeCase(below));
      },
    };
  };
}

/** The name of a variable in REST, where paging has names of its own. */
const restNameOf = ({ name, restName, part }: { name: string; restName: string; part: string }) =>
  part === "page" ? (name === "first" ? "limit" : "cursor") : restName;

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
  if (!whole) return undefined;
  return whole.safeParse({}).success ? whole.optional() : whole;
}

function withoutNames(values: Values, names: readonly { readonly restName: string }[]): Values {
  if (names.length === 0) return values;
  return Object.fromEntries(
    Object.entries(values).filter(([key]) => !names.some(({ restName }) => restName === key)),
  );
}

interface Field extends Taken {
  readonly name: string;
  readonly restName: string;
}

/** An object of fields. What is absent stays absent. */
function objectWith(fields: readonly Field[]) {
  return {
    shape: z.strictObject(Object.fromEntries(fields.map(({ restName, shape }) => [restName, shape]))),
    toGraph(values: Values): Record<string, unknown> {
      const target: Record<string, unknown> = {};
      for (const { name, restName, toGraph } of fields) {
        const value = values[restName];
        if (value !== undefined) target[name] = toGraph(value as never);
      }
      return target;
    },
  };
}

/** Where an operation uses a variable. */
interface Use {
  readonly variable: string;
  /** Such as `filter.scopes`. */
  readonly argument: string;
  /** Of the argument or the input field. */
  readonly description: string | null | undefined;
}

/** Lists where the fields of an operation use its variables. */
function listUses(schema: GraphQLSchema, definition: OperationDefinitionNode): Use[] {
  const types = new TypeInfo(schema);
  const uses: Use[] = [];
  const look = (
    value: ValueNode,
    argument: string,
    input: GraphQLArgument | GraphQLInputField | undefined,
  ) => {
    if (value.kind === Kind.VARIABLE) {
      uses.push({ variable: value.name.value, argument, description: input?.description });
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
