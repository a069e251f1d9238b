-- What people write: records with their calculation, facilities that are archived, business metrics, frameworks, deadlines,
-- CCTS periods, sales and retirements. Everything of it is audited, and kept to one organization.

-- A deleted record stays, with `deleted_at`; a new one under the same identity takes its place. `factor_id` has no foreign key:
-- it would make every import slower, and `calculation` holds what the factor said.
ALTER TABLE "emission_records"
    ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1,
    ADD COLUMN "deleted_at" TIMESTAMPTZ(3),
    ADD COLUMN "created_by" UUID,
    ADD COLUMN "updated_at" TIMESTAMPTZ(3),
    ADD COLUMN "activity" JSONB,
    ADD COLUMN "factor_id" UUID,
    ADD COLUMN "calculation" JSONB,
    ADD COLUMN "market_based_tonnes" DECIMAL(24,6),
    ADD COLUMN "note" TEXT,
    ADD CONSTRAINT "emission_records_deleted_at_range" CHECK ("deleted_at" >= '0001-01-01 00:00:00Z' AND "deleted_at" < '10000-01-01 00:00:00Z'),
    ADD CONSTRAINT "emission_records_updated_at_range" CHECK ("updated_at" >= '0001-01-01 00:00:00Z' AND "updated_at" < '10000-01-01 00:00:00Z'),
    ADD CONSTRAINT "emission_records_market_based_tonnes_not_negative" CHECK ("market_based_tonnes" >= 0 AND "market_based_tonnes" <> 'NaN'),
    ADD CONSTRAINT "emission_records_note_length" CHECK (char_length("note") <= 1000);

-- For the sums of market-based amounts, which few records have.
CREATE INDEX "emission_records_market_based_idx" ON "emission_records"("organization_id", "recorded_on")
    WHERE "market_based_tonnes" IS NOT NULL;

-- What an import overwrote of a record beside the columns of the file.
ALTER TABLE "replaced_records" ADD COLUMN "details" JSONB;

ALTER TABLE "facilities"
    ADD COLUMN "archived_at" TIMESTAMPTZ(3),
    ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1,
    ADD CONSTRAINT "facilities_archived_at_range" CHECK ("archived_at" >= '0001-01-01 00:00:00Z' AND "archived_at" < '10000-01-01 00:00:00Z');

-- An amount of something that the business made, sold or had in a month, such as units or revenue.
CREATE TABLE "business_metrics" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "unit" TEXT NOT NULL,
    "month" DATE NOT NULL,
    "value" DECIMAL(24,6) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "business_metrics_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "business_metrics_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "business_metrics_name_length" CHECK (char_length("name") BETWEEN 1 AND 200),
    CONSTRAINT "business_metrics_unit_length" CHECK (char_length("unit") BETWEEN 1 AND 200),
    CONSTRAINT "business_metrics_month_range" CHECK ("month" BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT "business_metrics_month_first_day" CHECK (extract(day FROM "month") = 1),
    CONSTRAINT "business_metrics_value_not_negative" CHECK ("value" >= 0 AND "value" <> 'NaN')
);
CREATE UNIQUE INDEX "business_metrics_organization_id_name_month_key" ON "business_metrics"("organization_id", "name", "month");

ALTER TABLE "compliance_statuses"
    ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1,
    ADD COLUMN "note" TEXT,
    ADD CONSTRAINT "compliance_statuses_note_length" CHECK (char_length("note") <= 1000);

CREATE TYPE "recurrence" AS ENUM ('annual', 'quarterly', 'monthly');

-- `catalogue_id` names the entry of the catalogue that it was adopted from.
ALTER TABLE "compliance_deadlines"
    ADD COLUMN "completed_on" DATE,
    ADD COLUMN "evidence" TEXT,
    ADD COLUMN "source" TEXT,
    ADD COLUMN "source_url" TEXT,
    ADD COLUMN "recurrence" "recurrence",
    ADD COLUMN "catalogue_id" TEXT COLLATE "C",
    ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1,
    ADD CONSTRAINT "compliance_deadlines_completed_on_range" CHECK ("completed_on" BETWEEN '0001-01-01' AND '9999-12-31'),
    ADD CONSTRAINT "compliance_deadlines_evidence_length" CHECK (char_length("evidence") <= 1000),
    ADD CONSTRAINT "compliance_deadlines_source_length" CHECK (char_length("source") <= 1000),
    ADD CONSTRAINT "compliance_deadlines_source_url_length" CHECK (char_length("source_url") <= 2000),
    ADD CONSTRAINT "compliance_deadlines_catalogue_id_length" CHECK (char_length("catalogue_id") <= 200);
CREATE UNIQUE INDEX "compliance_deadlines_organization_id_catalogue_id_key" ON "compliance_deadlines"("organization_id", "catalogue_id");

