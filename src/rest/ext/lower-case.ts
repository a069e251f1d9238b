/** Returns an enum value in the contract's spelling, lower case; GraphQL's is upper case. */
export function lowerCase<Value extends string>(value: Value): Lowercase<Value> {
  return value.toLowerCase() as Lowercase<Value>;
}
