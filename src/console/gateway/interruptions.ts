import { GatewayFailure, timeAfter } from "./failure.js";
import { offline } from "./post.js";
import { createStore } from "./store.js";

/** A sign-in, proof or second factor that the user must provide before requests can continue. */
export interface Prompt {
  /**
   * `proof` is a recent proof of identity. `own-proof` is one that the organization's provider cannot give. `factor`
   * is a second factor, which the organization or a role requires.
   */
  readonly needs: "sign-in" | "proof" | "own-proof" | "factor";
  answered(): void;
  declined(): void;
}

/** The open prompt; null if none is open. */
export const openPrompt = createStore<Prompt | null>(null);

/** Message that explains why requests are waiting for the gateway; null if none are. */
export const delay = createStore<string | null>(null);

let prompted: Promise<void> | undefined;
let waiting: Promise<void> | undefined;

/** Prompts the user once on behalf of all waiting requests. Rejects if the user declines. */
export function promptUser(needs: Prompt["needs"]): Promise<void> {
  prompted ??= new Promise<void>((resolve, reject) => {
    const declined = () => reject(new GatewayFailure("DECLINED", "Nothing was changed."));
    openPrompt.set({ needs, answered: resolve, declined });
  }).finally(() => {
    prompted = undefined;
    openPrompt.set(null);
  });
  return prompted;
}

/** Sends a request. Retries while the gateway is unavailable or says when to retry, e.g. at a rate limit. */
export async function sendWithRetries<Data>(send: () => Promise<Data>): Promise<Data> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof GatewayFailure)) throw error;
      if (error.code === "OFFLINE") {
        await wait("Connection lost. Reconnecting…", waitUntilOnline);
      } else if (error.retryAfter !== null) {
        const { retryAfter } = error;
        await wait(`${error.message} Continues automatically ${timeAfter(retryAfter)}.`, () =>
          pause(retryAfter * 1_000),
        );
      } else throw error;
    }
  }
}

/** Runs `work` once on behalf of all waiting requests, and waits for it. */
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

/** Returns true if the gateway answers. */
const isAnswering = async () => (await fetch("/health/live").catch(() => undefined))?.ok ?? false;

/** Loads files of the console. If the gateway does not answer, tries again once it does. */
export const loadWithRetries = <Part>(load: () => Promise<Part>): Promise<Part> =>
  sendWithRetries(() =>
    load().catch(async (failure) => {
      throw (await isAnswering()) ? failure : offline();
    }),
  );

/** Resolves when the gateway answers again. */
async function waitUntilOnline(): Promise<void> {
  for (;;) {
    await Promise.race([
      pause(2_000),
      new Promise((resolve) => addEventListener("online", resolve, { once: true })),
    ]);
    if (await isAnswering()) return;
  }
}
