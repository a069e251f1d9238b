import {
  execute,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  type OperationDefinitionNode,
  parse,
} from "graphql";
import { LOOP_MS, type TimeLimit, takeTurnOf } from "../../turns.js";
import { stripDirectives } from "../directives.js";
import { documentOf, type Fragments, readOperations } from "../read.js";
import { createSelections, type Examples } from "./selection.js";

/** Writes rows as REST objects. Serves other requests in between. */
export type WriteItems = (
  rows: readonly object[],
  contextValue: unknown,
  time: TimeLimit,
) => Promise<Record<string, unknown>[]>;

/** Number of rows per execution, which takes a few milliseconds. */
const ROWS_AT_ONCE = 50;

/**
 * Creates a function that returns the writer of a fragment's objects. Given rows, parents of the fragment's type, it
 * writes what an operation with this fragment would return: the same fields, resolvers and spelling.
 */
export function createItems(
  schema: GraphQLSchema,
  texts: Readonly<Record<string, string>>,
  examples: Examples,
): (fragment: string) => WriteItems {
  const fragments: Fragments = readOperations(texts)[0]?.fragments ?? new Map();
  const { fragmentPart } = createSelections(schema, examples);

  return (name) => {
    const { reshape } = fragmentPart(name, fragments);
    const type = schema.getType(fragments.get(name)?.typeCondition.name.value ?? "") as GraphQLObjectType;
    const list = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
    const query = new GraphQLObjectType({
      name: "Items",
      fields: { items: { type: list, resolve: (rows: unknown) => rows } },
    });
    const itemSchema = new GraphQLSchema({ query, assumeValid: true });
    const [operation] = parse(`{ items { ...${name} } }`, { noLocation: true }).definitions;
    const document = stripDirectives(documentOf(operation as OperationDefinitionNode, fragments));
    return async (rows, contextValue, time) => {
      const items: Record<string, unknown>[] = [];
      let end = 0;
      for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
        if (performance.now() >= end) {
          await takeTurnOf(time);
          end = performance.now() + LOOP_MS;
        }
        const rootValue = rows.slice(start, start + ROWS_AT_ONCE);
        const { data, errors } = await execute({ schema: itemSchema, document, rootValue, contextValue });
        const [error] = errors ?? [];
        if (error) throw error.originalError ?? error;
        const found = (data as { items: never[] }).items;
        items.push(...found.map((item) => reshape(item) as Record<string, unknown>));
      }
      return items;
    };
  };
}
