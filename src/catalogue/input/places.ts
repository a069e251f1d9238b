import {
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { snakeCase } from "../../domain/texts/snake-case.js";
import { argumentOf, hasDirective } from "../directives.js";
import type { Rest } from "../read.js";

/** The variable for the version that the caller last read; `If-Match` in REST. */
export const VERSION = "expectedVersion";
/** The variable whose fields come from the whole request: the path, the `If-Match` header and the body. */
const INPUT = "input";

/** The part of a request that contains a variable. */
export type Part = "params" | "query" | "page" | "body" | "version";

/** A variable and its location in a REST request. */
export interface Variable {
  readonly node: VariableDefinitionNode;
  readonly part: Part;
  readonly restName: string;
  /** The argument or input field that receives it. */
  readonly input: GraphQLArgument | GraphQLInputField | undefined;
  /** True if its fields are members of the body. */
  readonly isInline: boolean;
}

/** REST names of the paging variables. */
const PAGE: ReadonlyMap<string, string> = new Map([
  ["first", "limit"],
  ["after", "cursor"],
]);

/**
 * Finds the location of a variable in the request. Without `rest`, it is in the arguments of a tool, which form the
 * body.
 */
export function placeVariable(
  node: VariableDefinitionNode,
  uses: readonly Use[],
  rest: Rest | undefined,
): Variable {
  const { value: name } = node.variable.name;
  const ownName = argumentOf(node, "as", "name") ?? (rest ? undefined : PAGE.get(name));
  const restName = ownName ?? snakeCase(name);
  const input = uses.find(({ variable }) => variable === name)?.input;
  const isInline = name === INPUT || hasDirective(node, "inline");
  const place = (part: Part, at = restName): Variable => ({ node, part, restName: at, input, isInline });
  if (!rest) return place("body");
  const { path, method } = rest;
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

/** Returns the path of a part of the request, such as `body.lines[0].mass_t`. */
export function placeIn(part: string, name: string, below: string): string {
  const whole = `${name}${below}`.replace(/^\./, "");
  return `${PLACES[part] ?? "body"}${whole === "" || whole.startsWith("[") ? "" : "."}${whole}`;
}

/** Returns true if a path equals `part` or is below it. */
export const isBelow = (path: string, part: string) =>
  path === part || path.startsWith(`${part}.`) || path.startsWith(`${part}[`);

/** A use of a variable in an operation. */
export interface Use {
  readonly variable: string;
  /** Path such as `filter.scopes`. */
  readonly argument: string;
  /** The argument or the input field. */
  readonly input: GraphQLArgument | GraphQLInputField | undefined;
}

/** Lists the uses of variables in an operation, but not in its fragments. */
export function listUses(schema: GraphQLSchema, definition: OperationDefinitionNode): Use[] {
  const types = new TypeInfo(schema);
  const uses: Use[] = [];
  const collectUses = (
    value: ValueNode,
    argument: string,
    input: GraphQLArgument | GraphQLInputField | undefined,
  ) => {
    if (value.kind === Kind.VARIABLE) {
      uses.push({ variable: value.name.value, argument, input });
    } else if (value.kind === Kind.LIST) {
      for (const [index, item] of value.values.entries()) collectUses(item, `${argument}[${index}]`, input);
    } else if (value.kind === Kind.OBJECT) {
      const type = input && getNamedType(input.type);
      for (const field of value.fields) {
        const below = isInputObjectType(type) ? type.getFields()[field.name.value] : undefined;
        collectUses(field.value, `${argument}.${field.name.value}`, below);
      }
    }
  };
  visit(
    definition,
    visitWithTypeInfo(types, {
      Argument(node: ArgumentNode) {
        collectUses(node.value, node.name.value, types.getArgument() ?? undefined);
      },
    }),
  );
  return uses;
}
