import type { ToolOperations } from "../../generated/tools.js";

type ToolOperation = keyof ToolOperations;
type VariablesOf<Name extends ToolOperation> = ToolOperations[Name]["variables"];
/** Result of an operation. A root field is null only together with an error. */
type DataOf<Name extends ToolOperation> = {
  readonly [Root in keyof ToolOperations[Name]["data"]]: NonNullable<ToolOperations[Name]["data"][Root]>;
};

/** An operation that an answer ran. Any caller with the same scopes can repeat it. */
export interface AskedQuery {
  readonly name: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly document: string;
}

/** Tools that a user may call. */
export interface Tools {
  readonly offered: readonly {
    readonly name: string;
    readonly description: string;
    /** JSON schema of the arguments. */
    readonly inputSchema: object;
  }[];
  /** Calls a tool for a model. Returns the answer and its query, or the reason for a refusal. */
  call(name: string, given: unknown): Promise<{ query: AskedQuery; answer: unknown } | { error: string }>;
  /**
   * Runs a tool's operation and adds it to `queries`. Rejects with GraphQL errors, and with BAD_USER_INPUT after 5
   * queries.
   */
  read: Read;
}

type Read = <Name extends ToolOperation>(
  queries: AskedQuery[],
  name: Name,
  variables: VariablesOf<Name>,
) => Promise<DataOf<Name>>;

/** Runs a tool's operation and returns its result. */
export type Ask = <Name extends ToolOperation>(
  name: Name,
  variables: VariablesOf<Name>,
) => Promise<DataOf<Name>>;

interface Page<Item> {
  readonly nodes: readonly Item[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Reads a list page by page. `isWhole` is false if it has more than `max` pages. */
export async function readPages<Item>(max: number, readPage: (after: string | null) => Promise<Page<Item>>) {
  const items: Item[] = [];
  let after: string | null = null;
  for (let count = 0; count < max; count += 1) {
    const { nodes, pageInfo }: Page<Item> = await readPage(after);
    items.push(...nodes);
    if (!pageInfo.hasNextPage) return { items, isWhole: true };
    after = pageInfo.endCursor;
  }
  return { items, isWhole: false };
}
