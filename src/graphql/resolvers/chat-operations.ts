import { execute, type GraphQLSchema, print } from "graphql";
import { z } from "zod";
import type { Context } from "../../access/context.js";
import type { OperationName, Operations, Tool } from "../../actions/chat/ask.js";
import { createInputs } from "../../catalogue/input.js";
import { type Operation, readOperations } from "../../catalogue/read.js";
import { CHAT_OPERATIONS } from "../../domain/chat/operations.js";
import { snakeCase } from "../../domain/texts/snake-case.js";
import { OPERATIONS } from "../../generated/catalogue.js";

interface Prepared {
  readonly byName: ReadonlyMap<string, Operation>;
  readonly tools: readonly Tool[];
}

/** The operations of the chat by schema, of which a process has one. */
const prepared = new WeakMap<GraphQLSchema, Prepared>();

function prepare(schema: GraphQLSchema): Prepared {
  const known = prepared.get(schema);
  if (known) return known;
  const all = new Map(readOperations(OPERATIONS).map((operation) => [operation.name, operation]));
  const inputOf = createInputs(schema);
  const byName = new Map(CHAT_OPERATIONS.map((name) => [name, requireOperation(all, name)]));
  const tools = CHAT_OPERATIONS.map((name): Tool => {
    const operation = requireOperation(byName, name);
    const input = inputOf(operation);
    const { query = z.strictObject({}) } = input.shapes;
    return {
      name: snakeCase(name),
      description: operation.summary,
      parameters: z.toJSONSchema(query, { io: "input", unrepresentable: "any" }),
      run: (ask, given) =>
        ask(
          name,
          input.variables({
            params: {},
            query: query.parse(given),
            body: {},
            expectedVersion: null,
          }) as never,
        ),
    };
  });
  const made = { byName, tools };
  prepared.set(schema, made);
  return made;
}

function requireOperation(operations: ReadonlyMap<string, Operation>, name: OperationName): Operation {
  const found = operations.get(name);
  if (!found) throw new Error(`the catalogue has no ${name}`);
  return found;
}

/** Runs operations of the catalogue in the caller's own context, with the caller's scopes and tenant. */
export function operationsAs(context: Context, schema: GraphQLSchema): Operations {
  const { byName, tools } = prepare(schema);
  return {
    tools,
    documentOf: (name) => print(requireOperation(byName, name).document),
    async ask(name, variableValues) {
      const { document } = requireOperation(byName, name);
      const { data, errors } = await execute({
        schema,
        document,
        contextValue: context,
        variableValues: { ...variableValues },
      });
      const [error] = errors ?? [];
      if (error) throw error.originalError ?? error;
      return data as never;
    },
  };
}
