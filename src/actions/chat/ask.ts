import type { TypedOperation } from "../../generated/chat.js";

/** Runs one of the chat's queries as the user who asks; throws the errors of the graph. */
export type Ask = <Data, Variables>(
  query: TypedOperation<Data, Variables>,
  variables: Variables & object,
) => Promise<Data>;

/** A query that was run for an answer. Any caller with the same scopes can run it again. */
export interface AskedQuery {
  readonly name: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly document: string;
}

const nameOf = (document: string): string => /\bquery (\w+)/.exec(document)?.[1] ?? "";

/** Creates an `ask` that collects its queries and their results. */
export function noteAsked(ask: Ask): { ask: Ask; queries: AskedQuery[]; answers: unknown[] } {
  const queries: AskedQuery[] = [];
  const answers: unknown[] = [];
  return {
    queries,
    answers,
    async ask(query, variables) {
      const data = await ask(query, variables);
      queries.push({
        name: nameOf(query.source),
        variables: { ...variables } as Record<string, unknown>,
        document: query.source,
      });
      answers.push(data);
      return data;
    },
  };
}
