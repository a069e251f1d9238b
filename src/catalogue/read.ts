import {
  type DocumentNode,
  extendSchema,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getDirectiveValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  visit,
} from "graphql";
import { DIRECTIVES, stripDirectives } from "./directives.js";

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The arguments of `@rest`. */
export interface Rest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: `/${string}`;
  readonly created?: `/${string}`;
  readonly failures: readonly string[];
  readonly bodyLimit?: string;
  readonly conditional: boolean;
  readonly keys: boolean;
}

/** An operation of the catalogue. */
export interface Operation {
  /** Such as `listFacilities`. */
  readonly name: string;
  /** The folder of its file. */
  readonly area: string;
  /** The first line of its description. */
  readonly summary: string;
  readonly rest: Rest;
  /** With the catalogue's directives. */
  readonly definition: OperationDefinitionNode;
  /** All of the catalogue, by name. */
  readonly fragments: Fragments;
  /** The operation and the fragments that it spreads, as it runs. */
  readonly document: DocumentNode;
}

/**
 * Reads the operations of documents, `texts` by the paths of their files. Throws if one does not fit the schema, has no
 * description, or no `@rest`.
 */
export function readOperations(schema: GraphQLSchema, texts: Readonly<Record<string, string>>): Operation[] {
  const annotated = extendSchema(schema, parse(DIRECTIVES));
  const rest = annotated.getDirective("rest");
  if (!rest) throw new Error("there is no directive @rest");
  const files = Object.entries(texts).map(([file, text]) => ({ file, ...parse(text) }));
  const fragments: Fragments = new Map(
    files
      .flatMap(({ definitions }) => definitions)
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  return files.flatMap(({ file, definitions }) =>
    definitions
      .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
      .map((definition) => {
        const { name: { value: name } = { value: "" } } = definition;
        const whole = documentOf(definition, fragments);
        const [problem] = validate(annotated, whole);
        if (problem) throw new Error(`${file}: ${name}: ${problem.message}`);
        const summary = definition.description?.value.split("\n")[0];
        const values = getDirectiveValues(rest, definition) as unknown as Rest | undefined;
        if (!summary || !values) throw new Error(`${file}: ${name} needs a description and @rest`);
        const area = file.split("/")[0] ?? "";
        return { name, area, summary, rest: values, definition, fragments, document: stripDirectives(whole) };
      }),
  );
}

/** An operation and the fragments that it spreads, each once. */
function documentOf(definition: OperationDefinitionNode, fragments: Fragments): DocumentNode {
  const found = new Set<FragmentDefinitionNode>();
  const look = (node: OperationDefinitionNode | FragmentDefinitionNode) =>
    void visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        if (!fragment || found.has(fragment)) return;
        found.add(fragment);
        look(fragment);
      },
    });
  look(definition);
  return { kind: Kind.DOCUMENT, definitions: [definition, ...found] };
}
