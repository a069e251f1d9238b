import type { HTTPGraphQLResponse } from "@apollo/server";
import type { GraphQLSchema } from "graphql";
import type { Admission } from "../../access/admission.js";
import type { Context, OpenContext } from "../../access/context.js";
import type { OpenRepeatable, Replay } from "../../access/idempotency.js";
import { requireScopes } from "../../access/require-scopes.js";
import { AppError } from "../../errors.js";
import type { IncomingCall } from "../../http/incoming-call.js";
import { scopesOfDocument } from "../schema/document-scopes.js";
import { textOf } from "./http.js";
import type { MutationDocument } from "./mutation-of.js";

export interface RepeatOptions {
  readonly schema: GraphQLSchema;
  readonly openContext: OpenContext;
  readonly openRepeatable: OpenRepeatable;
}

/** Matches the beginning of an answer whose first root field is not null. */
const SHOWS_DATA = /^\{"data":\{"\w+":[^n]/;

/**
 * Runs a mutation with an idempotency key, unless it has already succeeded; then it returns the stored answer. Throws
 * BAD_REQUEST unless the mutation has exactly one root field, and like `requireScopes` if the caller has lost a scope
 * since. Answers with errors cannot be repeated. Ignores the idempotency key of a request with an API key.
 */
export async function repeatMutation(
  { schema, openContext, openRepeatable }: RepeatOptions,
  { document, fields }: MutationDocument,
  incomingCall: IncomingCall,
  admission: Admission,
  execute: (openNow: () => Promise<Context>) => Promise<HTTPGraphQLResponse>,
): Promise<HTTPGraphQLResponse | Replay> {
  const { request } = incomingCall;
  const { principal } = admission;
  const repeatable = openRepeatable(incomingCall, principal);
  if (!repeatable) return execute(async () => openContext(request, admission));
  if (fields.size !== 1) {
    const message = `Idempotency-Key: expected exactly one root field of Mutation, got ${fields.size}`;
    throw new AppError("BAD_REQUEST", message);
  }
  const context = openContext(request, { ...admission, repeatable });
  const answer = await repeatable.once(() => execute(async () => context), {
    // A field below the root may fail after the change; the caller still gets the rest.
    hasFailed: (result) =>
      repeatable.hasErrors && !(repeatable.claim.isCommitted && SHOWS_DATA.test(textOf(result))),
  });
  if ("replay" in answer) {
    for (const required of scopesOfDocument(schema, document)) requireScopes(principal, required);
  } else {
    const { status = 200, headers } = answer;
    const contentType = headers.get("content-type") ?? "";
    const sent = { status, location: null, etag: null, contentType, body: textOf(answer) };
    await repeatable.keep(repeatable.hasErrors ? null : sent);
  }
  return answer;
}
