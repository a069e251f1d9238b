-- A statement that marks more than 100 records as deleted, as undoing an import does, is told as `emission_record.deleted`,
-- and deleted records count nothing in the sums of an entry.

-- No audit entry may wait while its function is replaced.
SET CONSTRAINTS ALL IMMEDIATE;

DO $$
DECLARE
    definition text := pg_get_functiondef('audit_record()'::regprocedure);
BEGIN
    definition := replace(definition, 'verb CONSTANT text :=', 'verb text :=');
    definition := replace(definition, '    ELSE
        EXECUTE format($sql$', '    ELSE
        IF TG_OP = ''UPDATE'' AND marks ? ''deleted_at'' THEN
            EXECUTE ''SELECT CASE WHEN EXISTS (SELECT FROM added WHERE deleted_at IS NULL)
                OR EXISTS (SELECT FROM removed WHERE deleted_at IS NOT NULL) THEN $1 ELSE $2 END'' INTO verb USING verb, marks -> ''deleted_at'' ->> 0;
        END IF;
        EXECUTE format($sql$');
    definition := replace(definition, 'coalesce(quote_ident(summed), ''NULL::numeric'')',
        'coalesce(CASE WHEN marks ? ''deleted_at'' THEN format(''CASE WHEN deleted_at IS NULL THEN %I END'', summed) ELSE quote_ident(summed) END, ''NULL::numeric'')');
    IF definition NOT LIKE '%verb text :=%INTO verb USING%CASE WHEN deleted_at IS NULL THEN %I END%' THEN
        RAISE EXCEPTION 'audit_record() is not as it was before this migration';
    END IF;
    EXECUTE definition;
END $$;

-- Undoing an import looks for what later imports saved of it. Without this index it read all saved records for each one.
CREATE INDEX "replaced_records_organization_id_previous_import_id_idx" ON "replaced_records" ("organization_id", "previous_import_id")
    WHERE "previous_import_id" IS NOT NULL;
