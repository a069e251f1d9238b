-- The key trail tells of every changed hash, and believes in a rotation only if it sees the new key.
ALTER TABLE "key_events" DROP CONSTRAINT "key_events_kind_known",
    ADD CONSTRAINT "key_events_kind_known" CHECK ("kind" IN ('created', 'rotated', 'revoked', 'expiry changed',
        'tier changed', 'scopes changed', 'renamed', 'restored', 'moved', 'deleted', 'hash changed'));

-- The transaction's setting `gateway.rotation` is the ids of the key that a rotation replaces and of the new one. It is
-- the word of whoever set it: a rotation makes the new key first, for the same organization and in the same transaction.
-- SECURITY DEFINER, so that whoever may change a key leaves a trace, and needs no right to write one.
CREATE OR REPLACE FUNCTION key_event_record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
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
        IF NEW.id::text = replacement
            AND EXISTS (SELECT FROM api_keys k WHERE k.id::text = replaced AND k.organization_id = NEW.organization_id) THEN
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
    -- Another hash is another key.
    IF OLD.hash <> NEW.hash THEN
        PERFORM key_event_add('hash changed', NEW, before, after, ARRAY['display']);
    END IF;
    IF OLD.id::text = replaced AND EXISTS (SELECT FROM key_events e
            WHERE e.organization_id = OLD.organization_id AND e.key_id::text = replacement AND e.kind = 'created'
                AND e.new ->> 'replaces' = replaced AND e.xmin = pg_current_xact_id()::xid) THEN
        PERFORM key_event_add('rotated', NEW, before, after || jsonb_build_object('replaced_by', replacement),
            ARRAY['expires_at', 'revoked_at', 'replaced_by']);
    ELSE
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

DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION key_event_record() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $$;
