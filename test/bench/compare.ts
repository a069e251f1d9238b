import { type Answer, type Connection, encodeCall, openConnection } from "./connection.js";
import type { Call } from "./load.js";
import type { Server } from "./server-process.js";

/**
 * Returns the part of an answer that must be the same on every server: REST's body without the request's id and time, or
 * GraphQL's data. Throws for a failure.
 */
export function essence(server: Server, call: Call, { status, body }: Answer): string {
  const parsed = JSON.parse(body);
  if (status !== 200 || (parsed.errors ?? parsed.error)) {
    throw new Error(`${server.name} answered ${status} at ${call.path}: ${body.slice(0, 500)}`);
  }
  if (parsed.meta === undefined) return JSON.stringify(parsed.data);
  return body
    .replace(/("request_id":")[0-9a-f-]{36}"/, '$1…"')
    .replace(/("timestamp":")[^"]+"(,"version":"1.0"\}\})$/, '$1…"$2');
}

/** Throws unless all servers give the same answer to each call. */
export async function requireSameAnswers(servers: readonly Server[], calls: readonly Call[]): Promise<void> {
  const connections: Connection[] = [];
  try {
    for (const { url } of servers) connections.push(await openConnection(url));
    for (const call of calls) {
      const answers: string[] = [];
      for (const [index, server] of servers.entries()) {
        const answer = await connections[index]?.ask(encodeCall(call));
        if (answer) answers.push(essence(server, call, answer));
      }
      requireSame(servers, answers, call);
    }
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Throws with the first difference unless all answers are the same. */
export function requireSame(servers: readonly Server[], answers: readonly string[], { path }: Call): void {
  const [first = ""] = answers;
  for (const [index, answer] of answers.entries()) {
    if (answer === first) continue;
    let at = 0;
    while (at < first.length && first[at] === answer[at]) at += 1;
    const part = (text: string) => text.slice(Math.max(0, at - 100), at + 100);
    throw new Error(
      `${servers[0]?.name} and ${servers[index]?.name} differ in ${path}:\n${part(first)}\n${part(answer)}`,
    );
  }
}
