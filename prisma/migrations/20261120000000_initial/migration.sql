-- Text that is sorted or compared is collated "C", so that every server and the embedded database order it alike.
-- A unique index says NULLS NOT DISTINCT where an absent part of a natural key is a value like any other.

-- CreateEnum
CREATE TYPE "emission_scope" AS ENUM ('scope_1', 'scope_2', 'scope_3');

-- CreateEnum
CREATE TYPE "emission_grain" AS ENUM ('day', 'facility', 'category');

-- CreateEnum
CREATE TYPE "framework" AS ENUM ('CCTS', 'BRSR', 'EU_CBAM', 'SG_CCS', 'GHG_PROTOCOL', 'SBTi', 'CDP', 'TCFD');

-- CreateEnum
CREATE TYPE "framework_status" AS ENUM ('compliant', 'action_required', 'pending_review', 'not_applicable');

-- CreateEnum
CREATE TYPE "price_type" AS ENUM ('reference', 'exchange_feed');

-- CreateEnum
CREATE TYPE "tier" AS ENUM ('free', 'pro', 'enterprise');

-- CreateTable
CREATE TABLE "organizations" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "slug" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "display" TEXT NOT NULL,
    "tier" "tier" NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "facilities" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "code" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "country" CHAR(2) NOT NULL,

    CONSTRAINT "facilities_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "emission_records" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "reference" TEXT COLLATE "C",
    "recorded_on" DATE NOT NULL,
    "scope" "emission_scope" NOT NULL,
    "co2e_tonnes" DECIMAL(24,6) NOT NULL,
    "facility_id" UUID,
    "category" TEXT COLLATE "C",
    "source" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "emission_records_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "emission_days" (
    "id" BIGSERIAL NOT NULL,
    "organization_id" UUID NOT NULL,
    "grain" "emission_grain" NOT NULL,
    "recorded_on" DATE NOT NULL,
    "part" TEXT COLLATE "C" NOT NULL,
    "scope" "emission_scope" NOT NULL,
    "co2e_tonnes" DECIMAL(38,6) NOT NULL,
    "record_count" BIGINT NOT NULL,

    CONSTRAINT "emission_days_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "compliance_statuses" (
    "organization_id" UUID NOT NULL,
    "framework" "framework" NOT NULL,
    "status" "framework_status" NOT NULL,
    "last_updated" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "compliance_statuses_pkey" PRIMARY KEY ("organization_id","framework")
);

-- CreateTable
CREATE TABLE "compliance_deadlines" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "framework" "framework" NOT NULL,
    "title" TEXT COLLATE "C" NOT NULL,
    "due_date" DATE NOT NULL,
    "status" TEXT NOT NULL,

    CONSTRAINT "compliance_deadlines_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credit_batches" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "reference" TEXT COLLATE "C" NOT NULL,
    "credit_type" TEXT COLLATE "C" NOT NULL,
    "vintage" INTEGER,
    "quantity" BIGINT NOT NULL,
    "sold" BIGINT NOT NULL DEFAULT 0,
    "retired" BIGINT NOT NULL DEFAULT 0,
    "available" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "credit_batches_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credit_sales" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "batch_id" UUID NOT NULL,
    "reference" TEXT COLLATE "C" NOT NULL,
    "quantity" BIGINT NOT NULL,

    CONSTRAINT "credit_sales_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credit_retirements" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "batch_id" UUID NOT NULL,
    "reference" TEXT COLLATE "C" NOT NULL,
    "quantity" BIGINT NOT NULL,
    "retired_on" DATE NOT NULL,
    "beneficiary" TEXT,

    CONSTRAINT "credit_retirements_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "benchmarks" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "sector" TEXT COLLATE "C" NOT NULL,
    "intensity" DECIMAL(24,9),
    "unit" TEXT COLLATE "C",
    "region" TEXT COLLATE "C",
    "period" TEXT COLLATE "C",
    "source" TEXT COLLATE "C",
    "source_url" TEXT,
    "source_year" INTEGER,

    CONSTRAINT "benchmarks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "market_prices" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID,
    "credit_type" TEXT COLLATE "C" NOT NULL,
    "exchange" TEXT COLLATE "C" NOT NULL,
    "price" DECIMAL(24,9) NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "change_pct_24h" DECIMAL(24,9),
    "price_type" "price_type" NOT NULL DEFAULT 'reference',
    "source" TEXT COLLATE "C" NOT NULL,
    "source_url" TEXT,
    "as_of" DATE,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "market_prices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "exchange_feeds" (
    "exchange" TEXT COLLATE "C" NOT NULL,
    "last_reported_at" TIMESTAMPTZ(3),

    CONSTRAINT "exchange_feeds_pkey" PRIMARY KEY ("exchange")
);

