import { MOST_QUERIES } from "../../domain/chat/question.js";
import { AppError } from "../../errors.js";
import type { ChatOperations } from "../../generated/chat.js";

export type OperationName = keyof ChatOperations;

/** Runs an operation of the catalogue as the user who asks; throws the errors of the graph. */
export type Ask = <Name extends OperationName>(
  name: Name,
  variables: ChatOperations[Name]["variables"],
) => Promise<ChatOperations[Name]["data"]>;

/** An operation as a tool for a model. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of its parameters, which are those of the REST endpoint. */
  readonly parameters: object;
  /** Runs it with the parameters that the model gives. Rejects if they are invalid, or not allowed to the user. */
  run(ask: Ask, given: unknown): Promise<unknown>;
}

/** The operations of the catalogue that answers may use. */
export interface Operations {
  readonly ask: Ask;
  documentOf(name: OperationName): string;
  readonly tools: readonly Tool[];
}

/** A query that was run for an answer. Any caller with the same scopes can run it again. */
export interface AskedQuery {
  readonly name: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly document: string;
}

/** Creates an `ask` that collects its queries and their results, at most 5. */
export function noteAsked({ ask, documentOf }: Operations): {
  ask: Ask;
  queries: AskedQuery[];
  answers: unknown[];
} {
  const queries: AskedQuery[] = [];
  const answers: unknown[] = [];
  return {
    queries,
    answers,
    async ask(name, variables) {
      if (queries.length >= MOST_QUERIES)
        throw new AppError("BAD_USER_INPUT", "It needs too much data at once.");
      const query = {
        name,
        variables: { ...variables } as Record<string, unknown>,
        document: documentOf(name),
      };
      const data = await ask(name, variables);
      queries.push(query);
      answers.push(data);
      return data;
    },
  };
}

/** Returns the value of a root field. It is null only together with an error. */
export function required<Value>(value: Value | null | undefined): Value {
  if (value == null) throw new Error("a query of the chat answered nothing");
  return value;
}