-- A financial year of an obligated entity in India's Carbon Credit Trading Scheme. Emission intensities (GEI) are tonnes of
-- CO2 equivalent per unit of output; `average_price` is rupees per certificate in the cycle, where the regulator published it.
CREATE TABLE "ccts_periods" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "entity" TEXT COLLATE "C" NOT NULL,
    "financial_year" TEXT COLLATE "C" NOT NULL,
    "target_gei" DECIMAL(24,9) NOT NULL,
    "target_source_url" TEXT NOT NULL,
    "achieved_gei" DECIMAL(24,9) NOT NULL,
    "output" DECIMAL(24,6) NOT NULL,
    "average_price" DECIMAL(24,9),
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "ccts_periods_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "ccts_periods_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "ccts_periods_entity_length" CHECK (char_length("entity") BETWEEN 1 AND 200),
    CONSTRAINT "ccts_periods_financial_year_form" CHECK ("financial_year" ~ '^[0-9]{4}-[0-9]{2}$'),
    CONSTRAINT "ccts_periods_target_source_url_length" CHECK (char_length("target_source_url") BETWEEN 1 AND 2000),
    CONSTRAINT "ccts_periods_not_negative" CHECK ("target_gei" >= 0 AND "achieved_gei" >= 0 AND "output" >= 0 AND "average_price" >= 0
        AND "target_gei" <> 'NaN' AND "achieved_gei" <> 'NaN' AND "output" <> 'NaN' AND "average_price" <> 'NaN')
);
CREATE UNIQUE INDEX "ccts_periods_organization_id_entity_financial_year_key"
    ON "ccts_periods"("organization_id", "entity", "financial_year");

ALTER TABLE "credit_sales"
    ADD COLUMN "sold_on" DATE,
    ADD COLUMN "buyer" TEXT,
    ADD COLUMN "price" DECIMAL(24,9),
    ADD COLUMN "currency" CHAR(3),
    ADD CONSTRAINT "credit_sales_sold_on_range" CHECK ("sold_on" BETWEEN '0001-01-01' AND '9999-12-31'),
    ADD CONSTRAINT "credit_sales_buyer_length" CHECK (char_length("buyer") <= 200),
    ADD CONSTRAINT "credit_sales_price_not_negative" CHECK ("price" >= 0 AND "price" <> 'NaN'),
    ADD CONSTRAINT "credit_sales_currency_form" CHECK ("currency" ~ '^[A-Z]{3}$');

