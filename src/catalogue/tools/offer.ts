import type { GraphQLSchema } from "graphql";
import type { Tool } from "./tool.js";

interface Offer {
  /** The built-in tools, by the names of their operations. */
  readonly shipped: ReadonlyMap<string, Tool>;
  /** All tools offered to callers, by name: the operator's, and the built-in ones that these do not replace. */
  readonly offered: ReadonlyMap<string, Tool>;
}

const offers = new WeakMap<GraphQLSchema, Offer>();

/** Makes tools available to the resolvers of a schema. */
export function offerTools(schema: GraphQLSchema, shipped: Iterable<Tool>, offered: Offer["offered"]): void {
  offers.set(schema, { shipped: new Map(Array.from(shipped, (tool) => [tool.id, tool])), offered });
}

/** Returns the tools available to the resolvers of a schema. */
export function toolsOf(schema: GraphQLSchema): Offer {
  const found = offers.get(schema);
  if (!found) throw new Error("no tools are offered to the resolvers of this schema");
  return found;
}
