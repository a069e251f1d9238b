import { z } from "zod";
import type { ModelSettings } from "../../../config.js";

/** Maximum size of a response. */
const MAX_BYTES = 1 << 20;
/** Estimates the tokens of a message if the server does not report them. English has about 4 characters per token. */
const CHARACTERS_PER_TOKEN = 4;

const callShape = z.object({
  id: z.string().max(200),
  function: z.object({ name: z.string().max(200), arguments: z.string().max(20_000) }),
});
const completionShape = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), tool_calls: z.array(callShape).nullish() }),
      }),
    )
    .min(1),
  usage: z.object({ completion_tokens: z.number().min(0) }).nullish(),
});

export type ToolCall = z.infer<typeof callShape>;

export type ModelMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly tool_calls?: readonly object[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

export interface CompletionRequest {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly object[];
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

export interface Completion {
  readonly content: string;
  readonly calls: readonly ToolCall[];
  /** An estimate if the server does not report it. */
  readonly tokens: number;
}

/**
 * Requests the next message from the model's server. Rejects if the server is unavailable, redirects, or sends anything
 * but a completion.
 */
export async function complete(
  { baseUrl, model, apiKey }: ModelSettings,
  { messages, tools, maxTokens, signal }: CompletionRequest,
): Promise<Completion> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    redirect: "error",
    signal,
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json",
      ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({
      model,
      messages,
      temperature: 0,
      max_tokens: maxTokens,
      ...(tools.length > 0 && { tools }),
    }),
  });
  const text = await readText(response);
  if (!response.ok) throw new Error(`the model's server responded with status ${response.status}`);
  const read = completionShape.safeParse(parse(text));
  const message = read.data?.choices[0]?.message;
  if (!message) throw new Error("the model's server did not respond with a completion");
  return {
    content: message.content ?? "",
    calls: message.tool_calls ?? [],
    tokens:
      read.data?.usage?.completion_tokens ?? Math.ceil(JSON.stringify(message).length / CHARACTERS_PER_TOKEN),
  };
}

/** Reads the text of a response. Stops and rejects if it is too long. */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`the model's server responded with more than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
