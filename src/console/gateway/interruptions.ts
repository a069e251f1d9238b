import { GatewayFailure, timeAfter } from "./failure.js";
import { createStore } from "./store.js";

/** What the person is asked for before requests can go on. */
export interface Question {
  readonly asks: "sign-in" | "password";
  answered(): void;
  declined(): void;
}

/** The question that is open; null for none. */
export const question = createStore<Question | null>(null);

/** Why requests wait, in words; null if none waits. */
export const delay = createStore<string | null>(null);

let asked: Promise<void> | undefined;
let waiting: Promise<void> | undefined;

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

/** Sends a request again for as long as the gateway is away, or takes no more of them for now. */
export async function sendPatiently<Data>(send: () => Promise<Data>): Promise<Data> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof GatewayFailure)) throw error;
      if (error.code === "OFFLINE") {
        await wait("Offline: the gateway does not answer. This page goes on when it is back.", knock);
      } else if (error.retryAfter !== null) {
        const { retryAfter } = error;
        await wait(`${error.message} This page goes on by itself ${timeAfter(retryAfter)}.`, () =>
          pause(retryAfter * 1_000),
        );
      } else throw error;
    }
  }
}

/** Waits once, however many requests do. */
function wait(why: string, work: () => Promise<void>): Promise<void> {
  if (waiting === undefined) {
    delay.set(why);
    waiting = work().finally(() => {
      waiting = undefined;
      delay.set(null);
    });
  }
  return waiting;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Resolves when the gateway answers again. */
async function knock(): Promise<void> {
  for (;;) {
    await Promise.race([
      pause(2_000),
      new Promise((resolve) => addEventListener("online", resolve, { once: true })),
    ]);
    const answer = await fetch("/health/live").catch(() => undefined);
    if (answer?.ok) return;
  }
}
