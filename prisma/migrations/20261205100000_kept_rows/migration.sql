-- A role's rights say which tables and columns it writes. These triggers say which rows: a process that serves deletes what has
-- expired and nothing else, and what ended or was used stays so. The table in docs/SECURITY.md lists the statements refused.

-- No audit entry may wait while triggers are added to its tables.
SET CONSTRAINTS ALL IMMEDIATE;

-- Refuses a change to every role but the table's owner, for which cascades and commands act as well.
CREATE FUNCTION keep_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_has_role((SELECT c.relowner FROM pg_class AS c WHERE c.oid = TG_RELID), 'USAGE') THEN
        RAISE EXCEPTION 'permission denied for table %: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END $$;

-- Has keep_row refuse an event, such as DELETE or UPDATE OF used_at, on rows for which `condition` holds.
CREATE FUNCTION keep_attach(name regclass, event text, condition text, rule text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    trigger_name CONSTANT text := name || '_keep_' || regexp_replace(lower(regexp_replace(event, 'UPDATE OF ', '')), '\W+', '_', 'g');
BEGIN
    EXECUTE format('CREATE TRIGGER %1$s BEFORE %2$s ON %3$s FOR EACH ROW WHEN (%4$s) EXECUTE FUNCTION keep_row(%5$L)',
        trigger_name, event, name, condition, rule);
    EXECUTE format('ALTER TABLE %1$s ENABLE ALWAYS TRIGGER %2$s', name, trigger_name);
END $$;

-- Returns true if consumers of changes no longer need the set with a stamp. Unknown sets are needed.
CREATE FUNCTION change_set_has_expired(organization uuid, set_stamp bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce(bool_and(s.committed_at < now() - interval '90 days'), false)
    FROM change_sets AS s WHERE s.organization_id = organization AND s.stamp = set_stamp
$$;

-- A period stays locked while its request is under verification, and while a certificate of it is valid. Checked when the
-- transaction ends, because the steps that end a verification change the request after they unlock it. A lock that is deleted and
-- added again is refused as well: the records may have changed in between. Waits for a step that another transaction takes.
CREATE FUNCTION period_locks_require() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM FROM verification_requests AS r WHERE r.organization_id = OLD.organization_id AND r.id = OLD.request_id FOR SHARE;
    IF EXISTS (SELECT FROM verification_requests AS r WHERE r.organization_id = OLD.organization_id AND r.id = OLD.request_id
            AND r.status IN ('submitted', 'in_review', 'verified'))
        OR EXISTS (SELECT FROM certificates AS c WHERE c.organization_id = OLD.organization_id AND c.request_id = OLD.request_id
            AND c.status = 'valid') THEN
        RAISE EXCEPTION 'The period is under verification or certified, so it stays locked.' USING ERRCODE = 'CGW01';
    END IF;
    RETURN NULL;
END $$;

-- Returns true if a step leads from one state to the other, as in src/domain/verification/states.ts. States in which records are
-- locked need the lock, and a submission a snapshot of the same transaction: no request goes back to review with changed records.
-- Volatile, to see what was committed while the statement waited for the request.
CREATE FUNCTION verification_may_become(organization uuid, request uuid, former verification_status, status verification_status)
RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT (former::text, status::text) IN (('draft', 'submitted'), ('draft', 'withdrawn'), ('submitted', 'in_review'),
            ('submitted', 'withdrawn'), ('in_review', 'changes_requested'), ('in_review', 'verified'), ('in_review', 'rejected'),
            ('in_review', 'withdrawn'), ('changes_requested', 'submitted'), ('changes_requested', 'withdrawn'),
            ('verified', 'changes_requested'))
        AND (status NOT IN ('submitted', 'in_review', 'verified')
            OR EXISTS (SELECT FROM period_locks AS l JOIN verification_requests AS r
                USING (organization_id, period_from, period_to, scopes)
                WHERE l.organization_id = organization AND l.request_id = request AND r.id = request))
        AND (status <> 'submitted' OR EXISTS (SELECT FROM verification_snapshots AS s
            WHERE s.organization_id = organization AND s.request_id = request AND s.xmin = pg_current_xact_id()::xid))
$$;

-- A request changes an address only by a used link of the account, and disables an account only to release an address that was
-- never confirmed. The link that undoes a change of address also ends what a directory did since. A directory of an organization
-- with a proven domain changes the addresses and the state of those whom it holds, except accounts that the operator disabled.
CREATE OR REPLACE FUNCTION users_keep_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    directory CONSTANT uuid := nullif(current_setting('gateway.organization', true), '')::uuid;
BEGIN
    IF current_user <> 'gateway_writer'
        OR EXISTS (SELECT FROM mail_links AS l
            WHERE l.user_id = NEW.id AND l.kind IN ('change', 'cancel') AND l.used_at IS NOT NULL AND l.email = NEW.email
                AND (NEW.disabled_at IS NOT DISTINCT FROM OLD.disabled_at
                    OR l.kind = 'cancel' AND OLD.disabled_by IS NOT NULL AND NEW.disabled_at IS NULL))
        OR OLD.email_confirmed_at IS NULL AND NEW.disabled_at IS NOT NULL AND NEW.email = NEW.id || '@released.invalid'
        OR current_setting('gateway.actor', true) LIKE 'service_account %'
            AND EXISTS (SELECT FROM directory_users AS d JOIN domains AS p ON p.organization_id = d.organization_id AND p.proven_at IS NOT NULL
                WHERE d.user_id = NEW.id AND d.organization_id = directory)
            AND (NEW.disabled_by IS NULL OR NEW.disabled_by = directory)
            AND (OLD.disabled_at IS NULL OR OLD.disabled_by IS NOT NULL)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'permission denied for the address or the state of an account' USING ERRCODE = 'insufficient_privilege';
END $$;

-- Completes deliveries of processes of an earlier version, which name only the notification.
CREATE FUNCTION outbox_complete() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    SELECT n.user_id, n.organization_id,
            CASE WHEN NEW.channel = 'webhook' THEN left(lower(substring(p.webhook_url FROM '^[^/]*//(?:[^/?#]*@)?([^/:?#]+)')), 200) END
        INTO NEW.user_id, NEW.organization_id, NEW.host
        FROM notifications AS n LEFT JOIN notification_preferences AS p ON p.user_id = n.user_id
        WHERE n.id = NEW.notification_id;
    RETURN NEW;
END $$;
CREATE TRIGGER outbox_complete BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.user_id IS NULL) EXECUTE FUNCTION outbox_complete();
ALTER TABLE outbox ENABLE ALWAYS TRIGGER outbox_complete;

DO $$
DECLARE
    name text;
    rule text[];
BEGIN
    FOREACH name IN ARRAY ARRAY['keep_row()', 'outbox_complete()', 'users_keep_addresses()', 'keep_attach(regclass, text, text, text)', 'change_set_has_expired(uuid, bigint)',
        'period_locks_require()', 'verification_may_become(uuid, uuid, verification_status, verification_status)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
    END LOOP;
    -- The conditions of triggers run them as the role that writes.
    GRANT EXECUTE ON FUNCTION change_set_has_expired(uuid, bigint),
        verification_may_become(uuid, uuid, verification_status, verification_status) TO PUBLIC;
    -- No role attaches the key trail to a table of its own.
    REVOKE ALL ON FUNCTION key_event_record() FROM PUBLIC;

    CREATE CONSTRAINT TRIGGER period_locks_require AFTER DELETE ON period_locks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
        EXECUTE FUNCTION period_locks_require();
    ALTER TABLE period_locks ENABLE ALWAYS TRIGGER period_locks_require;
    PERFORM keep_attach('verification_requests', 'UPDATE OF status', 'OLD.status <> NEW.status
        AND NOT verification_may_become(OLD.organization_id, OLD.id, OLD.status, NEW.status)', 'no step leads to this state');

    -- Only expired rows go. The conditions are those of src/data/database/upkeep/prune.ts; a table without one keeps all rows.
    FOREACH rule SLICE 1 IN ARRAY ARRAY[
        ['sessions', 'OLD.expires_at < now() - interval ''90 days'''],
        ['sign_in_links', 'OLD.expires_at < now() - interval ''90 days'''],
        ['invitations', 'OLD.expires_at < now() - interval ''90 days'''],
        ['spent_tokens', 'OLD.expires_at < now()'],
        ['idempotency_keys', 'OLD.created_at < now() - interval ''24 hours'''],
        ['sso_events', 'OLD.created_at < now() - interval ''1 day'''],
        ['mail_jobs', 'OLD.created_at < now() - interval ''1 day'''],
        ['notifications', 'OLD.created_at < now() - interval ''90 days'''],
        ['outbox', 'OLD.done_at < now() - interval ''30 days'''],
        ['delivery_turns', 'OLD.served_at < now() - interval ''1 day'''],
        ['webhook_deliveries', 'OLD.created_at < now() - interval ''30 days'''],
        ['api_key_usage', 'OLD.hour < now() - interval ''90 days'''],
        ['change_sets', 'OLD.committed_at < now() - interval ''90 days'''],
        ['removed_rows', 'change_set_has_expired(OLD.organization_id, OLD.stamp)'],
        -- Users delete their own at any time.
        ['conversations', 'OLD.last_message_at <= now() - interval ''30 days'' OR current_user = ''gateway_writer'''],
        ['jobs', 'false'],
        ['platform_daily', 'false'],
        ['audit_checks', 'false'],
        ['webhook_progress', 'false']] LOOP
        PERFORM keep_attach(rule[1]::regclass, 'DELETE', format('(%s) IS NOT TRUE', rule[2]), 'only expired rows are deleted');
    END LOOP;

    -- Once set, these times stay set: what was used or ended is not used or opened again.
    FOREACH rule SLICE 1 IN ARRAY ARRAY[
        ['sessions', 'revoked_at'],
        ['sign_in_links', 'used_at'],
        ['recovery_codes', 'used_at'],
        ['totp_secrets', 'confirmed_at'],
        ['invitations', 'accepted_at'],
        ['invitations', 'revoked_at'],
        ['api_keys', 'revoked_at'],
        ['service_accounts', 'revoked_at'],
        ['service_account_tokens', 'revoked_at'],
        ['imports', 'undone_at'],
        ['outbox', 'done_at'],
        ['mail_jobs', 'sent_at']] LOOP
        PERFORM keep_attach(rule[1]::regclass, 'UPDATE OF ' || rule[2],
            format('OLD.%1$I IS NOT NULL AND NEW.%1$I IS NULL', rule[2]), rule[2] || ' is never removed');
    END LOOP;
    -- A newer link takes the place of a former one.
    PERFORM keep_attach('mail_links', 'UPDATE OF used_at',
        'OLD.used_at IS NOT NULL AND NEW.used_at IS NULL AND NEW.token_hash = OLD.token_hash', 'used_at is never removed');
    PERFORM keep_attach('service_account_tokens', 'UPDATE OF expires_at',
        'OLD.expires_at IS NOT NULL AND (NEW.expires_at > OLD.expires_at) IS NOT FALSE', 'expires_at only becomes earlier');

    -- Counters only grow, and attempts one by one.
    PERFORM keep_attach('api_key_usage', 'UPDATE',
        'NEW.requests < OLD.requests OR NEW.refused < OLD.refused OR NEW.errors < OLD.errors', 'counts only grow');
    PERFORM keep_attach('totp_secrets', 'UPDATE OF last_step', 'NEW.last_step < OLD.last_step AND OLD.confirmed_at IS NOT NULL',
        'last_step only grows');
    PERFORM keep_attach('passkeys', 'UPDATE OF counter', 'NEW.counter < OLD.counter', 'counter only grows');
    FOREACH rule SLICE 1 IN ARRAY ARRAY[['outbox'], ['mail_jobs']] LOOP
        PERFORM keep_attach(rule[1]::regclass, 'UPDATE OF attempts', 'NEW.attempts NOT IN (OLD.attempts, OLD.attempts + 1)',
            'attempts are counted one by one');
    END LOOP;

    PERFORM keep_attach('platform_daily', 'UPDATE', 'OLD.date < (now() AT TIME ZONE ''UTC'')::date - 2', 'past days keep their counts');

    -- Jobs and deliveries are not put off for long.
    PERFORM keep_attach('jobs', 'INSERT OR UPDATE', 'greatest(NEW.started_at, NEW.finished_at, NEW.failed_at) > now() + interval ''1 minute''
        OR NEW.leased_until > now() + interval ''1 day''', 'jobs are not put off');
    PERFORM keep_attach('delivery_turns', 'INSERT OR UPDATE',
        'greatest(NEW.paused_until, NEW.hour, NEW.served_at) > now() + interval ''7 days''', 'deliveries are not put off');
    FOREACH rule SLICE 1 IN ARRAY ARRAY[
        ['outbox', 'next_at, claimed_until'],
        ['mail_jobs', 'next_at'],
        ['webhook_progress', 'next_at, paused_until, claimed_until']] LOOP
        PERFORM keep_attach(rule[1]::regclass, 'UPDATE OF ' || rule[2],
            format('greatest(NEW.%s) > now() + interval ''7 days'' AND current_user <> ''gateway_writer''', replace(rule[2], ', ', ', NEW.')),
            'deliveries are not put off');
    END LOOP;

    -- An answer is stored once, and repeated until it expires.
    PERFORM keep_attach('idempotency_keys', 'UPDATE',
        'NEW.created_at < OLD.created_at OR OLD.status IS NOT NULL AND OLD.created_at > now() - interval ''24 hours''',
        'an answer is kept until it expires');

    -- The jobs that act without a request end things. Requests begin them.
    PERFORM keep_attach('domains', 'UPDATE OF proven_at',
        'NEW.proven_at IS NOT NULL AND NEW.proven_at IS DISTINCT FROM OLD.proven_at AND current_user <> ''gateway_writer''',
        'only requests prove a domain');
    PERFORM keep_attach('webhook_endpoints', 'UPDATE OF disabled_at, disabled_reason',
        'OLD.disabled_at IS NOT NULL AND current_user <> ''gateway_writer''', 'only requests enable an endpoint');

    -- As for sessions: the last use only moves forward, and not beyond now.
    FOREACH rule SLICE 1 IN ARRAY ARRAY[['api_keys'], ['service_account_tokens']] LOOP
        EXECUTE format('CREATE TRIGGER %1$s_limit_use BEFORE UPDATE OF last_used_at ON %1$s FOR EACH ROW
            WHEN (current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())
            EXECUTE FUNCTION session_limit_use()', rule[1]);
        EXECUTE format('ALTER TABLE %1$s ENABLE ALWAYS TRIGGER %1$s_limit_use', rule[1]);
    END LOOP;
END $$;
