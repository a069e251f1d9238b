import type { ApolloServerPlugin } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { type DocumentNode, Kind, OperationTypeNode } from "graphql";
import type { Context } from "../../access/context.js";
import { toAppError } from "../../http/answer/failure.js";
import { requireAffordable, requireShallow } from "../../limits/cost/query-limits.js";
import { isForClients, toGraphqlError } from "./errors.js";

/** Maximum number of characters of an operation's name in the log. */
export const MAX_NAME_LENGTH = 100;

/**
 * Refuses an operation that costs too much, or whose variables are nested too deeply, before it runs. Adds the cost of
 * others to `extensions.cost`; introspection has none.
 */
export const limitCost: ApolloServerPlugin<Context> = {
  async requestDidStart({ schema }) {
    let cost: number | undefined;
    return {
      async didResolveOperation({ document, operation, request, contextValue: { access, request: info } }) {
        info.record.operation = operation?.name?.value.slice(0, MAX_NAME_LENGTH);
        if (!operation) return;
        const variables = request.variables ?? {};
        try {
          requireShallow(variables);
          if (!access) return;
          cost = requireAffordable({ schema, document, operation, variables }, access.principal.tier);
          info.record.cost = cost;
        } catch (error) {
          const refusal = toAppError(error, info.log);
          info.record.cost = refusal.extensions["estimate"] as number | undefined;
          throw toGraphqlError(refusal);
        }
      },
      async willSendResponse({ response: { body } }) {
        if (cost === undefined || body.kind !== "single" || body.singleResult.data === undefined) return;
        body.singleResult.extensions = { ...body.singleResult.extensions, cost };
      },
    };
  },
};

/**
 * Empties subscriptions, which `limitQueries` refuses anyway. If one of their fields depends on a variable, graphql's
 * rule about the fields of subscriptions would throw instead of reporting an error.
 */
export const emptySubscriptions: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async parsingDidStart(requestContext: { document?: DocumentNode }) {
        return async () => {
          const { document } = requestContext;
          if (document) requestContext.document = withoutSubscriptions(document);
        };
      },
    };
  },
};

const withoutSubscriptions = ({ definitions, ...document }: DocumentNode): DocumentNode => ({
  ...document,
  definitions: definitions.map((one) =>
    one.kind === Kind.OPERATION_DEFINITION && one.operation === OperationTypeNode.SUBSCRIPTION
      ? { ...one, variableDefinitions: [], selectionSet: { ...one.selectionSet, selections: [] } }
      : one,
  ),
});

/**
 * Logs failures, because `formatError` does not know the request. Sets Retry-After if a failure is temporary. Marks
 * a request with an idempotency key as having errors.
 */
export const logFailures: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue, response }) {
        const { repeatable } = contextValue.access ?? {};
        if (repeatable) repeatable.hasErrors = true;
        for (const error of errors) {
          const cause = unwrapResolverError(error);
          if (isForClients(cause)) continue;
          const { "Retry-After": seconds } = toAppError(cause, contextValue.request.log).headers;
          if (seconds !== undefined) response.http.headers.set("retry-after", seconds);
        }
      },
    };
  },
};