-- CreateIndex
CREATE UNIQUE INDEX "organizations_slug_key" ON "organizations"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "api_keys_organization_id_created_at_idx" ON "api_keys"("organization_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "facilities_organization_id_code_key" ON "facilities"("organization_id", "code");

-- CreateIndex
CREATE UNIQUE INDEX "facilities_organization_id_id_key" ON "facilities"("organization_id", "id");

-- CreateIndex
CREATE INDEX "emission_records_organization_id_recorded_on_id_idx" ON "emission_records"("organization_id", "recorded_on", "id");

-- CreateIndex
CREATE INDEX "emission_records_organization_id_facility_id_idx" ON "emission_records"("organization_id", "facility_id");

-- CreateIndex
CREATE INDEX "emission_days_organization_id_grain_recorded_on_part_scope_idx" ON "emission_days"("organization_id", "grain", "recorded_on", "part", "scope");

-- CreateIndex
CREATE UNIQUE INDEX "compliance_deadlines_organization_id_due_date_framework_tit_key" ON "compliance_deadlines"("organization_id", "due_date", "framework", "title");

-- CreateIndex
CREATE INDEX "credit_batches_organization_id_credit_type_reference_idx" ON "credit_batches"("organization_id", "credit_type", "reference");

-- CreateIndex
CREATE UNIQUE INDEX "credit_batches_organization_id_reference_key" ON "credit_batches"("organization_id", "reference");

-- CreateIndex
CREATE UNIQUE INDEX "credit_batches_organization_id_id_key" ON "credit_batches"("organization_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "credit_sales_organization_id_batch_id_reference_key" ON "credit_sales"("organization_id", "batch_id", "reference");

-- CreateIndex
CREATE INDEX "credit_retirements_organization_id_batch_id_retired_on_idx" ON "credit_retirements"("organization_id", "batch_id", "retired_on");

-- CreateIndex
CREATE INDEX "credit_retirements_organization_id_retired_on_reference_idx" ON "credit_retirements"("organization_id", "retired_on", "reference");

-- CreateIndex
CREATE UNIQUE INDEX "credit_retirements_organization_id_reference_key" ON "credit_retirements"("organization_id", "reference");

-- CreateIndex
CREATE UNIQUE INDEX "benchmarks_sector_unit_source_source_year_key" ON "benchmarks"("sector", "unit", "source", "source_year") NULLS NOT DISTINCT;

-- CreateIndex
CREATE UNIQUE INDEX "market_prices_organization_id_credit_type_exchange_as_of_key" ON "market_prices"("organization_id", "credit_type", "exchange", "as_of") NULLS NOT DISTINCT;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "facilities" ADD CONSTRAINT "facilities_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "emission_records" ADD CONSTRAINT "emission_records_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "emission_records" ADD CONSTRAINT "emission_records_organization_id_facility_id_fkey" FOREIGN KEY ("organization_id", "facility_id") REFERENCES "facilities"("organization_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "emission_days" ADD CONSTRAINT "emission_days_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "compliance_statuses" ADD CONSTRAINT "compliance_statuses_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "compliance_deadlines" ADD CONSTRAINT "compliance_deadlines_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "credit_batches" ADD CONSTRAINT "credit_batches_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "credit_sales" ADD CONSTRAINT "credit_sales_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "credit_sales" ADD CONSTRAINT "credit_sales_organization_id_batch_id_fkey" FOREIGN KEY ("organization_id", "batch_id") REFERENCES "credit_batches"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "credit_retirements" ADD CONSTRAINT "credit_retirements_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "credit_retirements" ADD CONSTRAINT "credit_retirements_organization_id_batch_id_fkey" FOREIGN KEY ("organization_id", "batch_id") REFERENCES "credit_batches"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "market_prices" ADD CONSTRAINT "market_prices_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;


-- What must never be
ALTER TABLE "organizations"
    ADD CONSTRAINT "organizations_slug_form" CHECK ("slug" ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length("slug") <= 63),
    ADD CONSTRAINT "organizations_name_not_blank" CHECK ("name" <> '');

ALTER TABLE "api_keys"
    ADD CONSTRAINT "api_keys_scopes_known" CHECK (
        "scopes" IS NOT NULL AND cardinality("scopes") > 0 AND array_position("scopes", NULL) IS NULL
        AND "scopes" <@ ARRAY['read:emissions', 'read:compliance', 'read:credits', 'read:benchmarks', 'read:market']
    ),
    ADD CONSTRAINT "api_keys_hash_form" CHECK ("hash" ~ '^[0-9a-f]{64}$');

ALTER TABLE "facilities"
    ADD CONSTRAINT "facilities_country_form" CHECK ("country" ~ '^[A-Z]{2}$'),
    ADD CONSTRAINT "facilities_code_not_blank" CHECK ("code" <> '');

ALTER TABLE "emission_records"
    ADD CONSTRAINT "emission_records_co2e_tonnes_not_negative" CHECK ("co2e_tonnes" >= 0 AND "co2e_tonnes" <> 'NaN'),
    ADD CONSTRAINT "emission_records_category_not_blank" CHECK ("category" <> '');

ALTER TABLE "compliance_deadlines"
    ADD CONSTRAINT "compliance_deadlines_not_blank" CHECK ("title" <> '' AND "status" <> '');

ALTER TABLE "credit_batches"
    ADD CONSTRAINT "credit_batches_quantity_range" CHECK ("quantity" BETWEEN 1 AND 9007199254740991),
    ADD CONSTRAINT "credit_batches_not_blank" CHECK ("reference" <> '' AND "credit_type" <> ''),
    ADD CONSTRAINT "credit_batches_available_not_negative" CHECK ("available" >= 0);

ALTER TABLE "credit_sales"
    ADD CONSTRAINT "credit_sales_quantity_positive" CHECK ("quantity" > 0);

ALTER TABLE "credit_retirements"
    ADD CONSTRAINT "credit_retirements_quantity_positive" CHECK ("quantity" > 0);

ALTER TABLE "benchmarks"
    ADD CONSTRAINT "benchmarks_intensity_is_number" CHECK ("intensity" <> 'NaN');

ALTER TABLE "market_prices"
    ADD CONSTRAINT "market_prices_price_not_negative" CHECK ("price" >= 0 AND "price" <> 'NaN'),
    ADD CONSTRAINT "market_prices_change_is_number" CHECK ("change_pct_24h" <> 'NaN'),
    ADD CONSTRAINT "market_prices_currency_form" CHECK ("currency" ~ '^[A-Z]{3}$');

-- A batch's sold, retired and available follow from its sales and retirements, whoever writes them
CREATE FUNCTION credit_batch_keep_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Only the triggers on sales and retirements may move these two.
    IF TG_OP = 'INSERT' THEN
        NEW.sold := 0;
        NEW.retired := 0;
    ELSIF pg_trigger_depth() < 2 THEN
        NEW.sold := OLD.sold;
        NEW.retired := OLD.retired;
    END IF;
    NEW.available := NEW.quantity - NEW.sold - NEW.retired;
    RETURN NEW;
END $$;

CREATE TRIGGER credit_batch_keep_balance BEFORE INSERT OR UPDATE ON "credit_batches"
    FOR EACH ROW EXECUTE FUNCTION credit_batch_keep_balance();

CREATE FUNCTION credit_batch_apply_movement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        EXECUTE format('UPDATE credit_batches SET %1$I = %1$I - $1 WHERE organization_id = $2 AND id = $3', TG_ARGV[0])
            USING OLD.quantity, OLD.organization_id, OLD.batch_id;
    END IF;
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        EXECUTE format('UPDATE credit_batches SET %1$I = %1$I + $1 WHERE organization_id = $2 AND id = $3', TG_ARGV[0])
            USING NEW.quantity, NEW.organization_id, NEW.batch_id;
    END IF;
    IF TG_OP = 'TRUNCATE' THEN
        EXECUTE format('UPDATE credit_batches SET %1$I = 0 WHERE %1$I <> 0', TG_ARGV[0]);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER credit_sales_move AFTER INSERT OR UPDATE OR DELETE ON "credit_sales"
    FOR EACH ROW EXECUTE FUNCTION credit_batch_apply_movement('sold');
CREATE TRIGGER credit_sales_truncate AFTER TRUNCATE ON "credit_sales"
    FOR EACH STATEMENT EXECUTE FUNCTION credit_batch_apply_movement('sold');
CREATE TRIGGER credit_retirements_move AFTER INSERT OR UPDATE OR DELETE ON "credit_retirements"
    FOR EACH ROW EXECUTE FUNCTION credit_batch_apply_movement('retired');
CREATE TRIGGER credit_retirements_truncate AFTER TRUNCATE ON "credit_retirements"
    FOR EACH STATEMENT EXECUTE FUNCTION credit_batch_apply_movement('retired');

-- emission_days follows emission_records, whoever writes them. For each day and scope it has the sum of all records, the
-- sums by facility and those by category; `part` is the facility's id or the category, '' where a record names none.
-- What a key sums up to may lie in several rows: a writer takes the rows that no other transaction is changing, and
-- leaves one in their place. So writers of the same day never wait for each other, and no change is lost.
CREATE FUNCTION emission_days_follow() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    added CONSTANT text := 'SELECT organization_id, recorded_on, scope, facility_id, category, co2e_tonnes AS amount, 1 AS n FROM added';
    removed CONSTANT text := 'SELECT organization_id, recorded_on, scope, facility_id, category, -co2e_tonnes AS amount, -1 AS n FROM removed';
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        TRUNCATE emission_days;
        RETURN NULL;
    END IF;
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
            SELECT d.id FROM emission_days d JOIN sums s
                ON (d.organization_id, d.grain, d.recorded_on, d.part, d.scope)
                 = (s.organization_id, s.grain, s.recorded_on, s.part, s.scope)
            FOR UPDATE OF d SKIP LOCKED
        ),
        taken AS (DELETE FROM emission_days d USING held WHERE d.id = held.id RETURNING d.*)
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

CREATE TRIGGER emission_records_insert AFTER INSERT ON "emission_records" REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION emission_days_follow();
CREATE TRIGGER emission_records_update AFTER UPDATE ON "emission_records" REFERENCING NEW TABLE AS added OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION emission_days_follow();
CREATE TRIGGER emission_records_delete AFTER DELETE ON "emission_records" REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION emission_days_follow();
CREATE TRIGGER emission_records_truncate AFTER TRUNCATE ON "emission_records"
    FOR EACH STATEMENT EXECUTE FUNCTION emission_days_follow();
