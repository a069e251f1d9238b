import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from "graphql";

type Field = GraphQLField<unknown, unknown>;

/** Whether clients keep objects of a type as part of the object around them: pages, and what only frames their items. */
export const isFrame = ({ name }: GraphQLObjectType): boolean => /Connection$|Edge$|^PageInfo$/.test(name);

/** A query of everything that can be asked for without arguments, with the values for which `picks` is true. */
export function selectAll(schema: GraphQLSchema, picks: (field: Field, index: number) => boolean): string {
  const select = (type: GraphQLObjectType, within: readonly GraphQLObjectType[]): string => {
    // `facility` needs an id or a code, either of them.
    const fields = Object.values(type.getFields()).filter(
      ({ args }) => !args.some((argument) => isRequiredArgument(argument) || argument.name === "code"),
    );
    const parts = fields.map((field, index) => {
      const below = getNamedType(field.type);
      if (isLeafType(below)) return !isFrame(type) && picks(field, index) ? field.name : "";
      if (!isObjectType(below) || within.includes(below)) return "";
      if (isFrame(type) && field.name !== "nodes") return "";
      const size = field.args.some(({ name }) => name === "first") ? "(first: 3)" : "";
      return `${field.name}${size} ${select(below, [...within, below])}`;
    });
    return `{ __typename ${parts.join(" ")} }`;
  };
  const query = schema.getQueryType();
  if (!query) throw new Error("the schema has no queries");
  return select(query, [query]);
}
