-- What events of imports need of the audit trail: an entry once an import is complete, after those of its rows, and the
-- import of many records that one entry has.

SELECT audit_allow('import.completed');

-- The counts of an import are its completion.
DROP TRIGGER "imports_audit_update" ON "imports";
DROP TRIGGER "imports_audit_truncate" ON "imports";
SELECT audit_attach('imports', '{"noun": "import", "organization": "organization_id", "key": ["organization_id", "id"],
    "marks": {"undone_at": ["undone"]}}', '{UPDATE}');

CREATE FUNCTION audit_note_import() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.entry := jsonb_set(NEW.entry, '{changes,import_id}', to_jsonb(current_setting('gateway.import')));
    RETURN NEW;
END $$;

DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION audit_note_import() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $$;
REVOKE ALL ON FUNCTION audit_note_import() FROM PUBLIC;

CREATE TRIGGER audit_pending_note_import BEFORE INSERT ON "audit_pending" FOR EACH ROW
    WHEN (NEW.entry #>> '{target,type}' = 'emission_record' AND NEW.entry #>> '{target,id}' IS NULL
        AND nullif(current_setting('gateway.import', true), '') IS NOT NULL)
    EXECUTE FUNCTION audit_note_import();
ALTER TABLE "audit_pending" ENABLE ALWAYS TRIGGER audit_pending_note_import;
