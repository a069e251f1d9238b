import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { messageOf } from "../gateway/failure.js";
import type { Answer } from "../gateway/use-query.js";
import { Button } from "./button.js";

interface ShownProps<Data, Field extends keyof Data> {
  readonly answer: Answer<Data>;
  /** The skeleton has the height of what comes: such as `table`. */
  readonly as: "emissions" | "figure" | "table" | "short";
  /** The field of the answer that is shown, unless it is null. */
  readonly of: Field;
  readonly children: (part: NonNullable<Data[Field]>) => ComponentChildren;
}

/** The answer of a query: a skeleton while it loads, its error, or one field of its data rendered. */
export function Shown<Data, Field extends keyof Data>(props: ShownProps<Data, Field>) {
  const { of, children, ...shown } = props;
  return <ShownData {...shown}>{({ [of]: part }) => part && children(part)}</ShownData>;
}

interface ShownDataProps<Data> extends Pick<ShownProps<Data, never>, "answer" | "as"> {
  readonly children: (data: Data) => ComponentChildren;
}

/** The answer of a query as in `Shown`, with all of its data. */
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

/** What stands where there is nothing yet: a sentence, and what to do next. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** A function that tries something, and what went wrong with it the last time. */
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
