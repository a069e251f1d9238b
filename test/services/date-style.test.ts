import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { revokeKeyById } from "../../src/actions/keys/revoke-key.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { addTenantData } from "../support/fixtures.js";
import { withClient } from "../support/pg-client.js";
import { openPostgres } from "../support/served.js";
import { type Gateway, makeKey, NOW, startGateway } from "../support/server.js";
import { useDatabase } from "../support/use.js";

describe.each(["SQL, DMY", "German", "Postgres, MDY"])("a database whose DateStyle is %s", (style) => {
  let key: string;
  let revoked: string;
  /** Data of the endpoints without these settings. */
  const asUsual: unknown[] = [];
  const gateways: Gateway[] = [];
  /** Starts a gateway whose connections begin with the database's settings, directly or as if through a pooler. */
  const start = async (directUrl?: string) => {
    const options = { directUrl, statementTimeoutMs: 3_000, onError: () => undefined };
    const opened = openPostgres(database.url ?? "", options);
    const gateway = await startGateway({
      database: { ...opened, url: database.url, waitForAnnouncements: async () => undefined },
    });
    gateways.push(gateway);
    return gateway;
  };

  const database = useDatabase();
  beforeAll(async () => {
    await addTenantData(database, { name: "ACME", digits: 5, framework: "CDP" });
    ({ key } = await makeKey(database, "acme"));
    const other = await makeKey(database, "acme");
    await revokeKeyById({ database, pepper: undefined, now: NOW }, other.id);
    revoked = other.key;
    await withClient(database.url ?? "", (client) =>
      client.query("UPDATE market_prices SET price = 123456789012.123456"),
    );
    const before = await start();
    for (const { path } of endpoints) asUsual.push((await before.rest(path, key)).body.data);
    await withClient(database.url ?? "", async (client) => {
      const { rows } = await client.query("SELECT current_database() AS name");
      const name = client.escapeIdentifier(rows[0].name);
      await client.query(`ALTER DATABASE ${name} SET DateStyle = '${style}'`);
      await client.query(`ALTER DATABASE ${name} SET extra_float_digits = 0`);
    });
  });
  afterAll(async () => {
    for (const gateway of gateways) {
      await gateway.stop();
      await gateway.database.close();
    }
  });

  it("is read correctly, and a revoked key is refused", async () => {
    const gateway = await start();
    const found = await Promise.all(endpoints.map(({ path }) => gateway.rest(path, key)));
    expect(found.map(({ status, body }) => [status, body.data])).toEqual(asUsual.map((data) => [200, data]));
    expect((await gateway.rest("/market", revoked)).status).toBe(401);
  });

  it("admits no revoked key if connections cannot be given another DateStyle", async () => {
    const gateway = await start(database.url ?? "");
    expect((await gateway.rest("/market", revoked)).status).toBe(500);
    const reasons = gateway.log().map((line) => JSON.stringify(line));
    expect(reasons.join("\n")).toContain("set PostgreSQL's DateStyle to ISO");
  });
});
