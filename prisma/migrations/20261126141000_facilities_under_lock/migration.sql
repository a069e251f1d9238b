-- Refuses a change of the code, name or country of a facility that has records in a locked period: readers of the records
-- go by them. Waits for a submission, as a write of the records does.
CREATE FUNCTION facilities_keep_locked() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    lock record;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(period_lock_key(OLD.organization_id));
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        PERFORM FROM organizations WHERE id = OLD.organization_id FOR SHARE;
    END IF;
    SELECT l.* INTO lock FROM period_locks AS l
    WHERE l.organization_id = OLD.organization_id AND EXISTS (
        SELECT FROM emission_records AS r WHERE r.organization_id = OLD.organization_id AND r.facility_id = OLD.id
            AND r.deleted_at IS NULL AND r.scope = ANY (l.scopes) AND r.recorded_on BETWEEN l.period_from AND l.period_to)
    LIMIT 1;
    IF FOUND THEN
        PERFORM period_lock_refuse(lock.organization_id, lock.request_id);
    END IF;
    RETURN NULL;
EXCEPTION WHEN SQLSTATE 'CGW01' THEN
    RAISE EXCEPTION 'Facility % keeps its code, name and country: %', OLD.code, SQLERRM USING ERRCODE = 'CGW01',
        COLUMN = CASE WHEN OLD.name <> NEW.name THEN 'name' WHEN OLD.code <> NEW.code THEN 'code' ELSE 'country' END;
END $$;

DO $$
BEGIN
    CREATE TRIGGER facilities_keep_locked AFTER UPDATE ON facilities FOR EACH ROW
        WHEN ((OLD.code IS DISTINCT FROM NEW.code OR OLD.name IS DISTINCT FROM NEW.name
                OR OLD.country IS DISTINCT FROM NEW.country)
            AND (current_setting('session_replication_role') <> 'replica' OR NOT is_replicating()))
        EXECUTE FUNCTION facilities_keep_locked();
    ALTER TABLE facilities ENABLE ALWAYS TRIGGER facilities_keep_locked;
    EXECUTE format('ALTER FUNCTION facilities_keep_locked() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION facilities_keep_locked() FROM PUBLIC;
END $$;
