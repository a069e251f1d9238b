import { execFile } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readVersion } from "../../src/paths.js";
import { createAuthenticator } from "../support/authenticator.js";
import { MAIN } from "../support/main-file.js";
import { makeFolder, type RunningProcess, startProcess } from "../support/process.js";
import { learnKeys } from "../support/secrets.js";
import { createClient, type Envelope } from "../support/server.js";

/** Node.js binaries to run on: CI names the oldest supported and the recommended version. */
const NODES = process.env["TEST_NODES"]?.split(delimiter) ?? [process.execPath];

const DIST = dirname(MAIN);
const CHUNKS = readdirSync(DIST).filter((file) => file.endsWith(".js") && join(DIST, file) !== MAIN);

interface Ceremony<Options> {
  readonly options: Options;
  readonly challenge: string;
}
interface Entered {
  readonly session: { readonly access_token: string };
  readonly user: { readonly email: string };
}

describe.each(NODES)("the built server, on %s", (node) => {
  let gateway: RunningProcess;
  let folder: ReturnType<typeof makeFolder>;

  beforeAll(async () => {
    folder = makeFolder();
    const PATH = `${dirname(node)}${delimiter}${process.env["PATH"]}`;
    gateway = await startProcess({ command: ["npm", "start"], env: { PATH, DATA_DIR: folder.path } });
  });
  afterAll(async () => {
    await gateway.stop();
    folder.remove();
  });

  it("can import every file", async () => {
    const script = `
      for (const file of ${JSON.stringify(CHUNKS)}) {
        await import(${JSON.stringify(`${DIST}/`)} + file).catch((error) => console.log(file, error.message));
      }
      process.argv.splice(1, 1, "gateway", "--version");
      await import(${JSON.stringify(MAIN)});`;
    const { stdout } = await promisify(execFile)(node, ["--input-type=module", "--eval", script, "main"]);
    const { stdout: commit } = await promisify(execFile)("git", ["rev-parse", "--short=12", "HEAD"]);
    const [version, built] = stdout.trim().split(/ \(|\)/);
    expect([version, built?.replace("+changes", "").length]).toEqual([readVersion(), commit.trim().length]);
    const live = await gateway.call<{ status: string; version: string; commit: string }>("/health/live");
    expect(live.body).toEqual({ status: "ok", version, commit: built });
    const [started] = gateway.log().filter(({ msg }) => msg === "serving");
    expect(started).toMatchObject({ version, commit: built });
  });

  it("adds passkeys, and signs in with them", async () => {
    // Browsers create no passkeys for IP addresses.
    const origin = gateway.url.replace("127.0.0.1", "localhost");
    const client = createClient(origin);
    const post = async <Data>(path: string, body: object, token?: string): Promise<Data> => {
      const answer = await client.call<Envelope>(`/v1/auth${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
      });
      learnKeys(JSON.stringify(answer.body));
      expect(answer.body).toMatchObject({ success: true, error: null });
      return answer.body.data as Data;
    };

    const authenticator = createAuthenticator(origin);
    const token = /#sign-in=(\S+)/.exec(gateway.stdout())?.[1];
    const { session } = await post<Entered>("/link", { token, transport: "bearer" });
    const enrolment = await post<Ceremony<Parameters<typeof authenticator.create>[0]>>(
      "/passkeys/options",
      {},
      session.access_token,
    );
    const response = authenticator.create(enrolment.options);
    const { challenge } = enrolment;
    await post("/passkeys", { challenge, name: "Laptop", response }, session.access_token);
    const entry = await post<Ceremony<Parameters<typeof authenticator.get>[0]>>("/login/passkey/options", {});
    const { user } = await post<Entered>("/login/passkey", {
      challenge: entry.challenge,
      response: authenticator.get(entry.options),
      transport: "bearer",
    });
    expect(user.email).toBe("owner@demo.example");
  });

  it("refuses a malformed path", async () => {
    // The sources make a call that only throws, which a bundler may drop.
    expect((await gateway.rest("/%zz")).status).toBe(400);
  });
});

it("says what an installation without the development dependencies lacks", async () => {
  const folder = makeFolder();
  cpSync(join(DIST, "../.config/prepare.js"), join(folder.path, "prepare.mjs"));
  await expect(
    promisify(execFile)(process.execPath, [join(folder.path, "prepare.mjs")]),
  ).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^The build needs the development dependencies, .*Run npm ci --include=dev, /,
    ),
  });
  folder.remove();
});
