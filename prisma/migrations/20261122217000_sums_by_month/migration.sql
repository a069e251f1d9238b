-- Sums by calendar month beside those by day, so that a year is read from eleven months and the days of two cut ones.
-- A month also has a sum for each category of each facility (`month_cell`): by day there would be about as many of
-- these as there are records.

-- Lets every write of records finish, and holds back the next.
LOCK TABLE "emission_records" IN SHARE ROW EXCLUSIVE MODE;

-- A type of its own: values that are added to one cannot be used in the same transaction.
CREATE TYPE "emission_grain_new" AS ENUM ('day', 'facility', 'category',
    'month', 'month_facility', 'month_category', 'month_cell');
DROP INDEX "emission_days_organization_id_grain_recorded_on_part_scope_idx";
ALTER TABLE "emission_days"
    ALTER COLUMN "grain" TYPE "emission_grain_new" USING "grain"::text::"emission_grain_new",
    ADD COLUMN "subpart" TEXT COLLATE "C" NOT NULL DEFAULT '';
DROP TYPE "emission_grain";
ALTER TYPE "emission_grain_new" RENAME TO "emission_grain";

INSERT INTO "emission_days" ("organization_id", "grain", "recorded_on", "part", "scope", "co2e_tonnes", "record_count")
SELECT "organization_id", CASE "grain" WHEN 'day' THEN 'month' ELSE 'month_' || "grain" END::"emission_grain",
    date_trunc('month', "recorded_on"::timestamp)::date AS "month", "part", "scope", sum("co2e_tonnes"), sum("record_count")
FROM "emission_days" GROUP BY "organization_id", "grain", "month", "part", "scope"
HAVING sum("co2e_tonnes") <> 0 OR sum("record_count") <> 0;

INSERT INTO "emission_days" ("organization_id", "grain", "recorded_on", "part", "subpart", "scope", "co2e_tonnes", "record_count")
SELECT "organization_id", 'month_cell', date_trunc('month', "recorded_on"::timestamp)::date AS "month",
    coalesce("facility_id"::text, ''), coalesce("category", ''), "scope", sum("co2e_tonnes"), count(*)
FROM "emission_records" GROUP BY "organization_id", "month", "facility_id", "category", "scope";

CREATE INDEX "emission_days_organization_id_grain_recorded_on_part_subpar_idx"
    ON "emission_days"("organization_id", "grain", "recorded_on", "part", "subpart", "scope");

-- What a key sums up to may lie in several rows, as before: a writer takes the rows that no other transaction is
-- changing, puts the sum into one of them, and removes the others. So writers never wait for each other, and no change
-- is lost. A row that is kept changes in place, which leaves the indexes alone.
-- A statement for each operation, so that its plan is kept. The plan has to be good for one record and for a million:
-- hence the settings, with which every row is looked up by an index.
DO $make$
DECLARE
    statement CONSTANT text := $statement$
        WITH changes AS (%s),
        parts AS MATERIALIZED (
            SELECT organization_id, scope, recorded_on AS day, month, facility_id, category,
                grouping(facility_id) = 0 AS by_facility, grouping(category) = 0 AS by_category,
                sum(n * co2e_tonnes) AS co2e_tonnes, sum(n) AS record_count
            FROM (SELECT *, date_trunc('month', recorded_on::timestamp)::date AS month FROM changes) AS c
            GROUP BY organization_id, scope, month,
                GROUPING SETS ((recorded_on, facility_id), (recorded_on, category), (facility_id, category))
            HAVING sum(n * co2e_tonnes) <> 0 OR sum(n) <> 0
        ),
        sums AS MATERIALIZED (
            SELECT organization_id, scope, coalesce(day, month) AS recorded_on, co2e_tonnes, record_count,
                CASE WHEN NOT by_category THEN 'facility' WHEN NOT by_facility THEN 'category' ELSE 'month_cell' END::emission_grain AS grain,
                coalesce(CASE WHEN by_facility THEN facility_id::text ELSE category END, '') AS part,
                coalesce(CASE WHEN by_facility THEN category END, '') AS subpart
            FROM parts
            UNION ALL
            SELECT organization_id, scope, coalesce(day, month), sum(co2e_tonnes), sum(record_count),
                CASE WHEN grouping(day) = 0 THEN 'day' WHEN grouping(facility_id) = 0 THEN 'month_facility' ELSE 'month' END::emission_grain,
                coalesce(facility_id::text, ''), ''
            FROM parts WHERE NOT by_category
            GROUP BY organization_id, scope, month, GROUPING SETS ((day), (facility_id), ())
            UNION ALL
            SELECT organization_id, scope, month, sum(co2e_tonnes), sum(record_count), 'month_category', coalesce(category, ''), ''
            FROM parts WHERE NOT by_facility GROUP BY organization_id, scope, month, category
        ),
        rows AS MATERIALIZED (
            SELECT *, min(id) OVER same AS kept_id, sum(co2e_tonnes) OVER same AS total, sum(record_count) OVER same AS total_count
            FROM (
                SELECT organization_id, grain, recorded_on, part, subpart, scope, NULL AS id, co2e_tonnes, record_count FROM sums
                UNION ALL
                SELECT s.organization_id, s.grain, s.recorded_on, s.part, s.subpart, s.scope, d.id, d.co2e_tonnes, d.record_count
                FROM sums AS s CROSS JOIN LATERAL (
                    SELECT * FROM emission_days AS d
                    WHERE (d.organization_id, d.grain, d.recorded_on, d.part, d.subpart, d.scope)
                        = (s.organization_id, s.grain, s.recorded_on, s.part, s.subpart, s.scope)
                    FOR UPDATE SKIP LOCKED
                ) AS d
            ) AS found
            WINDOW same AS (PARTITION BY organization_id, grain, recorded_on, part, subpart, scope)
        ),
        updated AS (
            UPDATE emission_days AS d SET co2e_tonnes = r.total, record_count = r.total_count
            FROM rows AS r
            WHERE (d.organization_id, d.id) = (r.organization_id, r.kept_id) AND r.id IS NULL AND (r.total <> 0 OR r.total_count <> 0)
        ),
        deleted AS (
            DELETE FROM emission_days AS d USING rows AS r
            WHERE (d.organization_id, d.id) = (r.organization_id, r.id) AND (r.id <> r.kept_id OR (r.total = 0 AND r.total_count = 0))
        )
        INSERT INTO emission_days (organization_id, grain, recorded_on, part, subpart, scope, co2e_tonnes, record_count)
        SELECT organization_id, grain, recorded_on, part, subpart, scope, total, total_count FROM rows
        WHERE kept_id IS NULL AND (total <> 0 OR total_count <> 0) AND EXISTS (SELECT FROM organizations AS o WHERE o.id = organization_id);
$statement$;
BEGIN
    EXECUTE format($create$
CREATE OR REPLACE FUNCTION emission_days_follow() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, %I, pg_temp
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $body$
BEGIN
    IF TG_OP = 'INSERT' THEN %s
    ELSIF TG_OP = 'DELETE' THEN %s
    ELSE %s
    END IF;
    RETURN NULL;
END $body$ $create$, current_schema(),
        format(statement, 'SELECT *, 1 AS n FROM added'),
        format(statement, 'SELECT *, -1 AS n FROM removed'),
        format(statement, 'SELECT *, 1 AS n FROM added UNION ALL SELECT *, -1 AS n FROM removed'));
END $make$;
