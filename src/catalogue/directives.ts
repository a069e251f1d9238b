import { type ASTNode, type DirectiveNode, Kind, type VariableDefinitionNode, visit } from "graphql";

/**
 * Directives of the catalogue, which tell how REST and tools serve an operation. `stripDirectives` removes them before
 * the document is published, costed or run.
 */
export const DIRECTIVES = `
directive @rest(
  method: RestMethod! = GET
  "Path below the API's prefix. \`{user_id}\` is the variable \`$userId\`; a value that its type refuses is NOT_FOUND."
  path: String!
  "Path of the list that what is created is in, for 201 and Location; the operation's own if its answer has an \`isNew\`."
  created: String
  "Codes of failures that follow from nothing else, for the OpenAPI description."
  failures: [String!]! = []
  "The largest body, such as \`2mb\`; 256 kB if omitted."
  bodyLimit: String
  "False if an answer may differ though its version is the same, so that \`If-None-Match\` is never answered with 304."
  conditional: Boolean! = true
  "True if API keys may call an operation whose fields need no scope; otherwise it needs a session."
  keys: Boolean! = false
  "True if service accounts, too, may call an operation whose fields need no scope."
  serviceAccounts: Boolean! = false
) on QUERY | MUTATION

enum RestMethod { GET POST PUT PATCH DELETE }

"Offers a query to language models, as a tool. Its description is the operation's."
directive @tool(
  "Name that clients may show to people."
  title: String!
  "Name of the tool; the operation's in snake_case if omitted."
  name: String
) on QUERY

"The name in REST of a field or a variable, or of an object with the fields of a fragment. A variable \`audience.kind\` is a part of \`audience\`."
directive @as(name: String!) on FIELD | INLINE_FRAGMENT | VARIABLE_DEFINITION

"Another name of a query parameter in REST, which it had before."
directive @formerly(name: String!) on VARIABLE_DEFINITION

"In REST, the fields of the object take its place; of an answer all are null if it is null."
directive @inline on FIELD | VARIABLE_DEFINITION

"In REST, the list is a page with all of its items: \`{ items, next_cursor }\`."
directive @page on FIELD

"Not in REST's answer: selected because the operation answers NOT_FOUND if it is null."
directive @hidden on FIELD

"The least and the greatest whole number that REST takes."
directive @range(least: Int!, most: Int!) on VARIABLE_DEFINITION

"Left out of REST's answer if it is null or an empty list."
directive @optional on FIELD

"The JSON is an object in REST's spelling: the one that this fragment selects."
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

/** Returns the string argument of a directive; undefined without the directive. */
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
  const [least, most] = ["least", "most"].map((argument) => {
    const value = found.arguments?.find(({ name }) => name.value === argument)?.value;
    return value?.kind === Kind.INT ? Number(value.value) : Number.NaN;
  }) as [number, number];
  return { least, most };
}

/** Returns true if a node has a directive of this name. */
export const hasDirective = (
  { directives = [] }: { readonly directives?: readonly DirectiveNode[] | undefined },
  name: string,
): boolean => directives.some((directive) => directive.name.value === name);
