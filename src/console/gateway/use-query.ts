import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { TypedOperation } from "../../generated/console.js";
import { run } from "./run.js";

/** State of a query. `data` keeps its value while newer data loads, and if that fails. */
export interface Answer<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Resolves once the newer data or an error is here, or the component has left the page. */
  reload(): Promise<void>;
}

/** Runs a query now, when its variables change, and when `reload` is called. */
export const useQuery = <Data, Variables>(
  operation: TypedOperation<Data, Variables>,
  variables: Variables,
): Answer<Data> =>
  useAnswer(
    (signal) => run(operation, variables, signal),
    `${operation.source} ${JSON.stringify(variables)}`,
  );

/** Calls `read` now, when `key` changes, and when `reload` is called. */
export function useAnswer<Data>(read: (signal: AbortSignal) => Promise<Data>, key: string): Answer<Data> {
  const [state, setState] = useState<Omit<Answer<Data>, "reload">>({
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  /** Functions that resolve the pending reloads; null after the component has left the page. */
  const pending = useRef<(() => void)[] | null>([]);
  const endReloads = () => {
    for (const resolve of pending.current?.splice(0) ?? []) resolve();
  };
  // `key` identifies what `read` depends on; `turn` changes with each reload.
  useEffect(() => {
    const leaving = new AbortController();
    setState(({ data }) => ({ data, error: undefined, isLoading: true }));
    const settle = (next: Parameters<typeof setState>[0]) => {
      if (leaving.signal.aborted) return;
      setState(next);
      endReloads();
    };
    read(leaving.signal).then(
      (data) => settle({ data, error: undefined, isLoading: false }),
      (error) => settle(({ data }) => ({ data, error, isLoading: false })),
    );
    return () => leaving.abort();
  }, [key, turn]);
  useEffect(
    () => () => {
      endReloads();
      pending.current = null;
    },
    [],
  );
  const reload = useCallback(
    () =>
      new Promise<void>((resolve) => {
        if (pending.current === null) return resolve();
        pending.current.push(resolve);
        setTurn((before) => before + 1);
      }),
    [],
  );
  return { ...state, reload };
}
