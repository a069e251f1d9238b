import { request as requestPlain } from "node:http";
import { request } from "node:https";
import { createFindAddresses, lookUpPinned, type PinnedOptions } from "./pinned.js";

/** Network access of webhooks. Tests have a server of their own. */
export interface WebhookOptions extends PinnedOptions {
  /** A certificate to trust in addition to the usual ones. */
  readonly ca?: string;
  /** Maximum duration of a request. */
  readonly timeLimitMs?: number;
}

/** A request that failed, with the answer of the receiver if it sent one. */
export class WebhookFailure extends Error {
  readonly answer: WebhookAnswer | null;
  constructor(message: string, answer: WebhookAnswer | null = null) {
    super(message);
    this.answer = answer;
  }
}

/** A receiver that did not answer in time. */
export class WebhookTimeout extends WebhookFailure {}

/** Everything that is read of an answer. */
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

/** Sends requests to addresses that users enter, and never to an internal address. */
export interface Webhooks {
  /** Returns the reason why the client cannot call an http or https URL now, as `must …`; undefined if it can. */
  findFault(url: string): Promise<string | undefined>;
  /**
   * Posts JSON; resolves to the status, which is 2xx. Rejects with WebhookFailure for any other. The reason reveals
   * nothing about the internal network.
   */
  post(request: WebhookRequest, signal: AbortSignal): Promise<number>;
}

/**
 * Creates the client for webhooks. It calls them over https within 15 seconds, at an address that it has resolved and
 * checked for this request; over http only at loopback addresses of allowed networks. It follows no redirect and reads
 * only the status of the answer and how long to wait.
 */
export function createWebhooks({ ca, timeLimitMs = 15_000, ...options }: WebhookOptions = {}): Webhooks {
  const findAddresses = createFindAddresses(options);
  const limit = () => AbortSignal.timeout(timeLimitMs);
  return {
    async findFault(url) {
      try {
        await findAddresses(new URL(url), limit());
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
    async post({ url, headers, body }, stopped) {
      const timeUp = limit();
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

/** Posts to one of these addresses, regardless of what the name resolves to by now. */
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
    // A receiver that switches protocols gives neither an answer nor an error.
    outgoing.on("close", () => reject(new WebhookFailure("no connection (closed)")));
    outgoing.end(body);
  });
}
