import { type GraphQLSchema, getOperationAST, OperationTypeNode, print } from "graphql";
import { z } from "zod";
import { once } from "../../domain/once.js";
import { listRequired, type RequiredScopes, type Scope, satisfies } from "../../domain/scopes.js";
import { snakeCase } from "../../domain/texts/snake-case.js";
import { createAnswers } from "../answer/answer.js";
import type { Callable } from "../callable.js";
import { rangeOf } from "../directives.js";
import { createInputs } from "../input/input.js";
import { type PreparedEndpoint, prepareEndpoint, type ScopesOf, type Variables } from "../prepare.js";
import { type Operation, readOperations, type ToolNames } from "../read.js";

/** JSON Schema of an object (2020-12). */
export type ObjectSchema = { readonly type: "object" } & Readonly<Record<string, unknown>>;

/** A catalogue query offered to language models. */
export interface Tool {
  /** Name such as `list_facilities`. */
  readonly name: string;
  /** Name of its operation, also its id as a trusted document. */
  readonly id: string;
  /** Text of its operation. */
  readonly text: string;
  readonly title: string;
  readonly description: string;
  /** Scopes required by its fields. A caller must meet every requirement. */
  readonly scopes: readonly RequiredScopes[];
  /** Shape of a request whose body holds the arguments. */
  readonly shape: z.ZodObject<{ readonly body: z.ZodType }>;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly prepared: PreparedEndpoint;
  /** Converts valid arguments to variables of the operation. */
  variables(input: unknown): Variables;
  /** Converts the operation's result to the form of `outputSchema`. */
  reshape(result: unknown): Record<string, unknown>;
}

/**
 * The sequence number in every tool answer, so that its figures can be cited and checked. The instructions explain it.
 */
const AS_OF = {
  type: "object",
  properties: { seq: { anyOf: [{ type: "integer" }, { type: "null" }] } },
} as const;

/** Returns true if a caller has the scopes of a tool. */
export const isAllowed = ({ scopes }: Tool, held: readonly Scope[]): boolean =>
  scopes.every((required) => satisfies(held, required));

/** Returns the name of the tool of an operation. */
export const toolNameOf = (operation: string, { name = snakeCase(operation) }: ToolNames): string => name;

/** Creates the tools of documents, by name in alphabetical order. Throws if a tool is not a query. */
export function createTools(
  schema: GraphQLSchema,
  texts: Readonly<Record<string, string>>,
  scopesOf: ScopesOf,
): ReadonlyMap<string, Tool> {
  const inputOf = createInputs(schema);
  const answerOf = createAnswers(schema, null);
  const derive = (operation: Operation, given: ToolNames): Tool => {
    const { document, description } = operation;
    const { title } = given;
    const name = toolNameOf(operation.name, given);
    if (getOperationAST(document)?.operation !== OperationTypeNode.QUERY) {
      throw new Error(`tool ${name}: expected a query`);
    }
    // Derived on first use, like endpoints.
    const scopes = once(() => scopesOf(schema, document));
    const parts = once(() => {
      const input = inputOf({ ...operation, rest: undefined });
      const shape = input.shapes.body ?? z.strictObject({});
      const callable: Callable = {
        name: operation.name,
        method: "POST",
        path: `/${name}`,
        scope: listRequired(scopes()),
        operation: document,
        input: { body: shape },
        placeOf: input.placeOf,
      };
      const prepared = prepareEndpoint(schema, callable, scopesOf);
      // Throws if a Free key could not run the operation with the largest pages.
      prepared.costOf(listMost(operation));
      // Zod compiles a shape on its first parse, which takes longer than most calls.
      return { input, shape, whole: z.object({ body: shape }), prepared, answer: answerOf(operation) };
    });
    const outputSchema = once(() => {
      const output = describe(parts().answer.shape, withoutNoun);
      const properties = output["properties"] as Record<string, unknown> | undefined;
      if (output.type !== "object" || !properties)
        throw new Error(`tool ${name}: expected to answer with an object`);
      return {
        ...output,
        properties: { ...properties, as_of: AS_OF },
        required: [...((output["required"] as string[] | undefined) ?? []), "as_of"],
      };
    });
    const inputSchema = once(() => describe(parts().shape));
    return {
      name,
      id: operation.name,
      text: print(document),
      title,
      description,
      get scopes() {
        return scopes();
      },
      get shape() {
        return parts().whole;
      },
      get inputSchema() {
        return inputSchema();
      },
      get outputSchema() {
        return outputSchema();
      },
      get prepared() {
        return parts().prepared;
      },
      variables: (body) =>
        parts().input.variables({ params: undefined, query: undefined, body, expectedVersion: null }),
      reshape: (result) => parts().answer.reshape(result as never) as Record<string, unknown>,
    };
  };
  const tools = readOperations(texts).flatMap((operation) =>
    operation.tool ? [derive(operation, operation.tool)] : [],
  );
  return new Map(
    tools.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map((tool) => [tool.name, tool]),
  );
}

