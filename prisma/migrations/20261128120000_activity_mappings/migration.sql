-- The emission factor that an organization has chosen for a text of its files, such as "Strom Werk 2". The key is the text
-- without differences of case, accents and spaces, the kind of unit, and the region; an empty region is any. `factor_id` has
-- no foreign key, as that of records has none.
CREATE TABLE "activity_mappings" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "text_key" TEXT COLLATE "C" NOT NULL,
    "unit" TEXT NOT NULL,
    "unit_key" TEXT COLLATE "C" NOT NULL,
    "unit_as" TEXT,
    "region" TEXT COLLATE "C" NOT NULL,
    "factor_id" UUID NOT NULL,
    "fixed_year" BOOLEAN NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_by" UUID,
    "set_by" UUID,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "activity_mappings_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "activity_mappings_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "activity_mappings_text_length" CHECK (char_length("text") BETWEEN 1 AND 200),
    CONSTRAINT "activity_mappings_text_key_length" CHECK (char_length("text_key") BETWEEN 1 AND 200),
    CONSTRAINT "activity_mappings_unit_length" CHECK (char_length("unit") BETWEEN 1 AND 200),
    CONSTRAINT "activity_mappings_unit_key_length" CHECK (char_length("unit_key") BETWEEN 1 AND 250),
    CONSTRAINT "activity_mappings_unit_as_length" CHECK (char_length("unit_as") BETWEEN 1 AND 200),
    CONSTRAINT "activity_mappings_region_length" CHECK (char_length("region") <= 200),
    CONSTRAINT "activity_mappings_updated_at_range" CHECK ("updated_at" >= '0001-01-01 00:00:00Z' AND "updated_at" < '10000-01-01 00:00:00Z')
);
CREATE UNIQUE INDEX "activity_mappings_organization_id_text_key_unit_key_region_key"
    ON "activity_mappings"("organization_id", "text_key", "unit_key", "region");

-- Counts the records that a mapping calculated. Records that no mapping calculated cost it nothing.
CREATE INDEX "emission_records_mapping_idx" ON "emission_records"("organization_id", ("calculation" ->> 'mappingId'))
    WHERE ("calculation" ->> 'mappingId') IS NOT NULL;

SELECT version_attach('activity_mappings');
SELECT announce_attach('activity_mappings', true);
SELECT policy_attach('activity_mappings', 'organization_id');

-- The lists of src/data/database/schema/grants.ts.
GRANT SELECT ON activity_mappings TO gateway_writer;
GRANT INSERT (organization_id, text, text_key, unit, unit_key, unit_as, region, factor_id, fixed_year, created_by, set_by, updated_at),
    UPDATE (text, unit, unit_as, factor_id, fixed_year, set_by, updated_at), DELETE ON activity_mappings TO gateway_writer;

SELECT audit_allow('activity_mapping.created', 'activity_mapping.deleted', 'activity_mapping.updated');
SELECT audit_attach('activity_mappings', '{"noun": "activity_mapping", "organization": "organization_id",
    "key": ["organization_id", "id"], "untold": ["version", "text_key", "unit_key", "updated_at"]}');
