import {
  type ASTNode,
  type DirectiveNode,
  type InputValueDefinitionNode,
  Kind,
  type VariableDefinitionNode,
  visit,
} from "graphql";

/**
 * Directives of the catalogue, which define how REST and tools serve an operation. `stripDirectives` removes them
 * before the document is published, costed or run.
 */
export const DIRECTIVES = `
directive @rest(
  method: RestMethod! = GET
  "Path below the API's prefix. \`{user_id}\` is the variable \`$userId\`; a value that its type refuses is NOT_FOUND."
  path: String!
  "Path of the list that contains the created object, for 201 and Location; the operation's own path if it selects \`isNew\`."
  created: String
  "Error codes for the OpenAPI description that cannot be derived."
  failures: [String!]! = []
  "Maximum size of the body, such as \`2mb\`; 256 kB if omitted."
  bodyLimit: String
  "False for a read whose answers with the same version can differ, so the \`ETag\` of the object has a digest as well."
  conditional: Boolean! = true
  "True if API keys and service accounts may call an operation whose fields need no scope; otherwise it needs a session."
  keys: Boolean! = false
  "True if service accounts, but not API keys, may call an operation whose fields need no scope."
  serviceAccounts: Boolean! = false
) on QUERY | MUTATION

enum RestMethod { GET POST PUT PATCH DELETE }

"Offers a query to language models as a tool. The tool's description is that of the operation."
directive @tool(
  "Title that clients can show to people."
  title: String!
  "Name of the tool; the operation's name in snake_case if omitted."
  name: String
) on QUERY

"REST name of a field or variable, or of an object with the fields of a fragment. A variable \`audience.kind\` is a member of \`audience\`."
directive @as(name: String!) on FIELD | INLINE_FRAGMENT | VARIABLE_DEFINITION

"Former name of a query parameter in REST, still accepted."
directive @formerly(name: String!) on VARIABLE_DEFINITION

"In REST, the fields replace the object. In an answer, all are null if the object is null."
directive @inline on FIELD | VARIABLE_DEFINITION

"In REST, the list becomes a page with all its items: \`{ items, next_cursor }\`."
directive @page on FIELD

"Omitted from the answer. Selected because the operation answers NOT_FOUND if it is null, or because the chat reads it."
directive @hidden on FIELD

"Smallest and largest whole number that REST accepts."
directive @range(least: Int!, most: Int!) on VARIABLE_DEFINITION

"Omitted from the REST answer if null or an empty list."
directive @optional on FIELD

"The JSON is an object in REST's spelling, with the fields of this fragment."
directive @shape(fragment: String!) on FIELD
`;

const NAMES = new Set([
  "rest",
  "tool",
  "as",
  "inline",
  "page",
  "hidden",
  "range",
  "optional",
  "formerly",
  "shape",
]);

/** Removes the catalogue's directives and the descriptions from a document. */
export const stripDirectives = <Node extends ASTNode>(document: Node): Node =>
  visit(document, {
    enter(node) {
      if (node.kind === Kind.DIRECTIVE && NAMES.has(node.name.value)) return null;
      return "description" in node && node.description ? { ...node, description: undefined } : undefined;
    },
  });

/** Returns the string argument of a directive; undefined without the directive or the argument. */
export function argumentOf(
  { directives = [] }: { readonly directives?: readonly DirectiveNode[] | undefined },
  directive: string,
  argument: string,
): string | undefined {
  const found = directives
    .find(({ name }) => name.value === directive)
    ?.arguments?.find(({ name }) => name.value === argument);
  return found?.value.kind === Kind.STRING ? found.value.value : undefined;
}

/** Returns the whole numbers that `@range` allows; undefined without it. */
export function rangeOf({ directives = [] }: VariableDefinitionNode) {
  const found = directives.find(({ name }) => name.value === "range");
  if (!found) return undefined;
  const [min, max] = ["least", "most"].map((argument) => {
    const value = found.arguments?.find(({ name }) => name.value === argument)?.value;
    return value?.kind === Kind.INT ? Number(value.value) : Number.NaN;
  }) as [number, number];
  return { min, max };
}

/** Returns the arguments of `@limits`; empty without it. */
export const limitsOf = ({ directives = [] }: Pick<InputValueDefinitionNode, "directives">) =>
  Object.fromEntries(
    (directives.find(({ name }) => name.value === "limits")?.arguments ?? []).map(({ name, value }) => [
      name.value,
      Number("value" in value && value.value),
    ]),
  );

/** Returns true if a node has a directive of this name. */
export const hasDirective = (
  { directives = [] }: { readonly directives?: readonly DirectiveNode[] | undefined },
  name: string,
): boolean => directives.some((directive) => directive.name.value === name);
