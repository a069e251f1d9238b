import {
  coerceInputValue,
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInputType,
  typeFromAST,
} from "graphql";
import { maskSecrets } from "../domain/keys/secrets.js";
import { snakeCase } from "../domain/texts/snake-case.js";
import { AppError } from "../errors.js";
import type { Callable } from "./callable.js";
import { EXPECTED } from "./expected.js";
import { namesAt, show } from "./problems.js";
import { restNameOf } from "./spelling.js";

/** The properties of an endpoint that determine how it words the graph's refusals. */
type Refusing = Pick<Callable, "method" | "input" | "problemPath" | "placeOf">;

/** Query parameters whose name differs from the argument's. */
const PARAMETERS: Readonly<Record<string, string>> = {
  after: "cursor",
  before: "cursor",
  first: "limit",
  last: "limit",
  search: "q",
  facilityCodes: "facility",
  facilityIds: "facility",
};

/** Returns the singular of a regular English plural: `categories`, `scopes`. */
const singular = (word: string): string => word.replace(/ies$/, "y").replace(/s$/, "");

/** Returns the parameter for an argument of the graph, such as `query.from` for `range.from`. */
function parameterOf({ input: { params, query }, placeOf }: Refusing, argument: string): string {
  const place = placeOf?.(argument);
  if (place !== undefined) return place;
  const name = argument.replace(/^(range|filter)\./, "");
  const candidates = [PARAMETERS[name] ?? "", name, snakeCase(name), singular(snakeCase(name))];
  const find = (names: readonly string[]) => candidates.find((candidate) => names.includes(candidate));
  const inQuery = find(query ? namesAt(query, []) : []);
  if (inQuery !== undefined) return `query.${inQuery}`;
  const inPath = find(params ? namesAt(params, []) : []);
  if (inPath !== undefined) return `path.${inPath}`;
  // The range as a whole has no parameter.
  return name === "range" ? "query" : `query.${PARAMETERS[name] ?? snakeCase(name)}`;
}

/** Returns the path in the body for a part of the graph's input. */
export const bodyPathOf = ({ problemPath, placeOf }: Refusing, path: string, body: unknown): string => {
  const place = placeOf?.(path);
  if (place?.startsWith("body")) return place.replace(/^body\.?/, "");
  const below = path.replace(/^input\./, "");
  return problemPath?.(below, body) ?? restNameOf(below);
};

/** Creates a BAD_REQUEST for a refused argument, in REST's spelling. */
export function refuseArgument(
  endpoint: Refusing,
  error: AppError,
  { after, before, cursor }: Readonly<Record<string, unknown>>,
  body: unknown,
): AppError {
  const { argument } = error.extensions;
  if (typeof argument !== "string") return new AppError("BAD_REQUEST", error.message, { cause: error });
  const own =
    endpoint.method === "GET"
      ? parameterOf(endpoint, argument)
      : `body.${bodyPathOf(endpoint, argument, body)}`;
  const message = error.message
    .replace(argument, () => own)
    .replace(/a cursor of this (\w+), got one that was/, (_, list) => {
      const got = maskSecrets(show(after ?? before ?? cursor));
      return `next_cursor of this ${list}, got ${got}, which was`;
    });
  return new AppError("BAD_REQUEST", message, { cause: error });
}

interface RefusedValue {
  /** Path such as `input.country`. */
  readonly path: string;
  readonly message: string;
}

/** Lists the values that the graph's types refuse for the variables of an operation. */
function listRefusedValues(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): RefusedValue[] {
  const refused: RefusedValue[] = [];
  for (const { variable, type: node } of getOperationAST(document)?.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(schema, node as never);
    if (!isInputType(type) || variables[name] === undefined) continue;
    coerceInputValue(variables[name], type, (steps, value, { message }) => {
      const path = [name, ...steps].reduce<string>(
        (text, step) =>
          typeof step === "number" ? `${text}[${step}]` : `${text}.${step}`.replace(/^\./, ""),
        "",
      );
      const leaf = [...steps].reduce<ReturnType<typeof getNamedType>>((at, step) => {
        if (typeof step === "number" || !isInputObjectType(at)) return at;
        return getNamedType(at.getFields()[step]?.type);
      }, getNamedType(type));
      const expected = isEnumType(leaf)
        ? `one of ${leaf
            .getValues()
            .map((each) => each.name.toLowerCase())
            .join(", ")}`
        : (EXPECTED as Readonly<Record<string, string>>)[leaf?.name ?? ""];
      refused.push({ path, message: expected ? `expected ${expected}, got ${show(value)}` : message });
    });
  }
  return refused;
}

/**
 * Creates the error for an operation that did not start because of its variables: VALIDATION_FAILED, or BAD_REQUEST for
 * GET.
 */
export function refuseVariables(
  endpoint: Refusing,
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  body: unknown,
): AppError {
  const refused = listRefusedValues(schema, document, variables);
  if (endpoint.method === "GET") {
    const described = refused.map(({ path, message }) => `${parameterOf(endpoint, path)}: ${message}`);
    return new AppError("BAD_REQUEST", maskSecrets(described.join("; ")));
  }
  const details = refused.map(({ path, message }) => ({
    path: bodyPathOf(endpoint, path, body),
    message: maskSecrets(message),
  }));
  const message = details.map(({ path, message }) => `body.${path}: ${message}`).join("; ");
  return new AppError("VALIDATION_FAILED", message, { details });
}
