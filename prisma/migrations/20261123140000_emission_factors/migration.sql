-- Emission factors: those of publications, which everybody sees, and an organization's own.

CREATE TYPE "calorific_value" AS ENUM ('gross', 'net');

CREATE TABLE "emission_factors" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID,
    "activity" TEXT COLLATE "C" NOT NULL,
    "other_name" TEXT COLLATE "C",
    "detail" TEXT COLLATE "C",
    "region" TEXT COLLATE "C" NOT NULL,
    "scope" "emission_scope" NOT NULL,
    "category" TEXT COLLATE "C" NOT NULL,
    "gas" TEXT COLLATE "C" NOT NULL,
    "factor" DECIMAL(36,18) NOT NULL,
    "unit" TEXT COLLATE "C" NOT NULL,
    "dimension" TEXT COLLATE "C" NOT NULL,
    "qualifier" "calorific_value",
    "source" TEXT COLLATE "C" NOT NULL,
    "source_url" TEXT NOT NULL,
    "source_year" INTEGER NOT NULL,
    "source_factor_id" TEXT COLLATE "C",
    "verified" BOOLEAN NOT NULL,

    CONSTRAINT "emission_factors_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "emission_factors_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "emission_factors_activity_length" CHECK (char_length("activity") <= 200),
    CONSTRAINT "emission_factors_other_name_length" CHECK (char_length("other_name") <= 200),
    CONSTRAINT "emission_factors_detail_length" CHECK (char_length("detail") <= 200),
    CONSTRAINT "emission_factors_region_length" CHECK (char_length("region") <= 200),
    CONSTRAINT "emission_factors_category_length" CHECK (char_length("category") <= 200),
    CONSTRAINT "emission_factors_gas_length" CHECK (char_length("gas") <= 200),
    CONSTRAINT "emission_factors_unit_length" CHECK (char_length("unit") <= 200),
    CONSTRAINT "emission_factors_dimension_length" CHECK (char_length("dimension") <= 200),
    CONSTRAINT "emission_factors_source_length" CHECK (char_length("source") <= 1000),
    CONSTRAINT "emission_factors_source_url_length" CHECK (char_length("source_url") <= 2000),
    CONSTRAINT "emission_factors_source_factor_id_length" CHECK (char_length("source_factor_id") <= 200),
    CONSTRAINT "emission_factors_factor_not_negative" CHECK ("factor" >= 0 AND "factor" <> 'NaN')
);

CREATE INDEX "emission_factors_activity_region_id_idx" ON "emission_factors"("activity", "region", "id");
CREATE INDEX "emission_factors_organization_id_idx" ON "emission_factors"("organization_id");

-- As for market prices: what is everybody's is announced to all.
CREATE TRIGGER emission_factors_announce_insert AFTER INSERT ON emission_factors REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('emission_factors');
CREATE TRIGGER emission_factors_announce_update AFTER UPDATE ON emission_factors REFERENCING NEW TABLE AS added OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('emission_factors');
CREATE TRIGGER emission_factors_announce_delete AFTER DELETE ON emission_factors REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('emission_factors');
CREATE TRIGGER emission_factors_announce_truncate AFTER TRUNCATE ON emission_factors
    FOR EACH STATEMENT EXECUTE FUNCTION announce_changes('emission_factors');
CREATE TRIGGER emission_factors_announce_row AFTER INSERT OR UPDATE OR DELETE ON emission_factors
    FOR EACH ROW EXECUTE FUNCTION announce_changed_row('emission_factors', 'organization_id');
ALTER TABLE emission_factors
    ENABLE ALWAYS TRIGGER emission_factors_announce_insert,
    ENABLE ALWAYS TRIGGER emission_factors_announce_update,
    ENABLE ALWAYS TRIGGER emission_factors_announce_delete,
    ENABLE ALWAYS TRIGGER emission_factors_announce_truncate,
    ENABLE REPLICA TRIGGER emission_factors_announce_row;

GRANT SELECT, INSERT (id, organization_id, activity, region, scope, category, gas, factor, unit, dimension, qualifier, source,
    source_url, source_year, verified) ON emission_factors TO gateway_writer;
DO $$ BEGIN PERFORM policy_attach('emission_factors', 'organization_id'); END $$;
