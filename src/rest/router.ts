import { type Request, type Response, Router } from "express";
import type { DocumentNode, GraphQLSchema } from "graphql";
import type { Admit, RequestInfo } from "../context.js";
import type { Scope } from "../domain/scopes.js";
import { AppError } from "../errors.js";
import { prepareEndpoint } from "./endpoint.js";
import { endpoints } from "./endpoints/index.js";
import { sendData } from "./envelope.js";

/** The contract's `{base_url}` ends in /api/v1; the same router answers without it. */
export const REST_PREFIXES = ["/api/v1/ext/v1", "/ext/v1"] as const;

const METHODS = "GET, HEAD, OPTIONS";

export interface RestOptions {
  readonly schema: GraphQLSchema;
  readonly admit: Admit;
  /** Scopes that a document's fields require, in no order. */
  readonly scopesOf: (schema: GraphQLSchema, document: DocumentNode) => Scope[];
  readonly requestInfo: (response: Response) => RequestInfo;
}

/**
 * A router over the list of endpoints. Unknown paths and other methods are refused before the key is looked at, and
 * cost nothing; failures are thrown, for the application's one error handler. Throws where an endpoint does not fit
 * the schema.
 */
export function createRestRouter({ schema, admit, scopesOf, requestInfo }: RestOptions): Router {
  const router = Router({ caseSensitive: true });
  for (const endpoint of endpoints) {
    const run = prepareEndpoint(schema, endpoint, scopesOf);
    router
      .route(endpoint.path)
      .get(async (request: Request, response: Response) => {
        const info = requestInfo(response);
        const context = await admit(info, request, response);
        sendData(response, info, await run(context));
      })
      .options((_request: Request, response: Response) => {
        response.status(204).set("Allow", METHODS).end();
      })
      .all((request: Request) => {
        throw new AppError("METHOD_NOT_ALLOWED", `${request.method} is not allowed here. Use GET.`, {
          headers: { Allow: METHODS },
        });
      });
  }
  return router;
}
