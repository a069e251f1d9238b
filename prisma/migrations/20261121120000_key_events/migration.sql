-- A trail of what happened to API keys, written by the database itself, so that plain SQL leaves a trace like any command.
-- It outlives the key and its organization: hence no foreign keys, and the organization's slug beside its id. Rows are
-- added by the triggers below; none is ever changed or removed.
CREATE TABLE "key_events" (
    "id" BIGSERIAL NOT NULL,
    "key_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "organization" TEXT COLLATE "C",
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "kind" TEXT COLLATE "C" NOT NULL,
    "command" TEXT,
    "database_user" TEXT NOT NULL,
    "old" JSONB,
    "new" JSONB,

    CONSTRAINT "key_events_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "key_events_key_id_id_idx" ON "key_events"("key_id", "id");
CREATE INDEX "key_events_organization_id_id_idx" ON "key_events"("organization_id", "id");
CREATE INDEX "key_events_organization_idx" ON "key_events"("organization");

ALTER TABLE "key_events"
    ADD CONSTRAINT "key_events_kind_known" CHECK ("kind" IN ('created', 'rotated', 'revoked', 'expiry changed',
        'tier changed', 'scopes changed', 'renamed', 'restored', 'moved', 'deleted'));

-- What the trail tells of a key; never its hash.
CREATE FUNCTION key_event_values(key api_keys) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object('name', key.name, 'display', key.display, 'tier', key.tier, 'scopes', key.scopes,
        'expires_at', to_char(key.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'revoked_at', to_char(key.revoked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
$$;

-- `parts` names those of the values that an event tells; all without it. The transaction's setting `gateway.command` is
-- the word of whoever set it, and absent for plain SQL; `database_user` is who had logged in.
CREATE FUNCTION key_event_add(kind text, key api_keys, before jsonb, after jsonb, parts text[] DEFAULT NULL)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO key_events (key_id, organization_id, organization, kind, command, database_user, old, new)
    SELECT key.id, key.organization_id, (SELECT o.slug FROM organizations o WHERE o.id = key.organization_id), kind,
        left(nullif(current_setting('gateway.command', true), ''), 100), session_user,
        CASE WHEN parts IS NULL THEN before ELSE (SELECT jsonb_object_agg(part, before -> part) FROM unnest(parts) AS part) END,
        CASE WHEN parts IS NULL THEN after ELSE (SELECT jsonb_object_agg(part, after -> part) FROM unnest(parts) AS part) END
$$;

-- Of a rotation, the transaction's setting `gateway.rotation` is the ids of the key that is replaced and of the new one.
-- SECURITY DEFINER, so that whoever may change a key leaves a trace, and needs no right to write one.
CREATE FUNCTION key_event_record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    rotation CONSTANT text := coalesce(current_setting('gateway.rotation', true), '');
    replaced CONSTANT text := split_part(rotation, ' ', 1);
    replacement CONSTANT text := split_part(rotation, ' ', 2);
    before jsonb;
    after jsonb;
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        PERFORM key_event_add('deleted', k, key_event_values(k), NULL) FROM (SELECT * FROM api_keys ORDER BY created_at, id) AS k;
        RETURN NULL;
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM key_event_add('deleted', OLD, key_event_values(OLD), NULL);
        RETURN NULL;
    ELSIF TG_OP = 'INSERT' THEN
        after := key_event_values(NEW);
        IF NEW.id::text = replacement THEN
            after := after || jsonb_build_object('replaces', replaced);
        END IF;
        PERFORM key_event_add('created', NEW, NULL, after);
        RETURN NULL;
    END IF;

    before := key_event_values(OLD);
    after := key_event_values(NEW);
    IF (OLD.id, OLD.organization_id) <> (NEW.id, NEW.organization_id) THEN
        PERFORM key_event_add('moved', OLD, jsonb_build_object('id', OLD.id, 'organization_id', OLD.organization_id),
            jsonb_build_object('id', NEW.id, 'organization_id', NEW.organization_id));
    END IF;
    IF OLD.id::text = replaced THEN
        PERFORM key_event_add('rotated', NEW, before, after || jsonb_build_object('replaced_by', replacement),
            ARRAY['expires_at', 'revoked_at', 'replaced_by']);
    ELSE
        -- Another hash is another key.
        IF OLD.hash <> NEW.hash THEN
            PERFORM key_event_add('rotated', NEW, before, after, ARRAY['display']);
        END IF;
        IF OLD.revoked_at IS DISTINCT FROM NEW.revoked_at THEN
            PERFORM key_event_add(CASE WHEN NEW.revoked_at IS NULL THEN 'restored' ELSE 'revoked' END, NEW, before, after, ARRAY['revoked_at']);
        END IF;
        IF OLD.expires_at IS DISTINCT FROM NEW.expires_at THEN
            PERFORM key_event_add('expiry changed', NEW, before, after, ARRAY['expires_at']);
        END IF;
    END IF;
    IF OLD.tier <> NEW.tier THEN
        PERFORM key_event_add('tier changed', NEW, before, after, ARRAY['tier']);
    END IF;
    IF OLD.scopes <> NEW.scopes THEN
        PERFORM key_event_add('scopes changed', NEW, before, after, ARRAY['scopes']);
    END IF;
    IF OLD.name <> NEW.name THEN
        PERFORM key_event_add('renamed', NEW, before, after, ARRAY['name']);
    END IF;
    RETURN NULL;
END $$;

-- Temporary tables would come first otherwise: anybody's `key_events` would swallow the trail.
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION key_event_record() SET search_path = %I, pg_temp', current_schema());
END $$;

-- last_used_at changes all the time, and makes no event.
CREATE TRIGGER api_keys_record
    AFTER INSERT OR DELETE OR UPDATE OF id, organization_id, name, hash, tier, scopes, expires_at, revoked_at ON api_keys
    FOR EACH ROW EXECUTE FUNCTION key_event_record();
-- Before, while the keys can still be read.
CREATE TRIGGER api_keys_record_truncate BEFORE TRUNCATE ON api_keys
    FOR EACH STATEMENT EXECUTE FUNCTION key_event_record();

CREATE FUNCTION key_events_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'key_events only grows: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER key_events_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON key_events
    FOR EACH STATEMENT EXECUTE FUNCTION key_events_refuse_change();
