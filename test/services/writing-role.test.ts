import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { migrate } from "../../src/data/database/schema/migrations.js";
import { openPostgres } from "../../src/data/database/server/postgres.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import { withClient } from "../support/pg-client.js";
import { createPostgresServer } from "../support/postgres-server.js";
import { startInProduction } from "../support/process.js";
import { runCommand } from "../support/run-command.js";
import { use } from "../support/use.js";

describe("a PostgreSQL without the writing role", () => {
  const urlOf = (name: string, user?: string) => {
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    if (user !== undefined) [url.username, url.password] = [user, ""];
    return url.href;
  };
  const run = (...statements: string[]) =>
    withClient(server.url, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  const server = use(() => createPostgresServer({}));
  beforeAll(async () => {
    await server.start();
  });

  it("is not migrated by a role that may not create it, and the error says what to run", async () => {
    await run("CREATE ROLE owner LOGIN", "CREATE DATABASE owned OWNER owner");
    const migrated = () => runCommand(["migrate"], { env: { DATABASE_URL: urlOf("owned", "owner") } });
    expect(await migrated()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "Failed: the role gateway_writer does not exist, and owner may not create it. As a superuser, run once: CREATE ROLE gateway_writer; GRANT gateway_writer TO owner\n",
      ),
    });
    await run("CREATE ROLE gateway_writer", "GRANT gateway_writer TO owner");
    expect(await migrated()).toMatchObject({ code: 0 });
    await run("DROP DATABASE owned", "DROP ROLE gateway_writer, owner");
  });

  it("is reported by migrate, start and readiness if the serving role was not granted it", async () => {
    await run(
      "CREATE ROLE owner LOGIN",
      "CREATE DATABASE ungranted OWNER owner",
      "CREATE ROLE gateway_writer",
    );
    const env = { DATABASE_URL: urlOf("ungranted", "owner") };
    const migrated = () => runCommand(["migrate"], { env });
    const warning = expect.stringContaining(
      "Warning: gateway_writer is not granted to any role, so nobody can sign in. As a superuser: GRANT gateway_writer TO owner, or to the role that runs serve.\n",
    );
    for (const stdout of [expect.stringMatching(/^Applied /), "Already up to date.\n"])
      expect(await migrated()).toEqual({ code: 0, stdout, stderr: warning });

    const serving = await startInProduction(env);
    onTestFinished(async () => void (await serving.stop("SIGKILL")));
    const errors = serving.log().filter(({ level }) => level === 50);
    expect(errors.map(({ msg }) => msg)).toEqual([
      "nobody can sign in: owner may not act as gateway_writer. As a superuser: GRANT gateway_writer TO owner",
    ]);
    const ready = { database: "up", rate_limit_store: "memory" };
    const readiness = await serving.ready();
    expect(readiness.status).toBe(200);
    expect(readiness.body).toEqual({ ...ready, status: "degraded", writing_role: "not_granted" });
    await run("GRANT gateway_writer TO owner");
    expect((await serving.ready()).body).toEqual({ ...ready, status: "ok" });
    expect((await migrated()).stderr).not.toContain("Warning");
    await serving.stop();

    // A role other than the owner serves.
    await run(
      "CREATE ROLE server LOGIN",
      "REVOKE gateway_writer FROM owner",
      "GRANT gateway_writer TO server",
    );
    expect((await migrated()).stderr).not.toContain("Warning");
    await run("DROP DATABASE ungranted", "DROP ROLE gateway_writer, owner, server");
  });

  it("gets it once from concurrent migrations of several databases", async () => {
    const names = ["one", "two", "three"];
    await run(...names.map((name) => `CREATE DATABASE ${name}`));
    const databases = names.map((name) =>
      openPostgres(urlOf(name), { statementTimeoutMs: 0, onError: () => undefined }),
    );
    await Promise.all(databases.map((database) => migrate(database, MIGRATIONS_FOLDER)));
    await Promise.all(databases.map((database) => database.close()));
  });
});
