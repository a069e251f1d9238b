import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addFeed, addPrice, addTenantData } from "../support/fixtures.js";

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
  await addTenantData(database, { name: "ALPHA", digits: 1, framework: "CDP" });
  await addPrice(database, null);
  await addFeed(database, null);
});
afterAll(() => database.close());

describe("a day or a time that ISO 8601 cannot write with four digits of a year", () => {
  it.each([
    ["compliance_statuses", "last_updated"],
    ["compliance_deadlines", "due_date"],
    ["credit_retirements", "retired_on"],
    ["market_prices", "as_of"],
    ["market_prices", "recorded_at"],
    ["exchange_feeds", "last_reported_at"],
  ])("is refused by the database, whoever writes it: %s.%s", async (table, column) => {
    const write = (date: string) =>
      database.transaction(({ execute }) =>
        execute(`UPDATE ${table} SET ${column} = $1::text::timestamptz`, [date]),
      );
    for (const date of ["infinity", "-infinity", "10000-01-01 00:00:00Z", "0001-12-31 00:00:00Z BC"]) {
      await expect(write(date)).rejects.toThrow(`${table}_${column}_range`);
    }
    expect(await write("9999-12-31 00:00:00Z")).toBeGreaterThan(0);
  });
});
