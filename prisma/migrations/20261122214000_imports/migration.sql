-- Every import of a file, so that it can be taken back: a record or facility that an import wrote bears its id.
CREATE TABLE "imports" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "file" TEXT NOT NULL,
    "imported_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "added" BIGINT NOT NULL DEFAULT 0,
    "updated" BIGINT NOT NULL DEFAULT 0,
    "unchanged" BIGINT NOT NULL DEFAULT 0,
    "facilities_created" INTEGER NOT NULL DEFAULT 0,
    "undone_at" TIMESTAMPTZ(3),

    CONSTRAINT "imports_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "imports_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "imports_file_length" CHECK (char_length("file") <= 1000),
    CONSTRAINT "imports_imported_at_range" CHECK ("imported_at" >= '0001-01-01 00:00:00Z' AND "imported_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "imports_undone_at_range" CHECK ("undone_at" >= '0001-01-01 00:00:00Z' AND "undone_at" < '10000-01-01 00:00:00Z')
);

-- What the records that an import updated were before, and which import, if any, they bore.
CREATE TABLE "replaced_records" (
    "organization_id" UUID NOT NULL,
    "import_id" UUID NOT NULL,
    "record_id" UUID NOT NULL,
    "recorded_on" DATE NOT NULL,
    "scope" "emission_scope" NOT NULL,
    "co2e_tonnes" DECIMAL(24,6) NOT NULL,
    "facility_id" UUID,
    "category" TEXT COLLATE "C",
    "source" TEXT COLLATE "C",
    "previous_import_id" UUID,

    CONSTRAINT "replaced_records_pkey" PRIMARY KEY ("organization_id", "import_id", "record_id"),
    CONSTRAINT "replaced_records_organization_id_import_id_fkey" FOREIGN KEY ("organization_id", "import_id")
        REFERENCES "imports"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "replaced_records_recorded_on_range" CHECK ("recorded_on" BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT "replaced_records_category_length" CHECK (char_length("category") <= 200),
    CONSTRAINT "replaced_records_source_length" CHECK (char_length("source") <= 1000)
);

-- Without an index, and a foreign key: each would make every import slower, and only taking one back reads the column.
ALTER TABLE "emission_records" ADD COLUMN "import_id" UUID;
ALTER TABLE "facilities" ADD COLUMN "import_id" UUID;

-- A record that anything but an import changes, such as a bundle or plain SQL, is no longer the import's.
CREATE FUNCTION emission_record_leave_import() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.import_id := NULL;
    RETURN NEW;
END $$;

DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION emission_record_leave_import() SET search_path = %I, pg_catalog, pg_temp', current_schema());
END $$;

CREATE TRIGGER emission_records_leave_import BEFORE UPDATE ON "emission_records"
    FOR EACH ROW WHEN (NEW.import_id = OLD.import_id AND (current_setting('session_replication_role') <> 'replica' OR NOT is_replicating()))
    EXECUTE FUNCTION emission_record_leave_import();
ALTER TABLE "emission_records" ENABLE ALWAYS TRIGGER emission_records_leave_import;
