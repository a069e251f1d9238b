/** The contract's spelling of an enum value: GraphQL writes it in upper case. */
export function lowerCase<Value extends string>(value: Value): Lowercase<Value> {
  return value.toLowerCase() as Lowercase<Value>;
}
