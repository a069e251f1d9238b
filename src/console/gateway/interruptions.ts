import { GatewayFailure } from "./failure.js";
import { createStore } from "./store.js";

/** What the person is asked for before requests can go on. */
export interface Question {
  readonly asks: "sign-in" | "password";
  answered(): void;
  declined(): void;
}

/** The question that is open; null for none. */
export const question = createStore<Question | null>(null);

/** Whether the gateway is away. */
export const isAway = createStore(false);

let asked: Promise<void> | undefined;
let back: Promise<void> | undefined;

/** Asks once, however many requests wait; rejects if the person declines. */
export function ask(asks: Question["asks"]): Promise<void> {
  asked ??= new Promise<void>((resolve, reject) => {
    const declined = () => reject(new GatewayFailure("DECLINED", "Nothing was changed."));
    question.set({ asks, answered: resolve, declined });
  }).finally(() => {
    asked = undefined;
    question.set(null);
  });
  return asked;
}

/** Resolves when the gateway answers again. */
export function awaitReturn(): Promise<void> {
  back ??= knock().finally(() => {
    back = undefined;
    isAway.set(false);
  });
  return back;
}

async function knock(): Promise<void> {
  isAway.set(true);
  for (;;) {
    await new Promise((resolve) => {
      setTimeout(resolve, 2_000);
      addEventListener("online", resolve, { once: true });
    });
    const answer = await fetch("/health/live").catch(() => undefined);
    if (answer?.ok) return;
  }
}
