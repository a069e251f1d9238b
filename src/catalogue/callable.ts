import type { DocumentNode } from "graphql";
import type { z } from "zod";
import type { Scope } from "../domain/scopes.js";

/** A GraphQL operation served in another form: as a REST endpoint or a tool. */
export interface Callable {
  /** For GET, refusals name query parameters; for other methods, paths in the body. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: `/${string}`;
  /**
   * The scope or scopes that a caller needs. Null allows any signed-in user; an empty list also allows any API key and
   * service account.
   */
  readonly scope: Scope | readonly Scope[] | null;
  /** One query or mutation, with its fragments. */
  readonly operation: string | DocumentNode;
  /** Shapes of the parts of the input. */
  readonly input: Partial<Readonly<Record<"params" | "query" | "body", z.ZodType>>>;
  /** Name of its operation in the catalogue. */
  readonly name?: string;
  /** Returns the path in the body for a faulty part of the graph's input; the same path in REST's names if omitted. */
  problemPath?(path: string, body: unknown): string;
  /**
   * Returns the location of a part of the graph's input, such as `body.country`. Only catalogue operations and tools
   * have this.
   */
  placeOf?(path: string): string | undefined;
}

/** Returns the scopes that an operation declares. */
export const listScopes = (scope: Callable["scope"]): readonly Scope[] =>
  scope === null ? [] : typeof scope === "string" ? [scope] : scope;
