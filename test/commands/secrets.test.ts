import { Redis } from "ioredis";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { makeCommandDatabase } from "../support/command-database.js";
import { startProcess } from "../support/process.js";
import { createRedisServer } from "../support/redis-server.js";
import { runLine } from "../support/run-command.js";
import { makeKey, makeOrganization } from "../support/server.js";

const SECRETS = {
  DATABASE_URL: "postgresql://someone:hunter-database@127.0.0.1:1/x?password=hunter-parameter",
  REDIS_URL: "redis://someone:hunter-redis@127.0.0.1:1",
  KEY_PEPPER: "hunter-pepper-of-now",
  KEY_PEPPER_PREVIOUS: "hunter-pepper-of-before",
};

describe("a command that fails", () => {
  it.each(["serve", "migrate", "doctor"])("shows no secret of its environment: %s", async (command) => {
    const { code, stdout, stderr } = await runLine(command, { env: { ...SECRETS, LOG_LEVEL: "trace" } });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("ECONNREFUSED");
    expect(stdout + stderr).not.toContain("hunter");
  });

  it("shows no secret of an invalid environment", async () => {
    const { code, stdout, stderr } = await runLine("serve", {
      env: {
        DATABASE_URL: "postgresql://someone:hunter-database@host:port/x",
        REDIS_URL: "redis://:hunter-redis@host:port,hunter",
        KEY_PEPPER: "hunter",
        KEY_PEPPER_PREVIOUS: "hunter",
      },
    });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.split("\n")).toHaveLength(6);
    expect(stderr).not.toContain("hunter");
  });
});

describe.runIf(inject("template").kind === "postgres")("a gateway that Redis does not let in", () => {
  it("serves, and logs no password or key", async () => {
    const redis = await createRedisServer();
    await redis.start();
    onTestFinished(() => redis.kill());
    const admin = new Redis(redis.url);
    await admin.config("SET", "requirepass", "right");
    admin.disconnect();
    const commands = await makeCommandDatabase();
    onTestFinished(() => commands.close());
    const { key } = await commands.use(async (database) =>
      makeKey(database, await makeOrganization(database)),
    );

    const env = {
      ...commands.env,
      REDIS_URL: redis.url.replace("://", "://:hunter-redis@"),
      LOG_LEVEL: "trace",
    };
    const gateway = await startProcess({ env });
    expect((await gateway.rest("/market", key)).status).toBe(200);
    await expect.poll(() => gateway.stderr()).toContain("Redis is unavailable");
    const { stdout, stderr } = await gateway.stop();
    for (const secret of ["hunter", key.slice(9, -4)]) expect(stdout + stderr).not.toContain(secret);
  });
});
