import { describe, expect, it } from "vitest";
import { diffAfter } from "./diff-after.js";

describe("a database that differs from prisma/schema.prisma", () => {
  it("is detected: a column, an index and an enum value that differ", {
    timeout: 120_000,
  }, async () => {
    const diff = await diffAfter(`
      ALTER TABLE emission_records DROP COLUMN category;
      DROP INDEX facilities_organization_id_code_key;
      ALTER TYPE tier RENAME VALUE 'pro' TO 'plus'`);
    expect(diff).toMatch(/ALTER TABLE "emission_records" ADD COLUMN +"category" TEXT/);
    expect(diff).toContain('CREATE UNIQUE INDEX "facilities_organization_id_code_key"');
    expect(diff).toMatch(/CREATE TYPE "tier_new" AS ENUM \('free', 'pro', 'enterprise'\)/);
  });
});
