-- Declarations of imports under the EU's Carbon Border Adjustment Mechanism, one for an organization and year.
CREATE TYPE "cbam_declaration_status" AS ENUM ('draft', 'submitted', 'amended');
CREATE TYPE "cbam_quarter" AS ENUM ('Q1', 'Q2', 'Q3', 'Q4');
CREATE TYPE "cbam_basis" AS ENUM ('default', 'actual');

-- `assessment` is what the imports made when they were submitted, with the digest of the figures.
CREATE TABLE "cbam_declarations" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "year" INTEGER NOT NULL,
    "status" "cbam_declaration_status" NOT NULL DEFAULT 'draft',
    "certificates_held" BIGINT,
    "assessment" JSONB,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "cbam_declarations_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "cbam_declarations_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "cbam_declarations_year_range" CHECK ("year" BETWEEN 2026 AND 2034),
    CONSTRAINT "cbam_declarations_certificates_held_range" CHECK ("certificates_held" BETWEEN 0 AND 9007199254740991),
    CONSTRAINT "cbam_declarations_assessed_when_submitted" CHECK (("status" = 'submitted') = ("assessment" IS NOT NULL))
);
CREATE UNIQUE INDEX "cbam_declarations_organization_id_year_key" ON "cbam_declarations"("organization_id", "year");

-- `direct_tco2e_per_t` and `indirect_tco2e_per_t` are actual emissions; `precursors` is a list of {cnCode, massT, route}.
CREATE TABLE "cbam_imports" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "declaration_id" UUID NOT NULL,
    "quarter" "cbam_quarter" NOT NULL,
    "cn_code" TEXT COLLATE "C" NOT NULL,
    "country" CHAR(2) NOT NULL,
    "mass_t" DECIMAL(24,6) NOT NULL,
    "basis" "cbam_basis" NOT NULL,
    "route" TEXT,
    "good" TEXT,
    "direct_tco2e_per_t" DECIMAL(24,9),
    "indirect_tco2e_per_t" DECIMAL(24,9),
    "precursors" JSONB NOT NULL,
    "reduction_tco2e" DECIMAL(24,6) NOT NULL,

    CONSTRAINT "cbam_imports_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "cbam_imports_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "cbam_imports_organization_id_declaration_id_fkey" FOREIGN KEY ("organization_id", "declaration_id")
        REFERENCES "cbam_declarations"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "cbam_imports_cn_code_form" CHECK ("cn_code" ~ '^[0-9]{4,8}$'),
    CONSTRAINT "cbam_imports_country_form" CHECK ("country" ~ '^[A-Z]{2}$'),
    CONSTRAINT "cbam_imports_route_length" CHECK (char_length("route") <= 200),
    CONSTRAINT "cbam_imports_good_length" CHECK (char_length("good") <= 200),
    CONSTRAINT "cbam_imports_mass_t_positive" CHECK ("mass_t" > 0 AND "mass_t" <> 'NaN'),
    CONSTRAINT "cbam_imports_not_negative" CHECK ("direct_tco2e_per_t" >= 0 AND "indirect_tco2e_per_t" >= 0 AND "reduction_tco2e" >= 0
        AND "direct_tco2e_per_t" <> 'NaN' AND "indirect_tco2e_per_t" <> 'NaN' AND "reduction_tco2e" <> 'NaN'),
    CONSTRAINT "cbam_imports_actual_direct" CHECK (("basis" = 'actual') = ("direct_tco2e_per_t" IS NOT NULL))
);
CREATE INDEX "cbam_imports_organization_id_declaration_id_idx" ON "cbam_imports"("organization_id", "declaration_id");

DO $$
DECLARE
    not_replicating CONSTANT text := 'WHEN (current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())';
    name text;
    event text;
BEGIN
    EXECUTE format('CREATE TRIGGER cbam_declarations_count_version BEFORE UPDATE ON cbam_declarations FOR EACH ROW %s
        EXECUTE FUNCTION count_version()', not_replicating);
    ALTER TABLE cbam_declarations ENABLE ALWAYS TRIGGER cbam_declarations_count_version;

    FOREACH name IN ARRAY ARRAY['cbam_declarations', 'cbam_imports'] LOOP
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

-- The lists of src/data/database/grants.ts.
GRANT SELECT ON "cbam_declarations", "cbam_imports" TO gateway_writer;
GRANT INSERT (id, organization_id, year), UPDATE (year, status, certificates_held, assessment) ON cbam_declarations TO gateway_writer;
GRANT INSERT (id, organization_id, declaration_id, quarter, cn_code, country, mass_t, basis, route, good, direct_tco2e_per_t,
        indirect_tco2e_per_t, precursors, reduction_tco2e), DELETE ON cbam_imports TO gateway_writer;

SELECT policy_attach('cbam_declarations', 'organization_id');
SELECT policy_attach('cbam_imports', 'organization_id');

-- Adds to the list of src/domain/audit-actions.ts.
DO $$
DECLARE
    present CONSTANT text := (SELECT pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid = 'audit_entries'::regclass AND conname = 'audit_entries_action_known');
BEGIN
    ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_action_known;
    EXECUTE 'ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_action_known ' || replace(present, 'ARRAY[', 'ARRAY['
        '''cbam_declaration.amended''::text, ''cbam_declaration.created''::text, ''cbam_declaration.deleted''::text, '
        '''cbam_declaration.submitted''::text, ''cbam_declaration.updated''::text, '
        '''cbam_import.created''::text, ''cbam_import.deleted''::text, ''cbam_import.updated''::text, ');
END $$;

SELECT audit_attach('cbam_declarations', '{"noun": "cbam_declaration", "organization": "organization_id",
    "key": ["organization_id", "id"], "untold": ["version"], "marks": {"assessment": ["submitted", "amended"]}}');
SELECT audit_attach('cbam_imports', '{"noun": "cbam_import", "organization": "organization_id", "key": ["organization_id", "id"],
    "sum": "mass_t"}');