/**
 * Derives everything that a tool otherwise derives on first use. Throws if the tool does not fit the schema, does not
 * return an object, or could cost more than a Free key may spend.
 */
export function requireUsable({ inputSchema, outputSchema }: Tool): void {
  if (inputSchema.type !== "object" || outputSchema.type !== "object") throw new Error("expected objects");
}

/** Returns the variables that have a range, each at its maximum: the largest number, or the longest list. */
const listMost = ({ definition }: Operation): Variables =>
  Object.fromEntries(
    (definition.variableDefinitions ?? []).flatMap((node) => {
      const range = rangeOf(node);
      if (!range) return [];
      const isList = print(node.type).startsWith("[");
      return [[node.variable.name.value, isList ? Array(range.max).fill({}) : range.max]];
    }),
  );

/** Removes the description of an object in an answer, because its name and location say the same. */
const withoutNoun = (schema: { type?: unknown; description?: unknown }): void => {
  if (schema.type === "object") delete schema.description;
};

/** Describes a shape in JSON Schema, using only widely supported keywords. */
function describe(
  shape: z.ZodType,
  shorten: (schema: z.core.JSONSchema.BaseSchema) => void = () => undefined,
): ObjectSchema {
  const {
    $schema: _,
    $ref,
    $defs,
    ...schema
  } = z.toJSONSchema(shape, {
    io: "input",
    override({ jsonSchema }) {
      delete jsonSchema.id;
      shorten(jsonSchema);
      // The format implies the pattern. Long links are cut off, so they are not URIs.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.format === "uri") delete jsonSchema.format;
      // Every whole number has these limits.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // A caller who sees the tool has the scopes of its fields.
      if (jsonSchema.description)
        jsonSchema.description = jsonSchema.description.replace(/\n\nScope: .*$/s, "");
    },
  });
  // A named shape is a reference to itself, but clients expect an object.
  const { [$ref?.replace("#/$defs/", "") ?? ""]: named, ...others } = $defs ?? {};
  const rest = Object.keys(others).length > 0 ? { $defs: others } : {};
  return simplify({ ...schema, ...(named as object), ...rest }) as ObjectSchema;
}

/** Members of a page of a list. */
const PAGE = ["items", "next_cursor"];

/**
 * Rewrites `type: ["string", "null"]` as `anyOf`, because strict validators accept only one type, and removes
 * repetitions.
 */
const simplify = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (_name, value) => {
    const { properties = {} } = value ?? {};
    for (const name of Object.keys(properties)) {
      // The instructions already explain the `_exact` form of a property and the members of a page.
      const isExplained = name.endsWith("_exact")
        ? name.slice(0, -6) in properties
        : PAGE.includes(name) && "next_cursor" in properties;
      if (isExplained) delete properties[name].description;
    }
    if (!Array.isArray(value?.type)) return value;
    const { type, ...others } = value;
    return { ...others, anyOf: type.map((each: string) => ({ type: each })) };
  });
