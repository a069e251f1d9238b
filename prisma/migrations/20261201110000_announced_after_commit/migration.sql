-- Announcements after the commit. PostgreSQL commits transactions that have notified one after another, each only once the
-- WAL of the one before is flushed. A transaction with the setting gateway.announced = 'after' gathers its announcements in
-- the session's setting gateway.changes instead. Its writer sends them after the COMMIT, in a transaction that writes
-- nothing and so has nothing to flush, and resets the setting.

-- Listeners look once a second for sets that nobody announced to them, because their writer died.
CREATE INDEX "change_sets_stamp_idx" ON "change_sets"("stamp");

-- Announces changed rows of a table to gateways. `owners` are their organizations; null stands for rows without one. The
-- last word of a message is the transaction, as change_sets has it, which tells listeners that all of it is announced.
-- Messages beyond the limit go with the commit, before those that were gathered, and so without that word.
CREATE FUNCTION announce(name text, owners text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    -- Each message is compared with all that were gathered before.
    most_gathered CONSTANT integer := 20000;
    is_after CONSTANT boolean := coalesce(current_setting('gateway.announced', true), '') = 'after';
    gathered text := coalesce(nullif(current_setting('gateway.changes', true), ''), E'\n');
    owner text;
    message text;
    stamped text;
BEGIN
    FOREACH owner IN ARRAY owners LOOP
        message := concat_ws(' ', name, coalesce(owner, '*'));
        stamped := concat_ws(' ', message, pg_current_xact_id());
        IF NOT is_after THEN
            PERFORM pg_notify('gateway_changes', stamped);
        ELSIF length(gathered) > most_gathered THEN
            PERFORM pg_notify('gateway_changes', message);
        ELSIF strpos(gathered, E'\n' || stamped || E'\n') = 0 THEN
            gathered := gathered || stamped || E'\n';
            PERFORM set_config('gateway.changes', gathered, false);
        END IF;
    END LOOP;
END $$;

-- TRUNCATE writes no set, so its announcement always goes with the commit.
CREATE OR REPLACE FUNCTION announce_changes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    most_told CONSTANT integer := 100;
    owners uuid[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        owners := ARRAY(SELECT DISTINCT organization_id FROM added);
    ELSIF TG_OP = 'DELETE' THEN
        owners := ARRAY(SELECT DISTINCT organization_id FROM removed);
    ELSIF TG_OP = 'UPDATE' THEN
        owners := ARRAY(SELECT organization_id FROM added UNION SELECT organization_id FROM removed);
    ELSE
        PERFORM pg_notify('gateway_changes', TG_ARGV[0] || ' *');
        RETURN NULL;
    END IF;
    PERFORM change_note(owners, TG_ARGV[0]);
    PERFORM announce(TG_ARGV[0], CASE WHEN cardinality(owners) > most_told THEN '{NULL}' ELSE owners::text[] END);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION announce_changes_to_all() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        PERFORM pg_notify('gateway_changes', TG_TABLE_NAME || ' *');
    ELSE
        PERFORM change_note(ARRAY[NULL::uuid], TG_TABLE_NAME);
        PERFORM announce(TG_TABLE_NAME, '{NULL}');
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION announce_changed_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    owners CONSTANT text[] := ARRAY(
        SELECT DISTINCT row ->> TG_ARGV[1] FROM unnest(ARRAY[
            CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END, CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END]) AS row
        WHERE row IS NOT NULL);
BEGIN
    PERFORM change_note(owners::uuid[], TG_ARGV[0]);
    PERFORM announce(TG_ARGV[0], owners);
    RETURN NULL;
END $$;

DO $$
DECLARE
    name regprocedure;
BEGIN
    FOREACH name IN ARRAY ARRAY['announce(text, text[])', 'announce_changes()', 'announce_changes_to_all()',
        'announce_changed_row()']::regprocedure[]
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
    END LOOP;
END $$;
