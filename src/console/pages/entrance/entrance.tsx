import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Problem } from "../../gateway/failure.js";
import type { SignInChallenge } from "../../gateway/session.js";
import { Form } from "../../parts/forms/form.js";
import { Mark } from "../../parts/shell/icon.js";
import { SecondStep } from "../../parts/sign-in/second-step.js";

interface EntrancePageProps {
  readonly title: string;
  /** Text above the content. */
  readonly intro?: string | undefined;
  readonly children?: ComponentChildren;
}

/** A page outside the console's menu, for registration, sign-in, links from e-mails and second factors. */
export function EntrancePage({ title, intro, children }: EntrancePageProps) {
  useEffect(() => {
    document.title = `${title} · Carbon Gateway`;
  }, [title]);
  return (
    <main class="container entrance">
      <p class="product">
        <Mark />
      </p>
      <h1>{title}</h1>
      {intro && <p>{intro}</p>}
      {children}
    </main>
  );
}

interface EntranceProps extends EntrancePageProps {
  /** Label of the button. */
  readonly submit: string;
  /** Sends the form's fields. If the answer has a challenge, the page asks for the second factor. */
  readonly enter: (values: FormData) => Promise<unknown>;
  readonly check?: ((values: FormData) => readonly Problem[]) | undefined;
  /** Called once the form has succeeded, or after the second factor if one is needed. */
  readonly onDone: () => Promise<void>;
  /** Content below the form. */
  readonly more?: ComponentChildren;
}

/** An entrance page with one form. */
export function Entrance({ submit, enter, check, onDone, children, more, ...page }: EntranceProps) {
  const [challenge, setChallenge] = useState<SignInChallenge | null>(null);
  const send = async (values: FormData) => {
    const answer = await enter(values);
    if (isChallenged(answer)) setChallenge(answer.challenge);
    else await onDone();
  };
  if (challenge !== null)
    return (
      <EntrancePage title={page.title}>
        <SecondStep challenge={challenge} onDone={onDone} onRestart={() => setChallenge(null)} />
      </EntrancePage>
    );
  return (
    <EntrancePage {...page}>
      <Form submit={submit} onSubmit={send} check={check}>
        {children}
      </Form>
      {more}
    </EntrancePage>
  );
}

const isChallenged = (answer: unknown): answer is { readonly challenge: SignInChallenge } =>
  typeof answer === "object" && answer !== null && "challenge" in answer;
