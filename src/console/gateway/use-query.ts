import { useCallback, useEffect, useState } from "preact/hooks";
import type { TypedOperation } from "../../generated/console.js";
import { run } from "./run.js";

/** State of a query. `data` keeps its value while newer data loads. */
export interface Answer<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  reload(): void;
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
  // `key` identifies what `read` depends on; `turn` changes with each reload.
  useEffect(() => {
    const leaving = new AbortController();
    setState(({ data }) => ({ data, error: undefined, isLoading: true }));
    read(leaving.signal).then(
      (data) => leaving.signal.aborted || setState({ data, error: undefined, isLoading: false }),
      (error) => leaving.signal.aborted || setState(({ data }) => ({ data, error, isLoading: false })),
    );
    return () => leaving.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { ...state, reload };
}
