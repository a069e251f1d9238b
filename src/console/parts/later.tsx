import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../gateway/failure.js";

type State = { readonly Part: ComponentType } | { readonly failure: unknown } | undefined;

/** A part of a page that is loaded by itself: the rest neither waits for it nor fails with it. */
export const later = (load: () => Promise<ComponentType>) => () => <Later load={load} />;

/** The same, loaded again when `load` changes. */
export function Later({ load }: { load: () => Promise<ComponentType> }) {
  const [state, setState] = useState<State>();
  useEffect(() => {
    let isGone = false;
    load().then(
      (Part) => isGone || setState({ Part }),
      (failure) => isGone || setState({ failure }),
    );
    return () => {
      isGone = true;
    };
  }, [load]);
  if (state === undefined) return <div class="skeleton figure" role="status" aria-label="Loading" />;
  if ("Part" in state) return <state.Part />;
  return <p class="complaint">This part of the page did not load: {messageOf(state.failure)}</p>;
}
