import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Problem } from "../../gateway/failure.js";
import { Form } from "../../parts/forms/form.js";
import { Mark } from "../../parts/shell/icon.js";

interface EntranceProps {
  readonly title: string;
  /** Label of the button. */
  readonly submit: string;
  /** Signs in with the form's fields. */
  readonly enter: (values: FormData) => Promise<unknown>;
  readonly check?: ((values: FormData) => readonly Problem[]) | undefined;
  /** Called once the user is signed in. */
  readonly onDone: () => Promise<void>;
  /** Text above the form. */
  readonly intro?: string | undefined;
  readonly children?: ComponentChildren;
  /** Content below the form. */
  readonly more?: ComponentChildren;
}

/** A page for users who are not signed in: one form, which signs in. */
export function Entrance({ title, submit, enter, check, onDone, intro, children, more }: EntranceProps) {
  useEffect(() => {
    document.title = `${title} · Carbon Gateway`;
  }, [title]);
  const send = async (values: FormData) => {
    await enter(values);
    await onDone();
  };
  return (
    <main class="container entrance">
      <p class="product">
        <Mark />
      </p>
      <h1>{title}</h1>
      {intro && <p>{intro}</p>}
      <Form submit={submit} onSubmit={send} check={check}>
        {children}
      </Form>
      {more}
    </main>
  );
}
