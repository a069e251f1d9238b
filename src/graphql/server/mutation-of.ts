import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
} from "graphql";
import { QUERY_LIMITS } from "../../limits/cost/query-limits.js";

/** A mutation that has not been validated yet. */
export interface MutationDocument {
  readonly document: DocumentNode;
  /** Names of its root fields in the answer. */
  readonly fields: ReadonlySet<string>;
}

/** Returns the mutation that a document runs; undefined for other operations, and if the document does not parse. */
export function findMutation(text: string, operationName: unknown): MutationDocument | undefined {
  let document: DocumentNode;
  try {
    document = parse(text, { maxTokens: QUERY_LIMITS.tokens, noLocation: true });
  } catch {
    return undefined;
  }
  const definition = getOperationAST(document, typeof operationName === "string" ? operationName : null);
  if (definition?.operation !== OperationTypeNode.MUTATION) return undefined;
  return { document, fields: new Set(listFields(document, definition.selectionSet)) };
}

/**
 * Lists the response names of a selection's fields, including those in fragments. Reads each fragment once, because a
 * fragment may contain itself.
 */
function listFields(document: DocumentNode, root: SelectionSetNode): string[] {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of document.definitions) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  }
  const list = ({ selections }: SelectionSetNode): string[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [(selection.alias ?? selection.name).value];
      if (selection.kind === Kind.INLINE_FRAGMENT) return list(selection.selectionSet);
      const fragment = fragments.get(selection.name.value);
      fragments.delete(selection.name.value);
      return fragment ? list(fragment.selectionSet) : [];
    });
  return list(root);
}
