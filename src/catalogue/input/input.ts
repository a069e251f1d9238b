import {
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInputType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from "graphql";
import { z } from "zod";
import { snakeCase } from "../../domain/texts/snake-case.js";
import { argumentOf, rangeOf } from "../directives.js";
import { listQuery, pageOf } from "../list.js";
import type { Operation } from "../read.js";
import { restNameOf } from "../spelling.js";
import { createForms, type Field, formOf, isOptional, objectWith, type Values } from "./forms.js";
import {
  isBelow,
  listUses,
  type Part,
  placeIn,
  placeVariable,
  type Use,
  type Variable,
  VERSION,
} from "./places.js";
import { wholeNumber } from "./values.js";

/** The REST request of an operation; for a tool without `rest`, its arguments. */
export interface OperationInput {
  /** True if the operation compares the version in `If-Match`. */
  readonly hasVersion: boolean;
  /** Shapes of the parts of the request. Parts it does not have are absent. */
  readonly shapes: Partial<Readonly<Record<"params" | "query" | "body", z.ZodType>>>;
  /** Converts the parts of a request to variables of the operation. The parts must have these shapes. */
  variables(parts: {
    readonly params: unknown;
    readonly query: unknown;
    readonly body: unknown;
    readonly expectedVersion: number | null;
  }): Record<string, unknown>;
  /**
   * Maps a path in a variable or argument to its location in the request, such as `body.lines[0].mass_t` or `query.q`.
   */
  placeOf(path: string): string | undefined;
}

/** Descriptions of paging arguments. The graph describes them for both directions, with other limits. */
const PAGE_TEXTS: Readonly<Record<string, string>> = {
  limit: "Maximum number of items.",
  cursor: "`next_cursor` of the previous page.",
};

/** Creates a function that derives the REST request of an operation. */
export function createInputs(
  schema: GraphQLSchema,
): (operation: Pick<Operation, "name" | "definition" | "rest">) => OperationInput {
  const { describe, leafOf, objectOf, partOf, parameterOf, argumentFor } = createForms(schema);
  /** Derives a variable as a member of the request part that contains it. */
  function fieldOf({ node, part, restName, input }: Variable): Field {
    const { value: name } = node.variable.name;
    const type = typeFromAST(schema, node.type as never);
    if (!isInputType(type)) throw new Error(`$${name} has no input type`);
    const isRequired = isNonNullType(type) && !node.defaultValue;
    const description = node.description?.value ?? input?.description ?? "";
    if (part === "params") {
      const leaf = getNamedType(type);
      const isNumber = leaf.name === "Int";
      return { name, restName, ...(isNumber ? parameterOf(leaf, description) : leafOf(leaf)) };
    }
    const limited = limitedOf(node, part);
    if (part === "body" && !limited) {
      const defaultValue = node.defaultValue && "its own";
      return { name, restName, ...partOf(type, { description, defaultValue, astNode: input?.astNode }) };
    }
    const { shape, toGraph } = limited
      ? formOf(describe(limited, description))
      : parameterOf(type, description);
    return { name, restName, shape: isRequired ? shape : shape.optional(), toGraph };
  }

  /**
   * Returns a variable under its name and, if it has one, its former name. The current name wins if the request has
   * both.
   */
  function spellingsOf(variable: Variable): Field[] {
    const restName = argumentOf(variable.node, "formerly", "name");
    const field = fieldOf(variable);
    if (restName === undefined) return [field];
    const shape = field.shape.describe(`The same as \`${variable.restName}\`.`);
    return [{ ...field, restName, shape }, field];
  }

  /** Returns the type of a variable with `@inline`. */
  function inlineTypeOf({ node }: Variable): GraphQLInputObjectType {
    const type = getNamedType(typeFromAST(schema, node.type as never));
    if (isInputObjectType(type)) return type;
    throw new Error(`$${node.variable.name.value} is not an object, so it cannot be @inline`);
  }

  /** Derives the variable whose fields are members of the body, except those in the path or in `If-Match`. */
  function inlineOf(variable: Variable, path: string) {
    const type = inlineTypeOf(variable);
    const fields = Object.values(type.getFields());
    const version = fields.filter((field) => field.name === VERSION);
    const ids = fields.filter((field) => path.includes(`{${snakeCase(field.name)}}`));
    const params = ids.map((field) => ({
      name: field.name,
      restName: snakeCase(field.name),
      ...leafOf(getNamedType(field.type)),
    }));
    return {
      name: variable.node.variable.name.value,
      restName: variable.restName,
      ...objectOf(type, [...version, ...ids]),
      params: objectWith(params),
      hasVersion: version.length > 0,
    };
  }

  /**
   * Derives an argument of a tool. An `@inline` object becomes several arguments; those it requires must be given
   * together or not at all.
   */
  function argumentsFor(variable: Variable): Field[] {
    const { node, restName, input, isInline } = variable;
    const { value: name } = node.variable.name;
    const type = typeFromAST(schema, node.type as never);
    if (!isInputType(type)) throw new Error(`$${name} has no input type`);
    if (isInline) {
      return Object.values(inlineTypeOf(variable).getFields()).map((field) => ({
        name: `${name}.${field.name}`,
        restName: snakeCase(field.name),
        ...argumentFor(field.type, { description: field.description, isRequired: isNonNullType(type) }),
      }));
    }
    const description = node.description?.value ?? PAGE_TEXTS[restName] ?? input?.description;
    const defaultValue = node.defaultValue && valueFromAST(node.defaultValue, type);
    const isRequired = isNonNullType(type) && defaultValue === undefined;
    const options = { description, isRequired, defaultValue, range: rangeOf(node) };
    return [{ name, restName, ...argumentFor(type, options) }];
  }

  /** Returns the names of the arguments that an `@inline` object requires, if it is given at all. */
  function requiredMembers(variable: Variable): string[] {
    const fields = Object.values(inlineTypeOf(variable).getFields());
    return fields.filter((field) => isNonNullType(field.type)).map(({ name }) => snakeCase(name));
  }

  /** Derives the arguments of a tool, which form its body. */
  function toolInput({ name, definition }: Pick<Operation, "name" | "definition">): OperationInput {
    const uses = listUses(schema, definition);
    const variables = (definition.variableDefinitions ?? []).map((node) =>
      placeVariable(node, uses, undefined),
    );
    const { shape, toGraph } = objectWith(variables.flatMap(argumentsFor), name);
    const together = variables.filter(({ isInline }) => isInline).map(requiredMembers);
    return {
      hasVersion: false,
      shapes: { body: together.length === 0 ? shape : shape.superRefine(requireTogether(together)) },
      variables: ({ body }) => gather(toGraph(body as Values)),
      placeOf(path) {
        const { found, below } = findVariable(variables, uses, path);
        if (!found?.isInline) return found && placeIn("body", found.restName, below);
        // A fault of the whole object is reported for its first required member.
        return placeIn("body", "", below === "" ? (requiredMembers(found)[0] ?? "") : below);
      },
    };
  }

  return ({ name, definition, rest }) => {
    if (!rest) return toolInput({ name, definition });
    const uses = listUses(schema, definition);
    const variables = (definition.variableDefinitions ?? []).map((node) => placeVariable(node, uses, rest));
    const fieldsOf = (part: Part) =>
      variables.filter((one) => one.part === part && !one.isInline).flatMap(spellingsOf);
    const spread = variables.find(({ part, isInline }) => part === "body" && isInline);
    const inline = spread && inlineOf(spread, rest.path);
    const params = objectWith(fieldsOf("params"));
    const query = objectWith(fieldsOf("query"));
    const bodyFields = fieldsOf("body");
    const body = objectWith(bodyFields, name);
    const hasPages = variables.some(({ part }) => part === "page");
    const hasVersionVariable = variables.some(({ part }) => part === "version");
    const hasQuery = hasPages || Object.keys(query.shape.shape).length > 0;
    const whole = bodyShape(inline?.shape, bodyFields.length > 0 ? body.shape : undefined);
    const inPath = { ...params.shape.shape, ...inline?.params.shape.shape };
    return {
      hasVersion: hasVersionVariable || inline?.hasVersion === true,
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
              ...(inline.toGraph(withoutNames(sent as Values, bodyFields) as never) as object),
              ...inline.params.toGraph((values ?? {}) as Values),
              ...(inline.hasVersion && { [VERSION]: expectedVersion }),
            },
          }),
          ...body.toGraph(sent as Values),
          ...(hasVersionVariable && { [VERSION]: expectedVersion }),
        };
      },
      placeOf(path) {
        const { found, below } = findVariable(variables, uses, path);
        if (!found) return undefined;
        return placeIn(found.part, found.isInline ? "" : found.restName, below);
      },
    };
  };
}

