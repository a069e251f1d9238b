import { type Connection, encodeCall, openConnection } from "./connection.js";
import type { Call } from "./load.js";
import type { Server } from "./server-process.js";

/** What of an answer has to be the same on every server: REST's body but the request's own, GraphQL's data. */
export function essence(body: string): string {
  if (!body.startsWith('{"success"')) return JSON.stringify(JSON.parse(body).data);
  return body
    .replace(/("request_id":")[0-9a-f-]{36}"/, '$1…"')
    .replace(/("timestamp":")[^"]+"(,"version":"1.0"\}\})$/, '$1…"$2');
}

/** Throws where the servers do not all answer each call with 200 and the same. */
export async function requireSameAnswers(servers: readonly Server[], calls: readonly Call[]): Promise<void> {
  const connections = await Promise.all(servers.map(({ url }) => openConnection(url)));
  try {
    for (const call of calls) await askAll(servers, connections, call);
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function askAll(servers: readonly Server[], connections: readonly Connection[], call: Call) {
  const answers: string[] = [];
  for (const connection of connections) {
    const { status, body } = await connection.ask(encodeCall(call));
    answers.push(status === 200 ? essence(body) : `${status} ${body}`);
  }
  requireSame(servers, answers, call);
}

/** Throws, showing where two answers part, unless all are the same and none is a failure. */
export function requireSame(
  servers: readonly Server[],
  answers: readonly string[],
  { path }: Pick<Call, "path">,
): void {
  const [first = ""] = answers;
  for (const [index, answer] of answers.entries()) {
    if (answer === first && !/^\d/.test(answer)) continue;
    let at = 0;
    while (at < first.length && first[at] === answer[at]) at += 1;
    const part = (text: string) => text.slice(Math.max(0, at - 100), at + 100);
    throw new Error(
      `${servers[0]?.name} and ${servers[index]?.name} differ in ${path}:\n${part(first)}\n${part(answer)}`,
    );
  }
}
