import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { messageOf } from "../gateway/failure.js";
import type { Answer } from "../gateway/use-query.js";
import { Button } from "./button.js";

interface ShownProps<Data, Field extends keyof Data> {
  readonly answer: Answer<Data>;
  /** Kind of content, which sets the height of the skeleton. */
  readonly as: "emissions" | "figure" | "table" | "short" | "line";
  /** Field of the answer to render. Renders nothing if it is null. */
  readonly of: Field;
  readonly children: (part: NonNullable<Data[Field]>) => ComponentChildren;
}

/** Renders one field of a query's answer, a skeleton while it loads, or its error. */
export function Shown<Data, Field extends keyof Data>(props: ShownProps<Data, Field>) {
  const { of, children, ...shown } = props;
  return <ShownData {...shown}>{({ [of]: part }) => part && children(part)}</ShownData>;
}

interface ShownDataProps<Data> extends Pick<ShownProps<Data, never>, "answer" | "as"> {
  readonly children: (data: Data) => ComponentChildren;
}

/** Renders a query's answer like `Shown`, with all of its data. */
export function ShownData<Data>({ answer, as, children }: ShownDataProps<Data>) {
  const { data, error, isLoading, reload } = answer;
  if (error !== undefined) {
    return (
      <div role="alert" class="trouble">
        <p>{messageOf(error)}</p>
        <Button label="Try again" look="secondary" onClick={reload} />
      </div>
    );
  }
  if (data === undefined) return <div class={`skeleton ${as}`} role="status" aria-label="Loading" />;
  return (
    <div aria-busy={isLoading ? "true" : undefined} class="shown">
      {children(data)}
    </div>
  );
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