/** Finds the variable that contains a part of the graph's input, and the path below it in snake_case. */
function findVariable(variables: readonly Variable[], uses: readonly Use[], path: string) {
  const use = uses.find(({ argument }) => isBelow(path, argument));
  const own = use?.variable ?? path.split(/[.[]/)[0];
  const found = variables.find(({ node }) => node.variable.name.value === own);
  return { found, below: restNameOf(path.slice((use?.argument ?? own ?? "").length)) };
}

/** Creates a rule that the arguments of each group must be given together or not at all. */
const requireTogether =
  (groups: readonly (readonly string[])[]) =>
  (
    given: Values,
    { addIssue }: { addIssue: (issue: { code: "custom"; path: string[]; message: string }) => void },
  ) => {
    for (const names of groups) {
      const present = names.find((name) => given[name] !== undefined);
      const missing = names.find((name) => given[name] === undefined);
      if (present === undefined || missing === undefined) continue;
      addIssue({ code: "custom", path: [missing], message: `expected a value, because ${present} has one` });
    }
  };

/** Nests values with names such as `range.from` into objects. */
function gather(values: Values): Record<string, unknown> {
  const gathered: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const [name = "", member] = path.split(".");
    gathered[name] = member === undefined ? value : { ...(gathered[name] as object), [member]: value };
  }
  return gathered;
}

/** Returns the shape of a variable with `@range`; undefined without it. */
function limitedOf(node: VariableDefinitionNode, part: Part): z.ZodType | undefined {
  const range = rangeOf(node);
  if (!range) return undefined;
  const { min, max } = range;
  return part === "body" ? z.int().min(min).max(max) : wholeNumber(min, max);
}

/**
 * Returns the shape of a body: the fields of an input object with other fields next to them; undefined without fields.
 */
function bodyShape(spread: z.ZodType | undefined, others: z.ZodObject | undefined): z.ZodType | undefined {
  const whole =
    spread && others && spread instanceof z.ZodObject
      ? z.strictObject({ ...spread.shape, ...others.shape })
      : (spread ?? others);
  if (!whole || (whole instanceof z.ZodObject && Object.keys(whole.shape).length === 0)) return undefined;
  return whole instanceof z.ZodObject && isOptional(whole) ? whole.optional() : whole;
}

function withoutNames(values: Values, names: readonly { readonly restName: string }[]): Values {
  if (names.length === 0) return values;
  return Object.fromEntries(
    Object.entries(values).filter(([key]) => !names.some(({ restName }) => restName.split(".")[0] === key)),
  );
}
