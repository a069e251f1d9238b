import {
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  Kind,
  valueFromASTUntyped,
} from "graphql";

type Member = GraphQLArgument | GraphQLInputField;
type Read = (name: string) => unknown;

type Costed = Pick<Member | GraphQLField<unknown, unknown> | GraphQLEnumValue, "astNode">;

/**
 * Returns the minimum points of a field, whatever is selected below it: its `@cost` in the schema, plus the items of
 * its input lists.
 */
export function costOfWork(field: GraphQLField<unknown, unknown>, read: Read): number {
  return (readCost(field).points ?? 0) + costOfMembers(field.args, read);
}

/** Returns the additional points of a field for the enum values in its arguments. */
export function costOfChoices({ args }: GraphQLField<unknown, unknown>, read: Read): number {
  return args.reduce((sum, { name, type: nullable }) => {
    const type = getNullableType(nullable);
    const value = read(name);
    const chosen = isEnumType(type) && typeof value === "string" ? type.getValue(value) : undefined;
    return sum + (chosen ? (readCost(chosen).points ?? 0) : 0);
  }, 0);
}

const costOfMembers = (members: readonly Member[], read: Read): number =>
  members.reduce((sum, member) => sum + costOfMember(member, read), 0);

/**
 * Charges one point per item unless `@cost` says otherwise, plus the lists inside the items. Charges a string with
 * `@cost` per word.
 */
function costOfMember(member: Member, read: Read): number {
  const value = read(member.name);
  if (value == null) return 0;
  const { points, times } = readCost(member);
  const isList = isListType(getNullableType(member.type));
  if (!isList && typeof value === "string") return (points ?? 0) * countWords(value);
  const items = isList ? itemsOf(value).length * (points ?? 1) : 0;
  const repeats = times === undefined ? 1 : itemsOf(read(times)).length;
  const type = getNamedType(member.type);
  const lists = isInputObjectType(type) ? listsIn(type) : [];
  if (lists.length === 0) return items * repeats;
  const below = itemsOf(value).reduce<number>((sum, item) => {
    if (typeof item !== "object" || item === null) return sum;
    return sum + costOfMembers(lists, (name) => (item as Readonly<Record<string, unknown>>)[name]);
  }, 0);
  return items * repeats + below;
}

const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;

/** Returns the items of a list. A value that is not a list counts as a list of one item, as in GraphQL. */
const itemsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value == null ? [] : [value];

const known = new WeakMap<GraphQLInputObjectType, readonly Member[]>();

/** Lists the fields of an input type that are lists or contain lists. */
function listsIn(type: GraphQLInputObjectType): readonly Member[] {
  let found = known.get(type);
  if (found === undefined) {
    known.set(type, []);
    found = Object.values(type.getFields()).filter((field) => {
      const below = getNamedType(field.type);
      return (
        isListType(getNullableType(field.type)) || (isInputObjectType(below) && listsIn(below).length > 0)
      );
    });
    known.set(type, found);
  }
  return found;
}

/** Reads the arguments of `@cost` in the schema. */
function readCost({ astNode }: Costed): { points?: number; times?: string } {
  const cost = astNode?.directives?.find(({ name }) => name.value === "cost");
  const entries = (cost?.arguments ?? []).map(({ name, value }) => [
    name.value,
    value.kind === Kind.STRING ? value.value : Number(valueFromASTUntyped(value)),
  ]);
  return Object.fromEntries(entries);
}
