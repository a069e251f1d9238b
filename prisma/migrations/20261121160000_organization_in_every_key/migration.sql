-- Every key of a tenant's table begins with the organization, so that each of these tables can be partitioned by it, on
-- one server or over many: there a unique index holds within a partition only. `market_prices` and `api_keys` keep
-- theirs: prices of nobody stand among those of tenants, and a key is looked up before anybody knows whose it is.

-- These two had the index already, and the foreign keys that rest on it stay as they are.
ALTER TABLE "facilities" DROP CONSTRAINT "facilities_pkey",
    ADD CONSTRAINT "facilities_pkey" PRIMARY KEY USING INDEX "facilities_organization_id_id_key";
ALTER TABLE "credit_batches" DROP CONSTRAINT "credit_batches_pkey",
    ADD CONSTRAINT "credit_batches_pkey" PRIMARY KEY USING INDEX "credit_batches_organization_id_id_key";

ALTER TABLE "emission_records" DROP CONSTRAINT "emission_records_pkey",
    ADD CONSTRAINT "emission_records_pkey" PRIMARY KEY ("organization_id", "id");
ALTER TABLE "emission_days" DROP CONSTRAINT "emission_days_pkey",
    ADD CONSTRAINT "emission_days_pkey" PRIMARY KEY ("organization_id", "id");
ALTER TABLE "compliance_deadlines" DROP CONSTRAINT "compliance_deadlines_pkey",
    ADD CONSTRAINT "compliance_deadlines_pkey" PRIMARY KEY ("organization_id", "id");
ALTER TABLE "credit_sales" DROP CONSTRAINT "credit_sales_pkey",
    ADD CONSTRAINT "credit_sales_pkey" PRIMARY KEY ("organization_id", "id");
ALTER TABLE "credit_retirements" DROP CONSTRAINT "credit_retirements_pkey",
    ADD CONSTRAINT "credit_retirements_pkey" PRIMARY KEY ("organization_id", "id");

-- The same as before, but that it removes rows by the new key.
CREATE OR REPLACE FUNCTION emission_days_follow() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    added CONSTANT text := 'SELECT organization_id, recorded_on, scope, facility_id, category, co2e_tonnes AS amount, 1 AS n FROM added';
    removed CONSTANT text := 'SELECT organization_id, recorded_on, scope, facility_id, category, -co2e_tonnes AS amount, -1 AS n FROM removed';
BEGIN
    EXECUTE format($sql$
        WITH changes AS (%s),
        sums AS (
            SELECT organization_id, recorded_on, scope, sum(amount) AS co2e_tonnes, sum(n) AS record_count,
                CASE WHEN grouping(facility_id) = 0 THEN 'facility'
                     WHEN grouping(category) = 0 THEN 'category' ELSE 'day' END::emission_grain AS grain,
                CASE WHEN grouping(facility_id) = 0 THEN coalesce(facility_id::text, '')
                     WHEN grouping(category) = 0 THEN coalesce(category, '') ELSE '' END AS part
            FROM changes
            -- An organization that is being removed takes its sums along.
            WHERE EXISTS (SELECT FROM organizations o WHERE o.id = organization_id)
            GROUP BY GROUPING SETS ((organization_id, recorded_on, scope),
                (organization_id, recorded_on, scope, facility_id), (organization_id, recorded_on, scope, category))
            HAVING sum(amount) <> 0 OR sum(n) <> 0
        ),
        held AS (
            SELECT d.organization_id, d.id FROM emission_days d JOIN sums s
                ON (d.organization_id, d.grain, d.recorded_on, d.part, d.scope)
                 = (s.organization_id, s.grain, s.recorded_on, s.part, s.scope)
            FOR UPDATE OF d SKIP LOCKED
        ),
        taken AS (
            DELETE FROM emission_days d USING held h
            WHERE (d.organization_id, d.id) = (h.organization_id, h.id) RETURNING d.*
        )
        INSERT INTO emission_days (organization_id, grain, recorded_on, part, scope, co2e_tonnes, record_count)
        SELECT organization_id, grain, recorded_on, part, scope, sum(co2e_tonnes), sum(record_count)
        FROM (
            SELECT organization_id, grain, recorded_on, part, scope, co2e_tonnes, record_count FROM sums
            UNION ALL
            SELECT organization_id, grain, recorded_on, part, scope, co2e_tonnes, record_count FROM taken
        ) AS both_of
        GROUP BY organization_id, grain, recorded_on, part, scope
        HAVING sum(co2e_tonnes) <> 0 OR sum(record_count) <> 0
    $sql$, CASE TG_OP WHEN 'INSERT' THEN added WHEN 'DELETE' THEN removed ELSE added || ' UNION ALL ' || removed END);
    RETURN NULL;
END $$;
