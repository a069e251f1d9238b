-- The last check of each chain of the audit trail from its first entry on. `seq` and `hash` are its last entry then; or, if
-- the chain was found broken at `broken_seq`, its last entry when it was last found intact. The gateway writes it by itself.
CREATE TABLE "audit_checks" (
    "chain" UUID NOT NULL,
    "seq" BIGINT NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,
    "checked_at" TIMESTAMPTZ(3) NOT NULL,
    "broken_seq" BIGINT,

    CONSTRAINT "audit_checks_pkey" PRIMARY KEY ("chain"),
    CONSTRAINT "audit_checks_seq_range" CHECK ("seq" >= 0),
    CONSTRAINT "audit_checks_hash_form" CHECK ("hash" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "audit_checks_broken_seq_positive" CHECK ("broken_seq" > 0),
    CONSTRAINT "audit_checks_checked_at_range" CHECK ("checked_at" >= '0001-01-01 00:00:00Z' AND "checked_at" < '10000-01-01 00:00:00Z')
);

-- The list of src/data/database/grants.ts.
GRANT SELECT ON "audit_checks" TO gateway_writer;

-- The platform's chain last: all who write to it wait for its head, which is then held only while the transaction commits,
-- and never while it waits for the chain of an organization.
CREATE OR REPLACE FUNCTION audit_flush() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    pending record;
BEGIN
    FOR pending IN
        WITH own AS (DELETE FROM audit_pending AS p WHERE p.transaction = NEW.transaction RETURNING p.*)
        SELECT own.organization_id, array_agg(own.entry ORDER BY own.id) AS entries FROM own
        GROUP BY own.organization_id ORDER BY own.organization_id NULLS LAST
    LOOP
        PERFORM audit_append(pending.organization_id, pending.entries);
    END LOOP;
    RETURN NULL;
END $$;

-- Each organization has a lock of its own: no two wait for each other.
CREATE FUNCTION period_lock_key(organization_id uuid) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended(organization_id::text, 72707370)
$$;

CREATE OR REPLACE FUNCTION period_locks_add() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    other uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(period_lock_key(NEW.organization_id));
    SELECT l.request_id INTO other FROM period_locks AS l
    WHERE l.organization_id = NEW.organization_id AND l.request_id <> NEW.request_id AND l.scopes && NEW.scopes
        AND l.period_from <= NEW.period_to AND l.period_to >= NEW.period_from LIMIT 1;
    IF FOUND THEN
        PERFORM period_lock_refuse(NEW.organization_id, other);
    END IF;
    -- A transaction that does not see this lock, because it began to read before, fails when it looks at this row.
    UPDATE organizations SET name = name WHERE id = NEW.organization_id;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION period_locks_keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    most_locked CONSTANT integer := 100;
    owners uuid[];
    lock record;
BEGIN
    IF TG_OP = 'INSERT' THEN
        owners := ARRAY(SELECT DISTINCT organization_id FROM added);
    ELSIF TG_OP = 'DELETE' THEN
        owners := ARRAY(SELECT DISTINCT organization_id FROM removed);
    ELSE
        owners := ARRAY(SELECT organization_id FROM added UNION SELECT organization_id FROM removed);
    END IF;
    IF cardinality(owners) > most_locked THEN
        -- The server has room for a few thousand locks. No request writes the records of so many: an operator does.
        LOCK TABLE period_locks IN SHARE MODE;
    ELSE
        PERFORM pg_advisory_xact_lock_shared(key)
        FROM (SELECT period_lock_key(owner) AS key FROM unnest(owners) AS owner ORDER BY key) AS keys;
    END IF;
    -- Others see what was committed before this statement.
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        PERFORM FROM organizations WHERE id = ANY (owners) FOR SHARE;
    END IF;
    FOR lock IN
        SELECT l.* FROM period_locks AS l JOIN organizations AS o ON o.id = l.organization_id WHERE l.organization_id = ANY (owners)
    LOOP
        IF TG_OP <> 'DELETE' THEN
            PERFORM FROM added AS r WHERE r.organization_id = lock.organization_id AND r.scope = ANY (lock.scopes)
                AND r.recorded_on BETWEEN lock.period_from AND lock.period_to LIMIT 1;
            IF FOUND THEN
                PERFORM period_lock_refuse(lock.organization_id, lock.request_id);
            END IF;
        END IF;
        IF TG_OP <> 'INSERT' THEN
            PERFORM FROM removed AS r WHERE r.organization_id = lock.organization_id AND r.scope = ANY (lock.scopes)
                AND r.recorded_on BETWEEN lock.period_from AND lock.period_to LIMIT 1;
            IF FOUND THEN
                PERFORM period_lock_refuse(lock.organization_id, lock.request_id);
            END IF;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

DROP FUNCTION period_lock_place(uuid);

DO $$
DECLARE
    name regprocedure;
BEGIN
    FOREACH name IN ARRAY ARRAY['audit_flush()', 'period_lock_key(uuid)', 'period_locks_add()', 'period_locks_keep()']::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
    END LOOP;
END $$;
