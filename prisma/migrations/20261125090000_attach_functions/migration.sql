-- What every new table needs, each in one call: see also audit_attach and policy_attach.

-- Has the versions of a table's rows counted.
CREATE FUNCTION version_attach(name regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER %1$s_count_version BEFORE UPDATE ON %1$s FOR EACH ROW
        WHEN (current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())
        EXECUTE FUNCTION count_version()', name);
    EXECUTE format('ALTER TABLE %1$s ENABLE ALWAYS TRIGGER %1$s_count_version', name);
END $$;

-- Has changes of a table announced to gateways, which remember what they read: to those who know the organization in
-- `organization_id`, or to all if rows belong to none.
CREATE FUNCTION announce_attach(name regclass, has_organization boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    event text;
BEGIN
    IF has_organization THEN
        FOREACH event IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'] LOOP
            EXECUTE format('CREATE TRIGGER %1$s_announce_%2$s AFTER %3$s ON %1$s %4$s FOR EACH STATEMENT EXECUTE FUNCTION announce_changes(%1$L)',
                name, lower(event), event, CASE event WHEN 'INSERT' THEN 'REFERENCING NEW TABLE AS added'
                    WHEN 'UPDATE' THEN 'REFERENCING NEW TABLE AS added OLD TABLE AS removed'
                    WHEN 'DELETE' THEN 'REFERENCING OLD TABLE AS removed' ELSE '' END);
            EXECUTE format('ALTER TABLE %1$s ENABLE ALWAYS TRIGGER %1$s_announce_%2$s', name, lower(event));
        END LOOP;
        EXECUTE format('CREATE TRIGGER %1$s_announce_row AFTER INSERT OR UPDATE OR DELETE ON %1$s
            FOR EACH ROW EXECUTE FUNCTION announce_changed_row(%1$L, ''organization_id'')', name);
    ELSE
        EXECUTE format('CREATE TRIGGER %1$s_announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %1$s
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes_to_all()', name);
        EXECUTE format('ALTER TABLE %1$s ENABLE ALWAYS TRIGGER %1$s_announce', name);
        EXECUTE format('CREATE TRIGGER %1$s_announce_row AFTER INSERT OR UPDATE OR DELETE ON %1$s
            FOR EACH ROW EXECUTE FUNCTION announce_changed_row(%1$L)', name);
    END IF;
    -- Replication applies rows, for which no statement trigger fires.
    EXECUTE format('ALTER TABLE %1$s ENABLE REPLICA TRIGGER %1$s_announce_row', name);
END $$;

-- Adds to the actions that the audit trail knows: the list of src/domain/audit-actions.ts.
CREATE FUNCTION audit_allow(VARIADIC actions text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    present CONSTANT text := (SELECT pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid = 'audit_entries'::regclass AND conname = 'audit_entries_action_known');
BEGIN
    ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_action_known;
    EXECUTE 'ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_action_known ' || replace(present, 'ARRAY[', 'ARRAY['
        || (SELECT string_agg(quote_literal(action) || '::text, ', '') FROM unnest(actions) AS action));
END $$;

DO $$
DECLARE
    name regprocedure;
BEGIN
    FOREACH name IN ARRAY ARRAY['version_attach(regclass)', 'announce_attach(regclass, boolean)', 'audit_allow(text[])']::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
    END LOOP;
END $$;
