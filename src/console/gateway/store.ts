import { useEffect, useState } from "preact/hooks";

/** A value that components subscribe to. */
export interface Store<Value> {
  get(): Value;
  set(value: Value): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<Value>(initial: Value): Store<Value> {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set(value) {
      current = value;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns the current value of a store, and renders the component again when it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  const [, render] = useState({});
  useEffect(() => store.subscribe(() => render({})), [store]);
  return store.get();
}
