import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { messageOf } from "../gateway/failure.js";
import type { Answer } from "../gateway/use-query.js";
import { Button } from "./button.js";

interface LoadedProps<Data> {
  readonly answer: Answer<Data>;
  /** Shape of the skeleton, which has the height of the expected content. */
  readonly skeleton: "emissions" | "figure" | "table" | "short" | "line";
  readonly children: (data: Data) => ComponentChildren;
}

/** Renders a query's latest answer, its error, or a skeleton until the first answer. */
export function Loaded<Data>({ answer, skeleton, children }: LoadedProps<Data>) {
  const { data, error, isLoading, reload } = answer;
  if (error !== undefined) {
    return (
      <div role="alert">
        <p>{messageOf(error)}</p>
        <Button label="Try again" look="secondary" onClick={reload} />
      </div>
    );
  }
  if (data === undefined) return <div class={`skeleton ${skeleton}`} role="status" aria-label="Loading" />;
  return (
    <div aria-busy={isLoading ? "true" : undefined} class="shown">
      {children(data)}
    </div>
  );
}

interface LoadedFieldProps<Data, Field extends keyof Data> extends Omit<LoadedProps<Data>, "children"> {
  /** Field of the answer to render. Renders nothing if it is null. */
  readonly field: Field;
  readonly children: (part: NonNullable<Data[Field]>) => ComponentChildren;
}

/** Renders one field of a query's answer, like `Loaded`. */
export function LoadedField<Data, Field extends keyof Data>(props: LoadedFieldProps<Data, Field>) {
  const { field, children, ...loaded } = props;
  return <Loaded {...loaded}>{({ [field]: part }) => part && children(part)}</Loaded>;
}

/** Placeholder of an empty list, which says what to do next. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Returns a function that runs some work, and the message of its last failure. */
export function useAttempt() {
  const [failure, setFailure] = useState<unknown>();
  const attempt = async (work: () => Promise<unknown>) => {
    setFailure(undefined);
    await work().catch(setFailure);
  };
  const complaint = failure !== undefined && (
    <p role="alert" class="complaint">
      {messageOf(failure)}
    </p>
  );
  return { attempt, complaint };
}
