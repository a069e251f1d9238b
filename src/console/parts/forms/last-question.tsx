import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { GatewayFailure } from "../../gateway/failure.js";
import { Confirm } from "./confirm.js";

interface Asked {
  readonly question: ComponentChildren;
  readonly answer: (isWanted: boolean) => void;
}

/**
 * A question over a form before something that cannot be undone: what shows it, and a function that asks it. The function
 * throws if the person declines, so that the form keeps what was typed.
 */
export function useLastQuestion(title: string, action: string) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const ask = async (question: ComponentChildren): Promise<void> => {
    const isWanted = await new Promise<boolean>((answer) => setAsked({ question, answer }));
    setAsked(null);
    if (!isWanted) throw new GatewayFailure("DECLINED", "Nothing was changed.");
  };
  const shown = asked && (
    <Confirm
      title={title}
      action={action}
      onConfirm={async () => asked.answer(true)}
      onClose={() => asked.answer(false)}
    >
      {asked.question}
    </Confirm>
  );
  return { shown, ask };
}
