import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../gateway/failure.js";
import { loadWithRetries } from "../gateway/interruptions.js";

type State<Props> = { readonly Part: ComponentType<Props> } | { readonly failure: unknown } | undefined;

type Load<Props> = () => Promise<ComponentType<Props>>;

/** Parts that have already loaded. They render immediately. */
const loaded = new WeakMap<Load<never>, ComponentType<never>>();

/** Creates a component that loads separately. The rest of the page neither waits for it nor fails with it. */
export const lazy =
  <Props extends object = object>(load: Load<Props>) =>
  (props: Props) => <Lazy<Props> load={load} {...props} />;

/** A component that loads separately, and again when `load` changes. */
export function Lazy<Props extends object = object>({ load, ...props }: { load: Load<Props> } & Props) {
  const [state, setState] = useState<State<Props>>(() => {
    const Part = loaded.get(load as Load<never>) as ComponentType<Props> | undefined;
    return Part && { Part };
  });
  useEffect(() => {
    let isUnmounted = false;
    loadWithRetries(load).then(
      (Part) => {
        loaded.set(load as Load<never>, Part as ComponentType<never>);
        if (!isUnmounted) setState({ Part });
      },
      (failure) => isUnmounted || setState({ failure }),
    );
    return () => {
      isUnmounted = true;
    };
  }, [load]);
  if (state === undefined) return <div class="skeleton figure" role="status" aria-label="Loading" />;
  if ("Part" in state) return <state.Part {...(props as unknown as Props)} />;
  return (
    <p class="complaint">
      This part of the page did not load: {messageOf(state.failure)} Reload the page to try again.
    </p>
  );
}
