import {
  buildSchema,
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
  readonly serviceAccounts: boolean;
}

/** The arguments of `@tool`. */
export interface ToolNames {
  readonly title: string;
  readonly name?: string;
}

/** An operation that REST serves. */
export type RestOperation = Operation & { readonly rest: Rest };

/** A catalogue operation. */
export interface Operation {
  /** Name such as `listFacilities`. */
  readonly name: string;
  /** The folder of its file; the file's name if it is in no folder. */
  readonly area: string;
  /** The first line of its description. */
  readonly summary: string;
  /** The whole description, on one line. */
  readonly description: string;
  /** Undefined if REST does not serve the operation. */
  readonly rest: Rest | undefined;
  /** Undefined if the operation is not a tool. */
  readonly tool: ToolNames | undefined;
  /** The operation with the catalogue's directives. */
  readonly definition: OperationDefinitionNode;
  /** All fragments of the documents that were read together, by name. */
  readonly fragments: Fragments;
  /** The operation and its fragments, as executed. */
  readonly document: DocumentNode;
}

/**
 * A schema with only the directives. Extending the real schema with them would take as long as the rest of the startup.
 */
const ANNOTATIONS = buildSchema(`${DIRECTIVES} type Query { nothing: Int }`);

/** Lists the errors of documents against the schema and the catalogue's directives, each with the name of its file. */
export function listFaults(schema: GraphQLSchema, texts: Readonly<Record<string, string>>): string[] {
  const annotated = extendSchema(schema, parse(DIRECTIVES));
  const { operations, fragments } = readDefinitions(texts);
  return operations.flatMap(({ file, definition }) =>
    validate(annotated, documentOf(definition, fragments)).map(({ message }) => `${file}: ${message}`),
  );
}

/**
 * Reads the operations of documents. `texts` maps file paths to documents. Throws if an operation has no name, no
 * description, or neither `@rest` nor `@tool`. `listFaults` validates them against the schema.
 */
export function readOperations(texts: Readonly<Record<string, string>>): readonly Operation[] {
  const read = known.get(texts);
  if (read) return read;
  const operations = createOperations(texts);
  known.set(texts, operations);
  return operations;
}

/** Operations by the documents they were read from, because REST and the tools read the same ones. */
const known = new WeakMap<object, readonly Operation[]>();

function createOperations(texts: Readonly<Record<string, string>>): Operation[] {
  const { operations, fragments } = readDefinitions(texts);
  const argumentsOf = <Arguments>(directive: string, definition: OperationDefinitionNode) => {
    const found = ANNOTATIONS.getDirective(directive);
    return found ? (getDirectiveValues(found, definition) as Arguments | undefined) : undefined;
  };
  const stripped: Fragments = new Map(
    Array.from(fragments, ([name, fragment]) => [name, stripDirectives(fragment)]),
  );
  return operations.map(({ file, definition }) => {
    const name = definition.name?.value;
    const { value: description = "" } = definition.description ?? {};
    const [summary] = description.split("\n");
    const rest = argumentsOf<Rest>("rest", definition);
    const tool = argumentsOf<ToolNames>("tool", definition);
    if (!name || !summary || !(rest || tool)) {
      throw new Error(`${file}: ${name ?? "an operation"} needs a name, a description, and @rest or @tool`);
    }
    const area = file.split("/")[0] ?? "";
    const document = documentOf(stripDirectives(definition), stripped);
    return {
      name,
      area,
      summary,
      description: description.replaceAll(/\s*\n\s*/g, " "),
      rest,
      tool,
      definition,
      fragments,
      document,
    };
  });
}

/** Reads the operations and fragments of documents. `texts` maps file paths to documents. */
function readDefinitions(texts: Readonly<Record<string, string>>) {
  const all = Object.entries(texts).flatMap(([file, text]) =>
    parse(text, { noLocation: true }).definitions.map((definition) => ({ file, definition })),
  );
  const fragments: Fragments = new Map(
    all.flatMap(({ definition }) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
  const operations = all.flatMap(({ file, definition }) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [{ file, definition }] : [],
  );
  return { operations, fragments };
}

/** Creates a document from an operation and its fragments, without duplicates. */
export function documentOf(definition: OperationDefinitionNode, fragments: Fragments): DocumentNode {
  const found = new Set<FragmentDefinitionNode>();
  const collect = (node: OperationDefinitionNode | FragmentDefinitionNode) =>
    void visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        if (!fragment || found.has(fragment)) return;
        found.add(fragment);
        collect(fragment);
      },
    });
  collect(definition);
  return { kind: Kind.DOCUMENT, definitions: [definition, ...found] };
}
