import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readableLog } from "../../src/commands/serve/readable-log.js";
import { createLogger } from "../../src/log.js";
import { migratedFolder } from "../support/command-database.js";
import { runInTerminal, startProcess } from "../support/process.js";

/** Creates a stream that collects what is written to it, and is a terminal or not. */
function makeStream(isTTY: boolean) {
  let text = "";
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    text += chunk.toString();
    done();
  };
  const stream = Object.assign(new Writable({ write }), { isTTY, hasColors: () => false });
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text };
}

describe("a log", () => {
  it("is JSON lines in a file or a pipe", async () => {
    expect(await readableLog(makeStream(false).stream)).toBeUndefined();
    const gateway = await startProcess({ env: { DATA_DIR: await migratedFolder() } });
    await gateway.call("/openapi.json");
    await gateway.rest("/market", "wrong");
    await gateway.stop();
    const lines = gateway.stderr().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(
      expect.arrayContaining(["request", "stopping"]),
    );
  });

  it("is a readable line in a terminal, which follows no control sequences from clients", async () => {
    const { stream, text } = makeStream(true);
    const log = createLogger("info", await readableLog(stream));
    log.writePlain(
      {
        request_id: "r1",
        operation: "\u001b[2JO\u202e",
        user_id: "u1",
        session_id: "s1",
        organization: "o1",
        method: "POST",
        path: "/graphql",
        status: 200,
        duration_ms: 3.9,
      },
      "request",
    );
    log.error({ err: new Error("no\u009bt") }, "request failed");
    const [request, failure, ...rest] = text().split("\n");
    expect(request).toMatch(
      /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: POST \/graphql 200 in 3\.9 ms \{"request_id":"r1",.*"user_id":"u1"\}$/,
    );
    expect(failure).toMatch(/^\[.*\] ERROR: request failed/);
    expect(rest.join("\n")).toContain("readable-log.once.test.ts");
    expect(text()).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  });

  it.skipIf(process.platform !== "linux")("is readable in the terminal of a process", async () => {
    const { output } = await runInTerminal(["serve"], {
      env: { DATA_DIR: await migratedFolder(), PORT: "0" },
      answers: { question: "Try it:", answer: "\u0003" },
    });
    expect(output).toMatch(/\[\d\d:\d\d:\d\d\.\d{3}\] \S*INFO\S*: \S*stopping/);
    expect(output).not.toContain('"level"');
  });
});
