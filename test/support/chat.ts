import { expect } from "vitest";
import type { TestPerson } from "./people.js";
import type { Envelope } from "./server.js";

/** Response of `POST /v1/{module}/chat`. */
export interface ChatAnswer {
  conversation_id: string;
  answer: string;
  figures: { name: string; value: number; unit: string }[];
  queries: { name: string; variables: Record<string, unknown> }[];
  sources: { title: string; url: string }[];
  engine: string;
  follow_ups: string[];
  notices: string[];
}

/** Asks a question, and expects success. */
export async function ask(
  person: TestPerson,
  message: string,
  { module = "emissions", in: conversation_id }: { module?: string; in?: string } = {},
): Promise<ChatAnswer> {
  const { status, body } = await person.call<Envelope>(`/v1/${module}/chat`, {
    json: { message, conversation_id },
  });
  expect([message, status, body.error]).toEqual([message, 200, null]);
  return body.data as ChatAnswer;
}