-- Retirements that surrender certificates name the period.
ALTER TABLE "credit_retirements"
    ADD COLUMN "purpose" TEXT,
    ADD COLUMN "ccts_period_id" UUID,
    ADD CONSTRAINT "credit_retirements_purpose_length" CHECK (char_length("purpose") <= 1000),
    ADD CONSTRAINT "credit_retirements_organization_id_ccts_period_id_fkey" FOREIGN KEY ("organization_id", "ccts_period_id")
        REFERENCES "ccts_periods"("organization_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;
CREATE INDEX "credit_retirements_organization_id_ccts_period_id_idx" ON "credit_retirements"("organization_id", "ccts_period_id");

-- Whoever changes a row counts its version, and the time of a record's change.
CREATE FUNCTION count_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    RETURN NEW;
END $$;
CREATE FUNCTION count_record_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    NEW.updated_at := CURRENT_TIMESTAMP;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION credit_batch_apply_movement() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        EXECUTE format('UPDATE credit_batches SET %1$I = %1$I - $1 WHERE organization_id = $2 AND id = $3', TG_ARGV[0])
            USING OLD.quantity, OLD.organization_id, OLD.batch_id;
    END IF;
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        EXECUTE format('UPDATE credit_batches SET %1$I = %1$I + $1 WHERE organization_id = $2 AND id = $3', TG_ARGV[0])
            USING NEW.quantity, NEW.organization_id, NEW.batch_id;
    END IF;
    RETURN NULL;
END $$;

DO $$
DECLARE
    not_replicating CONSTANT text := 'WHEN (current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())';
    name text;
    event text;
BEGIN
    EXECUTE format('ALTER FUNCTION count_version() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    EXECUTE format('ALTER FUNCTION count_record_version() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    EXECUTE format('ALTER FUNCTION credit_batch_apply_movement() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    FOREACH name IN ARRAY ARRAY['emission_records', 'facilities', 'business_metrics', 'compliance_statuses',
        'compliance_deadlines', 'ccts_periods'] LOOP
        EXECUTE format('CREATE TRIGGER %1$s_count_version BEFORE UPDATE ON %1$I FOR EACH ROW %2$s EXECUTE FUNCTION %3$I()', name,
            not_replicating, CASE name WHEN 'emission_records' THEN 'count_record_version' ELSE 'count_version' END);
        EXECUTE format('ALTER TABLE %1$I ENABLE ALWAYS TRIGGER %1$s_count_version', name);
    END LOOP;

    FOREACH name IN ARRAY ARRAY['business_metrics', 'ccts_periods', 'imports'] LOOP
        FOREACH event IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'] LOOP
            EXECUTE format('CREATE TRIGGER %1$s_announce_%2$s AFTER %3$s ON %1$I %4$s FOR EACH STATEMENT EXECUTE FUNCTION announce_changes(%1$L)',
                name, lower(event), event, CASE event WHEN 'INSERT' THEN 'REFERENCING NEW TABLE AS added'
                    WHEN 'UPDATE' THEN 'REFERENCING NEW TABLE AS added OLD TABLE AS removed'
                    WHEN 'DELETE' THEN 'REFERENCING OLD TABLE AS removed' ELSE '' END);
            EXECUTE format('ALTER TABLE %1$I ENABLE ALWAYS TRIGGER %1$s_announce_%2$s', name, lower(event));
        END LOOP;
        EXECUTE format('CREATE TRIGGER %1$s_announce_row AFTER INSERT OR UPDATE OR DELETE ON %1$I
            FOR EACH ROW EXECUTE FUNCTION announce_changed_row(%1$L, ''organization_id'')', name);
        EXECUTE format('ALTER TABLE %1$I ENABLE REPLICA TRIGGER %1$s_announce_row', name);
    END LOOP;
END $$;

-- The sums leave deleted records out. They follow whoever writes, as the balances of batches do, whatever rights that one has.
DO $$
DECLARE
    definition text := pg_get_functiondef('emission_days_follow()'::regprocedure);
BEGIN
    definition := replace(definition, 'FROM added', 'FROM added WHERE deleted_at IS NULL');
    definition := replace(definition, 'FROM removed', 'FROM removed WHERE deleted_at IS NULL');
    EXECUTE definition;
    ALTER FUNCTION emission_days_follow() SECURITY DEFINER;
    -- Else a trigger on anybody's table could move what it never held.
    REVOKE ALL ON FUNCTION emission_days_follow(), credit_batch_apply_movement() FROM PUBLIC;
END $$;

-- TRUNCATE of an audited table is refused, since the trail would not see its rows.
DROP TRIGGER emission_records_truncate ON emission_records;
DROP TRIGGER credit_sales_truncate ON credit_sales;
DROP TRIGGER credit_retirements_truncate ON credit_retirements;
DROP FUNCTION emission_days_empty();

-- The lists of src/data/database/grants.ts.
GRANT SELECT ON "business_metrics", "ccts_periods" TO gateway_writer;
GRANT INSERT (id, organization_id, reference, recorded_on, scope, co2e_tonnes, facility_id, category, source, import_id,
        created_by, activity, factor_id, calculation, market_based_tonnes, note),
    UPDATE (recorded_on, scope, co2e_tonnes, facility_id, category, source, import_id, deleted_at, created_by, activity,
        factor_id, calculation, market_based_tonnes, note), DELETE ON emission_records TO gateway_writer;
GRANT INSERT (id, organization_id, code, name, country, import_id), UPDATE (name, country, archived_at), DELETE
    ON facilities TO gateway_writer;
GRANT INSERT (id, organization_id, file, imported_at), UPDATE (added, updated, unchanged, facilities_created, undone_at)
    ON imports TO gateway_writer;
GRANT INSERT (organization_id, import_id, record_id, recorded_on, scope, co2e_tonnes, facility_id, category, source,
        previous_import_id, details),
    UPDATE (recorded_on, scope, co2e_tonnes, facility_id, category, source, previous_import_id, details), DELETE
    ON replaced_records TO gateway_writer;
GRANT INSERT (id, organization_id, name, unit, month, value), UPDATE (unit, value) ON business_metrics TO gateway_writer;
GRANT INSERT (organization_id, framework, status, last_updated, note), UPDATE (status, last_updated, note)
    ON compliance_statuses TO gateway_writer;
GRANT INSERT (id, organization_id, framework, title, due_date, status, source, source_url, recurrence, catalogue_id),
    UPDATE (title, due_date, status, completed_on, evidence, recurrence) ON compliance_deadlines TO gateway_writer;
GRANT INSERT (id, organization_id, entity, financial_year, target_gei, target_source_url, achieved_gei, output, average_price),
    UPDATE (target_gei, target_source_url, achieved_gei, output, average_price) ON ccts_periods TO gateway_writer;
GRANT INSERT (id, organization_id, reference, credit_type, vintage, quantity) ON credit_batches TO gateway_writer;
GRANT INSERT (id, organization_id, batch_id, reference, quantity, sold_on, buyer, price, currency) ON credit_sales TO gateway_writer;
GRANT INSERT (id, organization_id, batch_id, reference, quantity, retired_on, beneficiary, purpose, ccts_period_id)
    ON credit_retirements TO gateway_writer;

SELECT policy_attach('imports', 'organization_id');
SELECT policy_attach('replaced_records', 'organization_id');
SELECT policy_attach('business_metrics', 'organization_id');
SELECT policy_attach('ccts_periods', 'organization_id');

-- An import stages its file in temporary tables.
DO $$ BEGIN
    IF NOT has_database_privilege('gateway_writer', current_database(), 'TEMPORARY') THEN
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO gateway_writer', current_database());
    END IF;
END $$;

ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_action_known";
-- The list of src/domain/audit-actions.ts.
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_action_known" CHECK ("action" IN (
    'api_key.created', 'api_key.deleted', 'api_key.restored', 'api_key.revoked', 'api_key.rotated', 'api_key.updated',
    'business_metric.created', 'business_metric.deleted', 'business_metric.updated',
    'ccts_period.created', 'ccts_period.deleted', 'ccts_period.updated',
    'credit_batch.created', 'credit_batch.deleted', 'credit_batch.updated',
    'credit_retirement.created', 'credit_retirement.deleted', 'credit_retirement.updated',
    'credit_sale.created', 'credit_sale.deleted', 'credit_sale.updated',
    'deadline.completed', 'deadline.created', 'deadline.deleted', 'deadline.reopened', 'deadline.updated',
    'emission_factor.created', 'emission_factor.deleted', 'emission_factor.updated',
    'emission_record.created', 'emission_record.deleted', 'emission_record.restored', 'emission_record.updated',
    'facility.archived', 'facility.created', 'facility.deleted', 'facility.restored', 'facility.updated',
    'framework.created', 'framework.deleted', 'framework.updated',
    'import.created', 'import.deleted', 'import.undone', 'import.updated',
    'invitation.accepted', 'invitation.created', 'invitation.deleted', 'invitation.revoked', 'invitation.updated',
    'member.created', 'member.deleted', 'member.updated',
    'organization.created', 'organization.deleted', 'organization.updated',
    'session.deleted', 'session.ended', 'session.updated',
    'sign_in_link.created',
    'user.created', 'user.deleted', 'user.disabled', 'user.enabled', 'user.password_changed', 'user.updated')) NOT VALID;

-- Every column of records counts, so that a million of them need not be compared. What a batch has left follows from its
-- sales and retirements, which are told. A version says only that there was a change.
SELECT audit_attach('emission_records', '{"noun": "emission_record", "organization": "organization_id",
    "key": ["organization_id", "id"], "marks": {"deleted_at": ["deleted", "restored"]}, "sum": "co2e_tonnes"}');
SELECT audit_attach('emission_factors', '{"noun": "emission_factor", "organization": "organization_id", "key": ["id"]}');
SELECT audit_attach('facilities', '{"noun": "facility", "organization": "organization_id", "key": ["organization_id", "id"],
    "untold": ["version"], "marks": {"archived_at": ["archived", "restored"]}}');
SELECT audit_attach('imports', '{"noun": "import", "organization": "organization_id", "key": ["organization_id", "id"],
    "untold": ["added", "updated", "unchanged", "facilities_created"], "marks": {"undone_at": ["undone"]}}');
SELECT audit_attach('business_metrics', '{"noun": "business_metric", "organization": "organization_id",
    "key": ["organization_id", "id"], "untold": ["version"]}');
SELECT audit_attach('compliance_statuses', '{"noun": "framework", "organization": "organization_id",
    "key": ["organization_id", "framework"], "untold": ["version"]}');
SELECT audit_attach('compliance_deadlines', '{"noun": "deadline", "organization": "organization_id",
    "key": ["organization_id", "id"], "untold": ["version"], "marks": {"completed_on": ["completed", "reopened"]}}');
SELECT audit_attach('ccts_periods', '{"noun": "ccts_period", "organization": "organization_id",
    "key": ["organization_id", "id"], "untold": ["version"]}');
SELECT audit_attach('credit_batches', '{"noun": "credit_batch", "organization": "organization_id",
    "key": ["organization_id", "id"], "untold": ["sold", "retired", "available"]}');
SELECT audit_attach('credit_sales', '{"noun": "credit_sale", "organization": "organization_id",
    "key": ["organization_id", "id"], "sum": "quantity"}');
SELECT audit_attach('credit_retirements', '{"noun": "credit_retirement", "organization": "organization_id",
    "key": ["organization_id", "id"], "sum": "quantity"}');
