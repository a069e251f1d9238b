-- The order of changes. Rows carry the identity of the transaction that wrote them last, in `stamp`. Their order is decided
-- at commit: one row of change_sets for each transaction and organization, written while the head of the audit trail is
-- locked. A number or a time that rows get when they are written would hide those of a transaction that commits late.

-- An earlier migration of the same transaction may have left entries, with which audit_pending cannot be altered.
SET CONSTRAINTS audit_pending_flush IMMEDIATE;
SET CONSTRAINTS audit_pending_flush DEFERRED;

-- `position` counts an organization's sets from 1 on, without gaps; rows without an organization belong to zeros. `seq` and
-- `head` are the last entry of the audit trail at that time, `tables` the tables that the transaction changed.
CREATE TABLE "change_sets" (
    "organization_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "stamp" BIGINT NOT NULL,
    "seq" BIGINT NOT NULL,
    "head" TEXT COLLATE "C" NOT NULL,
    "tables" TEXT[] NOT NULL,
    "committed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "change_sets_pkey" PRIMARY KEY ("organization_id", "position"),
    CONSTRAINT "change_sets_position_positive" CHECK ("position" > 0),
    CONSTRAINT "change_sets_head_form" CHECK ("head" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "change_sets_tables_length" CHECK (char_length(array_to_string("tables", ' ')) <= 10000),
    CONSTRAINT "change_sets_committed_at_range" CHECK ("committed_at" >= '0001-01-01 00:00:00Z' AND "committed_at" < '10000-01-01 00:00:00Z')
);
-- For the job that deletes expired sets.
CREATE INDEX "change_sets_committed_at_idx" ON "change_sets"("committed_at");

-- Rows that a transaction removed from a synced table (`collection`). Without foreign keys: they outlive what they name.
CREATE TABLE "removed_rows" (
    "organization_id" UUID NOT NULL,
    "stamp" BIGINT NOT NULL,
    "collection" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "removed_rows_pkey" PRIMARY KEY ("organization_id", "stamp", "collection", "id"),
    CONSTRAINT "removed_rows_collection_length" CHECK (char_length("collection") <= 200),
    CONSTRAINT "removed_rows_id_length" CHECK (char_length("id") <= 200)
);

-- The list of src/data/database/grants.ts.
GRANT SELECT ON "change_sets", "removed_rows" TO gateway_writer;

-- A row is an entry of the trail, or a table that the transaction changed (`touched`), once for each organization.
ALTER TABLE "audit_pending" ALTER COLUMN "entry" DROP NOT NULL,
    ADD COLUMN "touched" TEXT COLLATE "C",
    ADD CONSTRAINT "audit_pending_touched_length" CHECK (char_length("touched") <= 200),
    ADD CONSTRAINT "audit_pending_one_kind" CHECK (num_nonnulls("entry", "touched") = 1);
CREATE UNIQUE INDEX "audit_pending_touched_key" ON "audit_pending"("transaction", "organization_id", "touched")
    NULLS NOT DISTINCT WHERE "touched" IS NOT NULL;

-- Notes that this transaction changed a table of these organizations; null stands for rows without one. On a subscriber the
-- sets arrive with the rows.
CREATE FUNCTION change_note(owners uuid[], name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF current_setting('session_replication_role') <> 'replica' OR NOT is_replicating() THEN
        INSERT INTO audit_pending (organization_id, touched) SELECT owner, name FROM unnest(owners) AS owner
        ON CONFLICT DO NOTHING;
    END IF;
END $$;

-- Adds a set after all others of its organization. The lock is held until the transaction ends: whoever sees a set also sees
-- all sets before it, with their rows.
CREATE FUNCTION change_set_add(owner uuid, stamp bigint, tables text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    owner_chain CONSTANT uuid := coalesce(owner, '00000000-0000-0000-0000-000000000000');
    last audit_heads;
BEGIN
    SELECT * INTO STRICT last FROM audit_heads AS h WHERE h.chain = owner_chain FOR UPDATE;
    INSERT INTO change_sets (organization_id, position, stamp, seq, head, tables, committed_at)
    SELECT owner_chain, coalesce(max(s.position), 0) + 1, change_set_add.stamp, last.seq, last.hash, change_set_add.tables, clock_timestamp()
    FROM change_sets AS s WHERE s.organization_id = owner_chain;
END $$;

-- Appends what this transaction did to the trail, and the set of its changes. A transaction that only reports to the
-- platform's trail changed no row that anybody remembers.
CREATE OR REPLACE FUNCTION audit_flush() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    pending record;
BEGIN
    FOR pending IN
        WITH own AS (DELETE FROM audit_pending AS p WHERE p.transaction = NEW.transaction RETURNING p.*)
        SELECT own.organization_id,
            coalesce(array_agg(own.entry ORDER BY own.id) FILTER (WHERE own.entry IS NOT NULL), '{}') AS entries,
            coalesce(array_agg(own.touched ORDER BY own.touched) FILTER (WHERE own.touched IS NOT NULL), '{}') AS tables
        FROM own GROUP BY own.organization_id ORDER BY own.organization_id NULLS LAST
    LOOP
        PERFORM audit_append(pending.organization_id, pending.entries);
        IF pending.organization_id IS NOT NULL OR pending.tables <> '{}' THEN
            PERFORM change_set_add(pending.organization_id, NEW.transaction, pending.tables);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

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
    END IF;
    PERFORM change_note(owners, TG_ARGV[0]);
    IF TG_OP = 'TRUNCATE' OR cardinality(owners) > most_told OR array_position(owners, NULL) > 0 THEN
        PERFORM pg_notify('gateway_changes', TG_ARGV[0] || ' *');
    ELSE
        PERFORM pg_notify('gateway_changes', TG_ARGV[0] || ' ' || owner) FROM unnest(owners) AS owner;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION announce_changes_to_all() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    -- TRUNCATE writes no set, as it names no rows: so a subscriber can be emptied without a trail of its own.
    IF TG_OP <> 'TRUNCATE' THEN
        PERFORM change_note(ARRAY[NULL::uuid], TG_TABLE_NAME);
    END IF;
    PERFORM pg_notify('gateway_changes', TG_TABLE_NAME || ' *');
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
    PERFORM pg_notify('gateway_changes', TG_ARGV[0] || ' ' || coalesce(owner, '*')) FROM unnest(owners) AS owner;
    RETURN NULL;
END $$;

-- Stamps a row that is changed, or that is inserted with the stamp of another transaction, as from a dump of its table.
CREATE FUNCTION stamp_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.stamp := pg_current_xact_id()::text::bigint;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION count_record_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    NEW.updated_at := CURRENT_TIMESTAMP;
    NEW.stamp := pg_current_xact_id()::text::bigint;
    RETURN NEW;
END $$;

-- Records the rows that a statement removed, or a row whose key changed. The arguments are the table and the column of its
-- key. A removed organization has nobody left who follows its changes.
CREATE FUNCTION record_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_LEVEL = 'ROW' THEN
        INSERT INTO removed_rows (organization_id, stamp, collection, id)
        SELECT OLD.organization_id, pg_current_xact_id()::text::bigint, TG_ARGV[0], to_jsonb(OLD) ->> TG_ARGV[1]
        WHERE OLD.organization_id IS NOT NULL
        ON CONFLICT DO NOTHING;
    ELSE
        EXECUTE format('INSERT INTO removed_rows (organization_id, stamp, collection, id)
            SELECT r.organization_id, pg_current_xact_id()::text::bigint, $1, r.%I::text FROM removed AS r
            WHERE EXISTS (SELECT FROM organizations AS o WHERE o.id = r.organization_id)
            ON CONFLICT DO NOTHING', TG_ARGV[1]) USING TG_ARGV[0];
    END IF;
    RETURN NULL;
END $$;

-- Has consumers follow the rows of a table with an organization. Rows from before have the stamp 0, which no set has.
CREATE FUNCTION sync_attach(name regclass, key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    not_replicating CONSTANT text := '(current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())';
    part text;
BEGIN
    EXECUTE format('ALTER TABLE %s ADD COLUMN stamp BIGINT NOT NULL DEFAULT 0', name);
    EXECUTE format('ALTER TABLE %s ALTER COLUMN stamp SET DEFAULT pg_current_xact_id()::text::bigint', name);
    EXECUTE format('CREATE INDEX %I ON %s (organization_id, stamp, %I)', name || '_organization_id_stamp_' || key || '_idx', name, key);
    IF name <> 'emission_records'::regclass THEN
        EXECUTE format('CREATE TRIGGER %1$s_stamp BEFORE UPDATE ON %1$s FOR EACH ROW WHEN %2$s EXECUTE FUNCTION stamp_row()',
            name, not_replicating);
        EXECUTE format('ALTER TABLE %1$s ENABLE ALWAYS TRIGGER %1$s_stamp', name);
    END IF;
    EXECUTE format('CREATE TRIGGER %1$s_stamp_insert BEFORE INSERT ON %1$s FOR EACH ROW
        WHEN (NEW.stamp <> pg_current_xact_id()::text::bigint AND %2$s) EXECUTE FUNCTION stamp_row()', name, not_replicating);
    EXECUTE format('CREATE TRIGGER %1$s_removed AFTER DELETE ON %1$s REFERENCING OLD TABLE AS removed FOR EACH STATEMENT WHEN %2$s
        EXECUTE FUNCTION record_removed(%1$L, %3$L)', name, not_replicating, key);
    EXECUTE format('CREATE TRIGGER %1$s_moved AFTER UPDATE OF organization_id, %3$I ON %1$s FOR EACH ROW
        WHEN ((OLD.organization_id, OLD.%3$I) IS DISTINCT FROM (NEW.organization_id, NEW.%3$I) AND %2$s)
        EXECUTE FUNCTION record_removed(%1$L, %3$L)', name, not_replicating, key);
    FOREACH part IN ARRAY ARRAY['stamp_insert', 'removed', 'moved'] LOOP
        EXECUTE format('ALTER TABLE %1$s ENABLE ALWAYS TRIGGER %1$s_%2$s', name, part);
    END LOOP;
END $$;

DO $$
DECLARE
    former CONSTANT text := pg_get_functiondef('audit_record()'::regprocedure);
    changed CONSTANT text := replace(former, ' - untold', ' - untold - ''stamp''::text');
    name regprocedure;
BEGIN
    IF changed = former THEN
        RAISE EXCEPTION 'audit_record() is not as expected';
    END IF;
    -- The trail says who changed a row; its stamp says nothing more.
    EXECUTE changed;
    FOREACH name IN ARRAY ARRAY['change_note(uuid[], text)', 'change_set_add(uuid, bigint, text[])', 'audit_flush()', 'announce_changes()',
        'announce_changes_to_all()', 'announce_changed_row()', 'stamp_row()', 'count_record_version()', 'record_removed()',
        'sync_attach(regclass, text)']::regprocedure[]
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
        -- Else a trigger on anybody's table could note what never changed.
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
    END LOOP;
END $$;

SELECT sync_attach('emission_records', 'id');
SELECT sync_attach('facilities', 'id');
SELECT sync_attach('emission_factors', 'id');
SELECT sync_attach('business_metrics', 'id');
SELECT sync_attach('credit_batches', 'id');
SELECT sync_attach('credit_sales', 'id');
SELECT sync_attach('credit_retirements', 'id');
SELECT sync_attach('compliance_statuses', 'framework');
SELECT sync_attach('compliance_deadlines', 'id');
SELECT sync_attach('ccts_periods', 'id');
SELECT sync_attach('cbam_declarations', 'id');
SELECT sync_attach('market_prices', 'id');

-- Their primary key has no organization: the first walk reads an organization's rows by this index.
CREATE INDEX "emission_factors_organization_id_id_idx" ON "emission_factors"("organization_id", "id");
CREATE INDEX "market_prices_organization_id_id_idx" ON "market_prices"("organization_id", "id");

DO $$ BEGIN
    PERFORM watch_partitions();
END $$;

-- The first set of each organization, so that every one has a place to start from.
UPDATE organizations SET name = name;
SET CONSTRAINTS audit_pending_flush IMMEDIATE;
SET CONSTRAINTS audit_pending_flush DEFERRED;
