import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  valueFromASTUntyped,
} from "graphql";

/** An operation of a document, with its variables. */
export interface Operation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

export function operationsOf({ definitions }: DocumentNode): OperationDefinitionNode[] {
  return definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
}

/** Returns a document's fragments by name. */
export function fragmentsOf({ definitions }: DocumentNode) {
  return new Map(
    definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
}

/** Returns the value of a field's argument; undefined if it is omitted. */
export type ReadArgument = (field: FieldNode, name: string) => unknown;

/** Creates the function that reads the arguments of an operation's fields, using its variables and their defaults. */
export function createArgumentReader({ operation, variables }: Operation): ReadArgument {
  // Without a prototype, because clients choose the names, and may choose `constructor`.
  const values: Record<string, unknown> = Object.assign(Object.create(null), variables);
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    if (defaultValue && values[name] === undefined) values[name] = valueFromASTUntyped(defaultValue);
  }
  return (field, name) => {
    const value = field.arguments?.find((argument) => argument.name.value === name)?.value;
    return value && valueFromASTUntyped(value, values);
  };
}
