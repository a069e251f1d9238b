import { type GraphQLSchema, print } from "graphql";
import { createAnswers } from "../catalogue/answer/answer.js";
import type { Examples } from "../catalogue/answer/selection.js";
import { createInputs } from "../catalogue/input/input.js";
import type { ScopesOf } from "../catalogue/prepare.js";
import { type Operation, type RestOperation, readOperations } from "../catalogue/read.js";
import { once } from "../domain/once.js";
import { listRequired } from "../domain/scopes.js";
import type { ErrorCode } from "../errors.js";
import type { BodyLimit } from "../http/body/body.js";
import { type Endpoint, isOperation, type OperationEndpoint } from "./endpoint.js";

export interface Catalogue {
  /** Documents by file path. */
  readonly texts: Readonly<Record<string, string>>;
  readonly examples: Examples;
  /** Adjustments of derived endpoints, by operation name. */
  readonly overrides?: Readonly<Record<string, Override>>;
}

/** Adjusts an endpoint derived from a document where REST differs from the graph. */
export type Override = (derived: CataloguedEndpoint) => OperationEndpoint;

/** A derived endpoint. It has `variables` only if its operation has variables, whatever the type says. */
export type CataloguedEndpoint = OperationEndpoint & Required<Pick<OperationEndpoint, "variables">>;

/**
 * Creates an endpoint for each operation of the catalogue with `@rest`. Throws if an override has no operation. If an
 * operation does not fit the schema, the properties derived from it throw.
 */
export function createCataloguedEndpoints(
  schema: GraphQLSchema,
  { texts, examples, overrides = {} }: Catalogue,
  scopesOf: ScopesOf,
): OperationEndpoint[] {
  const answerOf = createAnswers(schema, examples);
  const inputOf = createInputs(schema);

  const operations = readOperations(texts).filter(
    (operation): operation is RestOperation => operation.rest !== undefined,
  );
  // Also of the changes, so that the ETag of a change's answer is that of a read.
  const varied = operations
    .filter(({ rest }) => !rest.conditional)
    .map(({ rest }) => rest.path.replace("/{id}", ""));
  const isVaried = (path: string) => varied.some((parent) => `${path}/`.startsWith(`${parent}/`));
  const toEndpoint = (operation: RestOperation): OperationEndpoint => {
    const { name, area, summary, rest, document } = operation;
    const { method, path, created, failures, bodyLimit, keys, serviceAccounts } = rest;
    // Derived on first use: few endpoints are called soon after a start, and deriving all of them takes a tenth of a
    // second.
    const scope = once(() => {
      const scopes = listRequired(scopesOf(schema, document));
      return scopes.length === 0 && !keys ? null : scopes;
    });
    const answer = once(() => answerOf(operation));
    const input = once(() => inputOf(operation));
    const createdId = (data: unknown, result: unknown) => {
      const { readIsNew } = answer();
      if (readIsNew ? !readIsNew(result) : created === undefined) return undefined;
      // The object may be next to its secret, one level below the data.
      return (
        idOf(data) ??
        Object.values(data as object)
          .map(idOf)
          .find(Boolean) ??
        null
      );
    };
    return {
      name,
      area,
      method,
      path,
      summary,
      operation: document,
      get scope() {
        return scope();
      },
      ...(serviceAccounts && { serviceAccounts }),
      get input() {
        return input().shapes;
      },
      ...(definesVariables(operation) && { variables: (parts) => input().variables(parts) }),
      get data() {
        return answer().shape;
      },
      get example() {
        return answer().example;
      },
      reshape: (result) => answer().reshape(result as never),
      placeOf: (place) => input().placeOf(place),
      get comparesVersion() {
        return input().hasVersion;
      },
      failures: failures as readonly ErrorCode[],
      ...(bodyLimit !== undefined && { bodyLimit: bodyLimit as BodyLimit }),
      get creates() {
        if (answer().readIsNew) return "sometimes" as const;
        return created === undefined ? undefined : ("always" as const);
      },
      createdId,
      ...(created !== undefined && { createdIn: created }),
      get version() {
        return answer().hasVersion ? versionOf : undefined;
      },
      ...(isVaried(path) && { isVersioned: () => false }),
    };
  };
  const stray = Object.keys(overrides).find(
    (name) => !operations.some((operation) => operation.name === name),
  );
  if (stray !== undefined) throw new Error(`there is no operation ${stray} to override`);
  return operations.map((operation) => {
    const endpoint = toEndpoint(operation);
    return overrides[operation.name]?.(endpoint as CataloguedEndpoint) ?? endpoint;
  });
}

/** Returns the text of each catalogued endpoint's operation, by name. */
export const listDocuments = (endpoints: readonly Endpoint[]): Record<string, string> =>
  Object.fromEntries(
    endpoints
      .filter(isOperation)
      .flatMap(({ name, operation }) =>
        name === undefined || typeof operation === "string" ? [] : [[name, print(operation)]],
      ),
  );

/** Returns an object's id. The id of an inventory's issue is its number. */
function idOf(data: unknown): string | undefined {
  const { id, issue } = (data ?? {}) as { readonly id?: string; readonly issue?: number };
  return id ?? (issue === undefined ? undefined : String(issue));
}

const versionOf = (data: unknown) => (data as { readonly version: number }).version;

const definesVariables = ({ definition }: Operation) => (definition.variableDefinitions ?? []).length > 0;
