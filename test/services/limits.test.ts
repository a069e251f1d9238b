import { expect, it, onTestFinished } from "vitest";
import { openTestDatabase } from "../support/database.js";
import { OWN_FACTOR } from "../support/own-factor.js";
import { callWith, signUp } from "../support/people.js";
import { withClient } from "../support/pg-client.js";
import { startInProduction } from "../support/process.js";
import { expectNoWrites } from "../support/refused-writes.js";
import { makeKey, makeOrganization, startGateway } from "../support/server.js";

it.each([
  {
    path: "/v1/facilities",
    table: "facilities",
    columns: "code, name",
    values: "'F' || n, 'F' || n",
    max: 20_000,
    make: (name: string) => ({ code: name, name }),
  },
  {
    path: "/v1/emission-factors",
    table: "emission_factors",
    columns:
      "activity, region, scope, category, gas, factor, unit, dimension, source, source_url, source_year, verified",
    values:
      "'A' || n, 'DE', 'scope_1', 'fuel', 'co2e', 1, 'kg', 'mass', 'x', 'https://example.com/', 2025, true",
    max: 5_000,
    make: (activity: string) => ({ ...OWN_FACTOR, activity }),
  },
])(
  "two gateways together add only the last of $max $table",
  async ({ path, table, columns, values, max, make }) => {
    const database = await openTestDatabase();
    const gateways = [await startGateway({ database }), await startGateway({ database })] as const;
    onTestFinished(async () => {
      for (const gateway of gateways) await gateway.stop();
      await database.close();
    });
    const ada = await signUp(gateways[0]);
    const { id } = ada.organization;
    await database.transaction(({ script }) =>
      script(`INSERT INTO ${table} (id, organization_id, ${columns})
      SELECT gen_random_uuid(), '${id}', ${values} FROM generate_series(1, ${max - 1}) AS n`),
    );
    await withClient(database.url ?? "", async (client) => {
      // Both have added a row, and not committed it, when either can count.
      await client.query("BEGIN");
      await client.query(`LOCK TABLE ${table} IN SHARE MODE`);
      const answers = gateways.map((gateway, index) =>
        callWith(gateway, { Authorization: `Bearer ${ada.session.token}` }).call(path, {
          json: make(`N${index}`),
        }),
      );
      const listWaiting = () =>
        database.select(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          [],
        );
      await expect.poll(listWaiting).toHaveLength(2);
      await client.query("COMMIT");
      const found = (await Promise.all(answers)).map(({ status, body }) => [status, body.error?.code]);
      expect(found.toSorted()).toEqual([
        [201, undefined],
        [422, "VALIDATION_FAILED"],
      ]);
    });
  },
);

it("a read-only database answers reads, refuses writes with the reason, and is reported by readiness", async () => {
  const database = await openTestDatabase();
  const url = database.url ?? "";
  const { key } = await makeKey(database, await makeOrganization(database));
  await database.transaction(({ script }) =>
    script(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`),
  );
  const gateway = await startInProduction({ DATABASE_URL: url, REGISTRATION: "open" });
  onTestFinished(async () => {
    await gateway.stop("SIGKILL");
    await database.close();
  });
  expect(await gateway.ready()).toMatchObject({
    status: 200,
    body: { status: "degraded", database: "up", writes: "read_only" },
  });
  expect((await gateway.rest("/emissions", key)).status).toBe(200);
  await expectNoWrites(gateway, "it is read-only");
});
