import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from "graphql";
import { AppError } from "../../errors.js";
import { readDirective } from "./read-directive.js";
import { wrapFields } from "./wrap-fields.js";

const DIRECTIVE = "present";

type Member = Pick<GraphQLArgument | GraphQLInputField, "astNode" | "extensions" | "type">;

/**
 * Wraps the resolver of every field whose input has `@present`. The wrapper throws VALIDATION_FAILED for a null sent
 * for a value that callers may omit but not set to null. GraphQL's type system cannot express this: a non-null type is
 * either required or has a default.
 */
export function refuseNulls(schema: GraphQLSchema): void {
  const guarded = new Map<GraphQLInputType, boolean>();
  const isPresent = (member: Member) => readDirective(schema, member, DIRECTIVE) !== undefined;
  const isGuarded = (member: Member): boolean => {
    if (isPresent(member)) return true;
    const type = getNamedType(member.type);
    if (!isInputObjectType(type)) return false;
    // False until the result is known, because inputs can contain themselves.
    if (!guarded.has(type)) {
      guarded.set(type, false);
      guarded.set(type, Object.values(type.getFields()).some(isGuarded));
    }
    return guarded.get(type) === true;
  };

  const listNulls = (path: string, member: Member, value: unknown): string[] => {
    if (value === undefined) return [];
    if (value === null) return isPresent(member) ? [path] : [];
    const nullable = getNullableType(member.type);
    if (isListType(nullable)) {
      const item = { ...member, astNode: undefined, type: nullable.ofType };
      return (value as unknown[]).flatMap((each, index) => listNulls(`${path}[${index}]`, item, each));
    }
    if (!isInputObjectType(nullable) || !guarded.get(nullable)) return [];
    const values = value as Readonly<Record<string, unknown>>;
    return Object.values(nullable.getFields()).flatMap((field) =>
      listNulls(`${path}.${field.name}`, field, values[field.name]),
    );
  };

  wrapFields(schema, (resolve, field) => {
    const members = field.args.filter(isGuarded);
    if (members.length === 0) return resolve;
    return (source, args: Readonly<Record<string, unknown>>, context, info) => {
      const nulls = members.flatMap((member) => listNulls(member.name, member, args[member.name]));
      if (nulls.length > 0) throw refuse(nulls);
      return resolve(source, args, context, info);
    };
  });
}

function refuse(paths: readonly string[]): AppError {
  const details = paths.map((path) => ({
    path,
    message: `${path} must not be null. Omit it to keep the current value.`,
  }));
  return new AppError("VALIDATION_FAILED", details.map(({ message }) => message).join(" "), { details });
}
