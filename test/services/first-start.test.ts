import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { openTestDatabase } from "../support/database.js";
import { runGateway, startProcess } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";
import { makeKey, makeOrganization } from "../support/server.js";

describe("gateway serve with DATABASE_URL", () => {
  it("loads nothing, creates no demo key, and serves the existing data", async () => {
    const database = await openTestDatabase();
    onTestFinished(() => database.close());
    const running = await startProcess({
      env: { DATABASE_URL: database.url, REDIS_URL: redisUrl ?? "" },
    });
    expect(running.stdout()).not.toMatch(/cgw_live_|curl/);
    expect(running.stdout()).toMatch(/Database {2}PostgreSQL at \S+\n.*counted in Redis\n/);
    expect(await database.prisma.organization.count()).toBe(0);
    const { key } = await makeKey(database, await makeOrganization(database));
    expect((await running.rest("/emissions", key)).body.data).toMatchObject({ record_count: 0 });
    expect((await running.stop()).code).toBe(0);
  });

  it("exits if its port is in use, and names it", async () => {
    const database = await openTestDatabase();
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    onTestFinished(() => database.close());
    await once(taken, "listening");
    const PORT = String((taken.address() as AddressInfo).port);
    const env = {
      PORT,
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl ?? "",
      LOG_LEVEL: "error",
    };
    expect(await runGateway(["serve"], { env })).toEqual({
      code: 1,
      stdout: "",
      stderr: `Port ${PORT} is in use by another process. Stop that process, or set PORT to a different port.\n`,
    });
  });
});
