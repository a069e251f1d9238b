-- Gateways delete sessions and invitations that expired 90 days ago. The trail has told how they ended, or they expired by
-- themselves; to tell each deletion too would bury everything else. What counts are the rows and the server's clock, no
-- setting of a client: nobody can hide the end of a living session, and an expiry that was moved has an entry of its own.
DO $$
DECLARE
    place CONSTANT text := '    -- Of a table of which every column counts';
    former CONSTANT text := pg_get_functiondef('audit_record()'::regprocedure);
BEGIN
    IF position(place IN former) = 0 THEN
        RAISE EXCEPTION 'audit_record() is not the one that this migration changes';
    END IF;
    -- The rest of the function stays as it is.
    EXECUTE replace(former, place, $rule$    IF TG_OP = 'DELETE' AND noun IN ('session', 'invitation') THEN
        IF NOT EXISTS (SELECT FROM removed AS r WHERE r.expires_at >= now() - interval '90 days') THEN
            RETURN NULL;
        END IF;
    END IF;
$rule$ || place);
END $$;
