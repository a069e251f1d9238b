/**
 * Returns a function that computes a value on its first call and returns the same value from then on. If the value is a
 * promise that rejects, the next call computes it again.
 */
export function once<Value>(compute: () => Value): () => Value {
  let computed: { readonly value: Value } | undefined;
  const forget = () => {
    computed = undefined;
  };
  return () => {
    if (computed === undefined) {
      computed = { value: compute() };
      if (computed.value instanceof Promise) computed.value.catch(forget);
    }
    return computed.value;
  };
}
