import { type ConsoleProvidersQuery, graphql } from "../../../generated/console.js";
import { post } from "../post.js";

const OPERATION = graphql(`
  query ConsoleProviders { viewer { identities(first: 100) { reauthenticationUrl } } }
`);

/** URL fragment of the page to which the provider returns. */
const PROVEN = "#proven";
const CHANNEL = "proven-by-provider";

/**
 * Returns the URL at which this session's provider authenticates the user again; null without a provider, or if that
 * does not count as a proof.
 */
export async function findProviderUrl(signal: AbortSignal): Promise<string | null> {
  // Bypasses `run`, which could ask for a sign-in that would wait for this proof.
  const { viewer } = await post<ConsoleProvidersQuery>("/graphql", { query: OPERATION.source }, signal);
  return viewer?.identities.find(({ reauthenticationUrl: url }) => url !== null)?.reauthenticationUrl ?? null;
}

/**
 * Opens the provider in a popup, so that this page keeps what the user has typed. If popups are blocked, leaves the
 * page; the provider returns to it.
 */
export function openProvider(url: string): void {
  const to = (path: string) => `${url}&${new URLSearchParams({ return: path })}`;
  const shown = window.open(to(`/console/${PROVEN}`), "_blank", "popup,width=520,height=720");
  if (shown === null) location.assign(to(location.pathname + location.search));
}

/** Calls `onProven` after each proof in another window of the console. Returns a function that stops listening. */
export function listenForProofs(onProven: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = onProven;
  return () => channel.close();
}

/** Closes a popup that was opened for a proof and notifies the other windows. Does nothing in any other window. */
export function endProof(): void {
  if (location.hash !== PROVEN) return;
  history.replaceState(null, "", location.pathname + location.search);
  new BroadcastChannel(CHANNEL).postMessage(null);
  close();
}
