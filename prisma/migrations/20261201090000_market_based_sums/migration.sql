-- Sums of market-based amounts by day and by month, so that a range is read from its months and the days of cut ones, however
-- many records have such an amount.

-- Lets every write of records finish, and holds back the next.
LOCK TABLE "emission_records" IN SHARE ROW EXCLUSIVE MODE;

-- A type of its own: values that are added to one cannot be used in the same transaction.
CREATE TYPE "emission_grain_new" AS ENUM ('day', 'facility', 'category',
    'month', 'month_facility', 'month_category', 'month_cell', 'market_day', 'market_month');
DROP INDEX "emission_days_organization_id_grain_recorded_on_part_subpar_idx";
ALTER TABLE "emission_days" ALTER COLUMN "grain" TYPE "emission_grain_new" USING "grain"::text::"emission_grain_new";
DROP TYPE "emission_grain";
ALTER TYPE "emission_grain_new" RENAME TO "emission_grain";

INSERT INTO "emission_days" ("organization_id", "grain", "recorded_on", "part", "scope", "co2e_tonnes", "record_count")
SELECT "organization_id", CASE grouping("recorded_on") WHEN 0 THEN 'market_day' ELSE 'market_month' END::"emission_grain",
    coalesce("recorded_on", "month"), '', "scope", sum("market_based_tonnes"), count(*)
FROM (
    SELECT *, date_trunc('month', "recorded_on"::timestamp)::date AS "month" FROM "emission_records"
    WHERE "market_based_tonnes" IS NOT NULL AND "deleted_at" IS NULL
) AS "records"
GROUP BY "organization_id", "scope", "month", GROUPING SETS (("recorded_on"), ());

CREATE INDEX "emission_days_organization_id_grain_recorded_on_part_subpar_idx"
    ON "emission_days"("organization_id", "grain", "recorded_on", "part", "subpart", "scope");
DROP INDEX "emission_records_market_based_idx";

DO $$
DECLARE
    definition text := pg_get_functiondef('emission_days_follow()'::regprocedure);
    last_sums CONSTANT text := 'FROM parts WHERE NOT by_facility GROUP BY organization_id, scope, month, category';
BEGIN
    -- They are read twice now, and must not be copied for that.
    definition := replace(definition, 'WITH changes AS (', 'WITH changes AS NOT MATERIALIZED (');
    definition := replace(definition, last_sums, last_sums || $sums$
            UNION ALL
            SELECT organization_id, scope, coalesce(recorded_on, month), sum(n * market_based_tonnes), sum(n),
                CASE grouping(recorded_on) WHEN 0 THEN 'market_day' ELSE 'market_month' END::emission_grain, '', ''
            FROM (SELECT *, date_trunc('month', recorded_on::timestamp)::date AS month FROM changes WHERE market_based_tonnes IS NOT NULL) AS c
            GROUP BY organization_id, scope, month, GROUPING SETS ((recorded_on), ())
            HAVING sum(n * market_based_tonnes) <> 0 OR sum(n) <> 0$sums$);
    EXECUTE definition;
END $$;
