-- One trail of who changed what, written by the database itself in the transaction of the change, so that plain SQL leaves
-- a trace like any command, and a change cannot be without its entry. Entries form one chain for each organization, and
-- one for the platform: each holds the hash of the one before it. The trail outlives organizations: hence no foreign keys.

-- `entry` is the text that was hashed; the columns beside it say the same, to be searched.
CREATE TABLE "audit_entries" (
    "organization_id" UUID,
    "seq" BIGINT NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "action" TEXT COLLATE "C" NOT NULL,
    "actor_type" TEXT COLLATE "C" NOT NULL,
    "actor_id" TEXT COLLATE "C",
    "target_type" TEXT COLLATE "C" NOT NULL,
    "target_id" TEXT COLLATE "C",
    "request_id" TEXT COLLATE "C",
    "database_user" TEXT NOT NULL,
    "entry" TEXT NOT NULL,
    "prev_hash" TEXT COLLATE "C" NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("hash"),
    CONSTRAINT "audit_entries_seq_positive" CHECK ("seq" > 0),
    CONSTRAINT "audit_entries_occurred_at_range" CHECK ("occurred_at" >= '0001-01-01 00:00:00Z' AND "occurred_at" < '10000-01-01 00:00:00Z'),
    -- The list of src/domain/audit-actions.ts.
    CONSTRAINT "audit_entries_action_known" CHECK ("action" IN (
        'api_key.created', 'api_key.deleted', 'api_key.restored', 'api_key.revoked', 'api_key.rotated', 'api_key.updated',
        'invitation.accepted', 'invitation.created', 'invitation.deleted', 'invitation.revoked', 'invitation.updated',
        'member.created', 'member.deleted', 'member.updated',
        'organization.created', 'organization.deleted', 'organization.updated',
        'session.deleted', 'session.ended', 'session.updated',
        'user.created', 'user.deleted', 'user.disabled', 'user.enabled', 'user.password_changed', 'user.updated')),
    CONSTRAINT "audit_entries_actor_type_known" CHECK ("actor_type" IN ('user', 'command', 'sql')),
    CONSTRAINT "audit_entries_actor_id_length" CHECK (char_length("actor_id") <= 200),
    CONSTRAINT "audit_entries_target_type_length" CHECK (char_length("target_type") <= 200),
    CONSTRAINT "audit_entries_target_id_length" CHECK (char_length("target_id") <= 200),
    CONSTRAINT "audit_entries_request_id_length" CHECK (char_length("request_id") <= 200),
    CONSTRAINT "audit_entries_database_user_length" CHECK (char_length("database_user") <= 200),
    CONSTRAINT "audit_entries_prev_hash_form" CHECK ("prev_hash" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "audit_entries_hash_form" CHECK ("hash" ~ '^[0-9a-f]{64}$')
);

-- No two entries follow the same one.
CREATE UNIQUE INDEX "audit_entries_organization_id_seq_key" ON "audit_entries"("organization_id", "seq") NULLS NOT DISTINCT;
CREATE INDEX "audit_entries_organization_id_target_id_seq_idx" ON "audit_entries"("organization_id", "target_id", "seq");

-- The last entry of each chain. `chain` is the organization's id; zeros for the platform.
CREATE TABLE "audit_heads" (
    "chain" UUID NOT NULL,
    "seq" BIGINT NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "audit_heads_pkey" PRIMARY KEY ("chain"),
    CONSTRAINT "audit_heads_hash_form" CHECK ("hash" ~ '^[0-9a-f]{64}$')
);

-- Entries of transactions that are under way. They are appended at the end of their transaction, chain after chain in
-- the same order for everybody: so nobody waits for a chain longer than a commit takes, nor two for each other. None
-- outlives its transaction: so the table is not logged, and no replica has its rows.
CREATE UNLOGGED TABLE "audit_pending" (
    "transaction" BIGINT NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    "id" BIGSERIAL NOT NULL,
    "organization_id" UUID,
    "entry" JSONB NOT NULL,

    CONSTRAINT "audit_pending_pkey" PRIMARY KEY ("transaction", "id")
);

-- JSON in one form only: keys sorted by their characters, and no space between parts.
CREATE FUNCTION audit_json(value jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN CASE jsonb_typeof(value)
        WHEN 'object' THEN (
            SELECT '{' || coalesce(string_agg(to_json(e.key)::text || ':' ||
                CASE WHEN jsonb_typeof(e.value) IN ('object', 'array') THEN audit_json(e.value) ELSE e.value::text END, ',' ORDER BY e.key COLLATE "C"), '') || '}'
            FROM jsonb_each(value) AS e)
        WHEN 'array' THEN (
            SELECT '[' || coalesce(string_agg(CASE WHEN jsonb_typeof(e.value) IN ('object', 'array') THEN audit_json(e.value) ELSE e.value::text END, ',' ORDER BY e.place), '') || ']'
            FROM jsonb_array_elements(value) WITH ORDINALITY AS e (value, place))
        ELSE value::text
    END;
END $$;

CREATE FUNCTION audit_hash(prev_hash text, entry text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    RETURN encode(sha256(convert_to(prev_hash || E'\n' || entry, 'UTF8')), 'hex');

-- Appends entries to a chain, whose head stays locked until the transaction ends. One without a time occurs now.
CREATE FUNCTION audit_append(organization_id uuid, entries jsonb[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    chain_id CONSTANT uuid := coalesce(organization_id, '00000000-0000-0000-0000-000000000000');
    head audit_heads;
    prev_hash text;
    entry jsonb;
    occurred_at text;
    line text;
BEGIN
    SELECT * INTO head FROM audit_heads AS h WHERE h.chain = chain_id FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO audit_heads VALUES (chain_id, 0, repeat('0', 64)) ON CONFLICT DO NOTHING;
        SELECT * INTO head FROM audit_heads AS h WHERE h.chain = chain_id FOR UPDATE;
    END IF;
    FOREACH entry IN ARRAY entries LOOP
        head.seq := head.seq + 1;
        prev_hash := head.hash;
        occurred_at := coalesce(entry ->> 'occurred_at', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
        -- What audit_json makes of the whole, in a fraction of the time.
        line := format('{"action":%s,"actor":{"id":%s,"type":%s},"changes":%s,"database_user":%s,"occurred_at":"%s","organization_id":%s,'
                '"request_id":%s,"seq":%s,"target":{"id":%s,"type":%s}}',
            entry -> 'action', entry #> '{actor,id}', entry #> '{actor,type}', audit_json(entry -> 'changes'), entry -> 'database_user',
            occurred_at, coalesce('"' || organization_id || '"', 'null'), entry -> 'request_id', head.seq, entry #> '{target,id}',
            entry #> '{target,type}');
        head.hash := audit_hash(prev_hash, line);
        INSERT INTO audit_entries VALUES (organization_id, head.seq, occurred_at::timestamptz, entry ->> 'action',
            entry #>> '{actor,type}', entry #>> '{actor,id}', entry #>> '{target,type}', entry #>> '{target,id}',
            entry ->> 'request_id', entry ->> 'database_user', line, prev_hash, head.hash);
    END LOOP;
    UPDATE audit_heads AS h SET seq = head.seq, hash = head.hash WHERE h.chain = chain_id;
END $$;

-- Appends what this transaction has done.
CREATE FUNCTION audit_flush() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    pending record;
BEGIN
    FOR pending IN
        WITH own AS (DELETE FROM audit_pending AS p WHERE p.transaction = NEW.transaction RETURNING p.*)
        SELECT own.organization_id, array_agg(own.entry ORDER BY own.id) AS entries FROM own
        GROUP BY own.organization_id ORDER BY own.organization_id NULLS FIRST
    LOOP
        PERFORM audit_append(pending.organization_id, pending.entries);
    END LOOP;
    RETURN NULL;
END $$;

-- Records what a statement did to a table, as audit_attach has it: the arguments are the noun, the organization's column,
-- the key, the masked and the untold columns, the marks and the summed column. Up to 100 rows are told one by one, more as
-- one entry for each organization. SECURITY DEFINER, so that whoever may change a table leaves a trace, and needs no right
-- to write one.
CREATE FUNCTION audit_record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET "TimeZone" = 'UTC' AS $$
DECLARE
    most_told CONSTANT integer := 100;
    noun CONSTANT text := TG_ARGV[0];
    owner CONSTANT text := nullif(TG_ARGV[1], '');
    identity CONSTANT text[] := TG_ARGV[2];
    masked CONSTANT text[] := TG_ARGV[3];
    untold CONSTANT text[] := TG_ARGV[4];
    marks CONSTANT jsonb := TG_ARGV[5];
    summed CONSTANT text := nullif(TG_ARGV[6], '');
    verb CONSTANT text := CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'updated' ELSE 'deleted' END;
    -- Names an update more closely than the columns do, such as a rotation.
    named CONSTANT text := CASE WHEN TG_OP = 'UPDATE' AND current_setting('gateway.action', true) LIKE noun || '.%'
        THEN current_setting('gateway.action', true) END;
    -- `user` or `command`, and after a space who or which. It is the word of whoever set it; so every entry holds the
    -- database's user too.
    actor CONSTANT text := current_setting('gateway.actor', true);
    about CONSTANT jsonb := jsonb_build_object(
        'actor', CASE
            WHEN actor ~ '^user [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN jsonb_build_object('type', 'user', 'id', substr(actor, 6))
            WHEN actor ~ '^command .' THEN jsonb_build_object('type', 'command', 'id', left(substr(actor, 9), 100))
            ELSE jsonb_build_object('type', 'sql', 'id', NULL) END,
        'database_user', session_user,
        'request_id', left(nullif(current_setting('gateway.request_id', true), ''), 200));
    touched bigint := 0;
    pairs jsonb[];
BEGIN
    -- Of a table of which every column counts, many rows need not be compared.
    IF cardinality(untold) = 0 THEN
        IF TG_OP = 'DELETE' THEN SELECT count(*) INTO touched FROM (SELECT FROM removed LIMIT most_told + 1) AS r;
        ELSE SELECT count(*) INTO touched FROM (SELECT FROM added LIMIT most_told + 1) AS a;
        END IF;
    END IF;
    IF touched <= most_told THEN
        IF TG_OP = 'INSERT' THEN
            pairs := ARRAY(SELECT jsonb_build_object('after', to_jsonb(a) - untold) FROM added AS a LIMIT most_told + 1);
        ELSIF TG_OP = 'DELETE' THEN
            pairs := ARRAY(SELECT jsonb_build_object('before', to_jsonb(r) - untold) FROM removed AS r LIMIT most_told + 1);
        ELSE
            -- A row whose key changed counts as one that was removed and another that was added.
            pairs := ARRAY(
                SELECT jsonb_build_object('before', b.row, 'after', a.row)
                FROM (SELECT to_jsonb(r) - untold AS row, ARRAY(SELECT to_jsonb(r) ->> k FROM unnest(identity) AS k) AS key FROM removed AS r) AS b
                FULL JOIN (SELECT to_jsonb(n) - untold AS row, ARRAY(SELECT to_jsonb(n) ->> k FROM unnest(identity) AS k) AS key FROM added AS n) AS a
                    ON a.key = b.key
                WHERE a.row IS DISTINCT FROM b.row
                LIMIT most_told + 1);
        END IF;
        touched := cardinality(pairs);
    END IF;

    IF touched = 0 THEN
        RETURN NULL;
    ELSIF touched <= most_told THEN
        INSERT INTO audit_pending (organization_id, entry)
        SELECT o.id, about || jsonb_build_object(
            'action', coalesce(named, noun || '.' || coalesce(mark.happened, verb)),
            'target', jsonb_build_object('type', noun, 'id', coalesce(after, before) ->> identity[cardinality(identity)]),
            'changes', coalesce(changed.changes, '{}'))
        FROM unnest(pairs) AS pair
        CROSS JOIN LATERAL (SELECT nullif(pair -> 'before', 'null') AS before, nullif(pair -> 'after', 'null') AS after) AS sides
        -- A row that goes from one organization to another is told to both.
        CROSS JOIN LATERAL (SELECT DISTINCT (side ->> owner)::uuid AS id FROM unnest(ARRAY[before, after]) AS side WHERE side IS NOT NULL) AS o
        LEFT JOIN LATERAL (
            SELECT CASE WHEN after -> m.key = 'null' THEN m.value ->> 1 ELSE m.value ->> 0 END AS happened
            FROM jsonb_each(marks) AS m
            WHERE (before -> m.key = 'null') <> (after -> m.key = 'null')
            LIMIT 1
        ) AS mark ON true
        -- The values of a row that was added or removed, and what a change made of each that changed.
        CROSS JOIN LATERAL (
            SELECT jsonb_object_agg(v.key, CASE WHEN before IS NULL OR after IS NULL THEN shown.value
                ELSE jsonb_build_object('from', shown.former, 'to', shown.value) END) AS changes
            FROM jsonb_each(coalesce(after, before)) AS v
            CROSS JOIN LATERAL (SELECT
                CASE WHEN v.value <> 'null' AND v.key = ANY (masked) THEN '"***"' ELSE v.value END AS value,
                CASE WHEN before -> v.key <> 'null' AND v.key = ANY (masked) THEN '"***"' ELSE before -> v.key END AS former) AS shown
            WHERE CASE WHEN before IS NULL OR after IS NULL THEN v.value <> 'null' AND v.key <> ALL (identity) AND v.key IS DISTINCT FROM owner
                ELSE before -> v.key IS DISTINCT FROM v.value END
        ) AS changed;
    ELSE
        EXECUTE format($sql$
            INSERT INTO audit_pending (organization_id, entry)
            SELECT owner, $1 || jsonb_build_object(
                'action', $2, 'target', jsonb_build_object('type', $3, 'id', NULL),
                'changes', jsonb_build_object('rows', sum(n)) || CASE WHEN $4 IS NULL THEN '{}'
                    ELSE jsonb_build_object($4, jsonb_build_object('from', coalesce(sum(before), 0), 'to', coalesce(sum(after), 0))) END)
            FROM (%s) AS rows GROUP BY owner
        $sql$, format(CASE TG_OP
            WHEN 'INSERT' THEN 'SELECT %1$s AS owner, 1 AS n, NULL::numeric AS before, %2$s AS after FROM added'
            WHEN 'DELETE' THEN 'SELECT %1$s AS owner, 1 AS n, %2$s AS before, NULL::numeric AS after FROM removed'
            ELSE 'SELECT %1$s AS owner, 1 AS n, NULL::numeric AS before, %2$s AS after FROM added
                UNION ALL SELECT %1$s, 0, %2$s, NULL FROM removed' END, coalesce(quote_ident(owner), 'NULL::uuid'), coalesce(quote_ident(summed), 'NULL::numeric')))
        USING about, coalesce(named, noun || '.' || verb), noun, summed;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: %', TG_OP, TG_TABLE_NAME,
        CASE WHEN TG_TABLE_NAME LIKE 'audit\_%' THEN 'only the database writes the audit trail'
            ELSE 'the audit trail would not see its rows; use DELETE' END
        USING ERRCODE = 'insufficient_privilege';
END $$;

-- Has the trail tell of a table. `told` names what its rows are (`noun`), the column of their organization (without one
-- they are the platform's), their key, of which the last column is the target's id, columns that are told as `***`
-- (`masked`) or not at all (`untold`), columns that are null until something happens, with the verbs for it and for its
-- contrary (`marks`), and the column whose sum is told of many rows (`sum`). `events` are those that leave an entry.
CREATE FUNCTION audit_attach(name regclass, told jsonb, events text[] DEFAULT '{INSERT,UPDATE,DELETE}') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    -- Entries come with the rows that replication brings.
    not_replicating CONSTANT text := 'WHEN (current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())';
    columns CONSTANT text[] := ARRAY(
        SELECT ARRAY(SELECT jsonb_array_elements_text(told -> part))::text
        FROM unnest(ARRAY['key', 'masked', 'untold']) WITH ORDINALITY AS parts (part, place) ORDER BY place);
    event text;
BEGIN
    FOREACH event IN ARRAY events LOOP
        EXECUTE format('CREATE TRIGGER %I AFTER %s ON %s REFERENCING %s FOR EACH STATEMENT %s EXECUTE FUNCTION audit_record(%L, %L, %L, %L, %L, %L, %L)',
            name || '_audit_' || lower(event), event, name,
            CASE event WHEN 'INSERT' THEN 'NEW TABLE AS added' WHEN 'DELETE' THEN 'OLD TABLE AS removed'
                ELSE 'NEW TABLE AS added OLD TABLE AS removed' END, not_replicating, told ->> 'noun', coalesce(told ->> 'organization', ''),
            columns[1], columns[2], columns[3], coalesce(told -> 'marks', '{}'), coalesce(told ->> 'sum', ''));
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', name, name || '_audit_' || lower(event));
    END LOOP;
    EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %s FOR EACH STATEMENT %s EXECUTE FUNCTION audit_refuse()',
        name || '_audit_truncate', name, not_replicating);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', name, name || '_audit_truncate');
END $$;

DO $$
DECLARE
    part record;
BEGIN
    FOR part IN
        SELECT oid::regprocedure AS name, proconfig FROM pg_proc
        WHERE pronamespace = quote_ident(current_schema())::regnamespace AND proname LIKE 'audit\_%'
    LOOP
        IF part.name <> 'audit_hash(text,text)'::regprocedure THEN
            EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', part.name, current_schema());
        END IF;
        -- Else a trigger on anybody's table could record what never was.
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', part.name);
    END LOOP;
END $$;

-- What the trail of keys holds becomes the beginning of the chains, each entry with its own time and all that it said.
DO $$
DECLARE
    past record;
BEGIN
    FOR past IN
        SELECT e.organization_id, array_agg(jsonb_build_object(
            'action', 'api_key.' || CASE WHEN e.kind IN ('created', 'rotated', 'revoked', 'restored', 'deleted') THEN e.kind ELSE 'updated' END,
            'actor', jsonb_build_object('type', CASE WHEN e.command IS NULL THEN 'sql' ELSE 'command' END, 'id', e.command),
            'changes', jsonb_build_object('key_event', jsonb_build_object('id', e.id, 'kind', e.kind,
                'organization', e.organization, 'old', e.old, 'new', e.new)),
            'database_user', e.database_user,
            'occurred_at', to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'request_id', NULL,
            'target', jsonb_build_object('type', 'api_key', 'id', e.key_id)) ORDER BY e.id) AS entries
        FROM key_events AS e GROUP BY e.organization_id
    LOOP
        PERFORM audit_append(past.organization_id, past.entries);
    END LOOP;
END $$;

DO $$
DECLARE
    not_replicating CONSTANT text := '(current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())';
    part record;
BEGIN
    CREATE TRIGGER audit_entries_refuse_change BEFORE UPDATE OR DELETE ON audit_entries
        FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
    -- What the functions above write, they write from a trigger.
    EXECUTE format('CREATE TRIGGER audit_entries_refuse_insert BEFORE INSERT ON audit_entries
        FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0 AND %s) EXECUTE FUNCTION audit_refuse()', not_replicating);
    EXECUTE format('CREATE TRIGGER audit_heads_refuse_change BEFORE INSERT OR UPDATE OR DELETE ON audit_heads
        FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0 AND %s) EXECUTE FUNCTION audit_refuse()', not_replicating);
    CREATE TRIGGER audit_pending_refuse_change BEFORE INSERT OR UPDATE OR DELETE ON audit_pending
        FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION audit_refuse();
    CREATE CONSTRAINT TRIGGER audit_pending_flush AFTER INSERT ON audit_pending
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION audit_flush();
    FOR part IN SELECT unnest(ARRAY['audit_entries', 'audit_heads', 'audit_pending']) AS name LOOP
        EXECUTE format('CREATE TRIGGER %1$s_refuse_truncate BEFORE TRUNCATE ON %1$I
            FOR EACH STATEMENT WHEN %2$s EXECUTE FUNCTION audit_refuse()', part.name, not_replicating);
    END LOOP;
    FOR part IN
        SELECT tgname AS trigger, tgrelid::regclass AS "table" FROM pg_trigger
        WHERE NOT tgisinternal AND tgrelid = ANY (ARRAY['audit_entries', 'audit_heads', 'audit_pending']::regclass[])
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', part."table", part.trigger);
    END LOOP;

    PERFORM audit_attach('organizations', '{"noun": "organization", "organization": "id", "key": ["id"]}');
    PERFORM audit_attach('api_keys', '{"noun": "api_key", "organization": "organization_id", "key": ["id"],
        "masked": ["hash", "pepper"], "untold": ["last_used_at"], "marks": {"revoked_at": ["revoked", "restored"]}}');
    PERFORM audit_attach('users', '{"noun": "user", "key": ["id"], "masked": ["email", "name", "password_hash"],
        "marks": {"disabled_at": ["disabled", "enabled"]}}');
    PERFORM audit_attach('memberships', '{"noun": "member", "organization": "organization_id", "key": ["organization_id", "user_id"]}');
    PERFORM audit_attach('invitations', '{"noun": "invitation", "organization": "organization_id", "key": ["id"],
        "masked": ["email", "token_hash"], "marks": {"accepted_at": ["accepted"], "revoked_at": ["revoked"]}}');
    -- How sessions begin, are used and are refreshed is no change of anything; how they end is.
    PERFORM audit_attach('sessions', '{"noun": "session", "organization": "organization_id", "key": ["id"],
        "untold": ["token_hash", "token_expires_at", "refresh_hash", "authenticated_at", "last_used_at", "address", "user_agent"],
        "marks": {"revoked_at": ["ended"]}}', '{UPDATE,DELETE}');
END $$;
