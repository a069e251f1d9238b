import { request as requestPlain } from "node:http";
import { request } from "node:https";
import { createFindAddresses, createFindFault, lookUpPinned, type PinnedOptions } from "./pinned.js";

/** Network access of webhooks. */
export interface WebhookOptions extends PinnedOptions {
  /** A certificate to trust in addition to the usual ones. */
  readonly ca?: string;
  /** Maximum duration of a request. */
  readonly timeLimitMs?: number;
}

/** A failed request, with the receiver's answer if it sent one. */
export class WebhookFailure extends Error {
  readonly answer: WebhookAnswer | null;
  constructor(message: string, answer: WebhookAnswer | null = null) {
    super(message);
    this.answer = answer;
  }
}

/** A receiver that did not answer in time. */
export class WebhookTimeout extends WebhookFailure {}

/** The parts of an answer that the client reads. */
export interface WebhookAnswer {
  readonly status: number;
  /** The header Retry-After. */
  readonly retryAfter: string | undefined;
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Client for URLs that users enter. It calls an internal address only in an allowed network. */
export interface Webhooks {
  /** Returns the reason why the client may not call an http or https URL (`must …`); undefined if it may. */
  findFault(url: string): Promise<string | undefined>;
  /**
   * Posts JSON and resolves to a status of 2xx. Rejects with WebhookFailure for any other outcome. The reason reveals
   * nothing about the internal network.
   */
  post(request: WebhookRequest, signal: AbortSignal): Promise<number>;
}

/**
 * Creates the client for webhooks. It resolves and checks the address for each request, waits at most 15 seconds and
 * follows no redirect. It uses https, or http for loopback addresses in allowed networks. It reads only the status and
 * Retry-After of the answer.
 */
export function createWebhooks({ ca, timeLimitMs = 15_000, ...options }: WebhookOptions = {}): Webhooks {
  const findAddresses = createFindAddresses(options, "WEBHOOK_ALLOW_NETWORKS");
  return {
    findFault: createFindFault(findAddresses, timeLimitMs),
    async post({ url, headers, body }, stopped) {
      const timeUp = AbortSignal.timeout(timeLimitMs);
      const signal = AbortSignal.any([stopped, timeUp]);
      const target = new URL(url);
      const addresses = await findAddresses(target, signal).catch((error: Error) => {
        throw new (timeUp.aborted ? WebhookTimeout : WebhookFailure)(`the URL ${error.message}`);
      });
      const answer = await send(target, { headers, body, signal, addresses, ca }).catch((error: Error) => {
        if (timeUp.aborted) throw new WebhookTimeout("it did not answer in time");
        throw stopped.aborted ? new WebhookFailure("the gateway stopped") : error;
      });
      const { status } = answer;
      if (status >= 300 && status < 400)
        throw new WebhookFailure(`it answered ${status}: redirects are not followed`, answer);
      if (status < 200 || status >= 300) throw new WebhookFailure(`it answered ${status}`, answer);
      return status;
    },
  };
}

interface Sending extends Omit<WebhookRequest, "url"> {
  readonly signal: AbortSignal;
  readonly addresses: readonly string[];
  readonly ca: string | undefined;
}

/** Posts to one of these addresses. */
function send(target: URL, { headers, body, signal, addresses, ca }: Sending): Promise<WebhookAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = (target.protocol === "https:" ? request : requestPlain)(
      target,
      {
        method: "POST",
        agent: false,
        lookup: lookUpPinned(addresses),
        signal,
        ...(ca && { ca }),
        headers: {
          "Content-Type": "application/json",
          ...headers,
          "Content-Length": Buffer.byteLength(body),
        },
      },
      (response) => {
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] });
        outgoing.destroy();
      },
    );
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      reject(new WebhookFailure(`no connection (${error.code})`));
    });
    // If a receiver switches protocols, Node emits neither an answer nor an error.
    outgoing.on("close", () => reject(new WebhookFailure("no connection (closed)")));
    outgoing.end(body);
  });
}
