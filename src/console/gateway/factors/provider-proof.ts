import { type ConsoleProvidersQuery, graphql } from "../../../generated/console.js";
import { post } from "../post.js";

const OPERATION = graphql(`
  query ConsoleProviders { viewer { identities(first: 100) { reauthenticationUrl } } }
`);

/** Fragment of the page at which a proof by a provider ends. */
const PROVEN = "#proven";
const CHANNEL = "proven-by-provider";

/** Returns the URL at which the provider of this session asks its user again; null if its word does not count. */
export async function findProvider(signal: AbortSignal): Promise<string | null> {
  // Not patiently: that could ask for a sign-in, which would wait for this proof.
  const { viewer } = await post<ConsoleProvidersQuery>("/graphql", { query: OPERATION.source }, signal);
  return viewer?.identities.find(({ reauthenticationUrl: url }) => url !== null)?.reauthenticationUrl ?? null;
}

/**
 * Has the provider ask the user again, in a window of its own, so that this page keeps what was typed. Without such windows it
 * leaves the page, and returns to it.
 */
export function askProvider(url: string): void {
  const to = (path: string) => `${url}&${new URLSearchParams({ return: path })}`;
  const shown = window.open(to(`/console/${PROVEN}`), "_blank", "popup,width=520,height=720");
  if (shown === null) location.assign(to(location.pathname + location.search));
}

/** Calls `onProven` after each proof by a provider in another window of the console; returns a function that ends that. */
export function listenForProofs(onProven: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = onProven;
  return () => channel.close();
}

/** Closes a window that was opened for a proof, and tells the window that opened it. Does nothing in any other. */
export function endProof(): void {
  if (location.hash !== PROVEN) return;
  history.replaceState(null, "", location.pathname + location.search);
  new BroadcastChannel(CHANNEL).postMessage(null);
  close();
}
