import type { ApolloServerPlugin } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import type { Context } from "../../access/context.js";
import { toAppError } from "../../http/failure.js";
import { requireAffordable } from "../../limits/cost/query-limits.js";
import { isForClients, toGraphqlError } from "./errors.js";

/** Of an operation's name, in a line of the log. */
const LONGEST_NAME = 100;

/** Refuses, before anything is resolved, an operation that costs too much; tells the cost of one that was answered. */
export const limitCost: ApolloServerPlugin<Context> = {
  async requestDidStart({ schema }) {
    let cost: number | undefined;
    return {
      async didResolveOperation({ document, operation, request, contextValue: { access, request: info } }) {
        info.record.operation = operation?.name?.value.slice(0, LONGEST_NAME);
        if (!access || !operation) return;
        const variables = request.variables ?? {};
        try {
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

/** formatError knows no request, so the failures of an operation are logged here, and those that pass are said to. */
export const tellFailures: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue, response }) {
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
