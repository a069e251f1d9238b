import { describe, expect, it } from "vitest";
import { generateKey, hashKey } from "../../src/access/secrets/api-key.js";
import { migratedFolder } from "../support/command-database.js";
import { preload, startProcess } from "../support/process.js";
import { findSecrets, learnKeys, learnSecrets } from "../support/secrets.js";
import { makeKey, makeOrganization, startGateway } from "../support/server.js";

const PEPPER = "a pepper that nobody may read";
const PASSWORD = "hunter-two";

describe("the search for secrets in the logs of every test file", () => {
  it("finds whole keys, secret parts of known ones, their hashes, and secrets of an environment", () => {
    const key = generateKey();
    expect(findSecrets(`{"path":"/${key}"}`)).toEqual([key]);
    expect(findSecrets(key.slice(9))).toEqual([]);
    learnKeys(`key ${key}\n`);
    learnSecrets({ KEY_PEPPER: PEPPER, REDIS_URL: `redis://a:6379,rediss://user:${PASSWORD}@b:6379` });
    expect(findSecrets(`… ${key.slice(9)} …`)).toEqual([key.slice(9)]);
    for (const pepper of [undefined, PEPPER]) {
      expect(findSecrets(`["${hashKey(key, pepper)}"]`)).toEqual([hashKey(key, pepper)]);
    }
    expect(findSecrets(`${PEPPER} ${PASSWORD}`)).toEqual([PEPPER, PASSWORD]);
    expect(findSecrets(`${key.slice(0, 13)}…${key.slice(-4)} ${hashKey(generateKey(), PEPPER)}`)).toEqual([]);
  });
});

describe("a gateway", () => {
  it("reports that Redis is unavailable without its password", async () => {
    const gateway = await startGateway({ env: { REDIS_URL: `redis://:${PASSWORD}@127.0.0.1:1` } });
    const away = () =>
      gateway.log().filter(({ msg }) => msg === "Redis is unavailable: counting requests in memory");
    // Logged at the start with the reason, without waiting for a request.
    expect(away()).toEqual([
      expect.objectContaining({
        err: expect.objectContaining({
          message: expect.stringContaining("connect ECONNREFUSED 127.0.0.1:1"),
        }),
      }),
    ]);
    const { key } = await makeKey(gateway.database, await makeOrganization(gateway.database));
    expect((await gateway.rest("/market", key)).status).toBe(200);
    await gateway.stop();
    expect(away()).toHaveLength(1);
    expect(findSecrets(JSON.stringify(gateway.log()))).toEqual([]);
  });

  it("reports a crash in one log line, without data attached to the error", async () => {
    const crash = `process.on("SIGUSR2",()=>{throw Object.assign(new Error("boom"),{params:[process.env.KEY_PEPPER]})})`;
    const gateway = await startProcess({
      env: {
        DATA_DIR: await migratedFolder(),
        KEY_PEPPER: PEPPER,
        NODE_OPTIONS: preload(crash),
      },
    });
    const { code, stderr } = await gateway.stop("SIGUSR2");
    expect([code, findSecrets(stderr)]).toEqual([1, []]);
    expect(stderr.trim().split("\n")).toHaveLength(2);
    expect(gateway.log()).toMatchObject([
      { level: 30, msg: "serving" },
      { level: 60, msg: "crashed", err: { message: "boom" } },
    ]);
  });
});
