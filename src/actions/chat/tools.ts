import type { ToolOperations } from "../../generated/tools.js";

type ToolOperation = keyof ToolOperations;
type VariablesOf<Name extends ToolOperation> = ToolOperations[Name]["variables"];
/** The result of an operation. A root field is null only together with an error. */
type DataOf<Name extends ToolOperation> = {
  readonly [Root in keyof ToolOperations[Name]["data"]]: NonNullable<ToolOperations[Name]["data"][Root]>;
};

/** An operation that was run for an answer. Any caller with the same scopes can run it again. */
export interface AskedQuery {
  readonly name: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly document: string;
}

/** The tools that a user may call. */
export interface Tools {
  readonly offered: readonly {
    readonly name: string;
    readonly description: string;
    /** JSON schema of its arguments. */
    readonly inputSchema: object;
  }[];
  /** Calls a tool for a model. Resolves to the answer and its query, or to the reason for a refusal. */
  call(name: string, given: unknown): Promise<{ query: AskedQuery; answer: unknown } | { error: string }>;
  /** Runs the operation of a tool, and adds it to `queries`, of which at most 5 run. Rejects with the errors of the graph. */
  read: Read;
}

type Read = <Name extends ToolOperation>(
  queries: AskedQuery[],
  name: Name,
  variables: VariablesOf<Name>,
) => Promise<DataOf<Name>>;

/** Runs the operation of a tool, and returns its result. */
export type Ask = <Name extends ToolOperation>(
  name: Name,
  variables: VariablesOf<Name>,
) => Promise<DataOf<Name>>;

interface Page<Item> {
  readonly nodes: readonly Item[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Reads the items of a list page by page. `isWhole` is false if it has more than `most` pages. */
export async function readPages<Item>(most: number, readPage: (after: string | null) => Promise<Page<Item>>) {
  const items: Item[] = [];
  let after: string | null = null;
  for (let count = 0; count < most; count += 1) {
    const { nodes, pageInfo }: Page<Item> = await readPage(after);
    items.push(...nodes);
    if (!pageInfo.hasNextPage) return { items, isWhole: true };
    after = pageInfo.endCursor;
  }
  return { items, isWhole: false };
}
