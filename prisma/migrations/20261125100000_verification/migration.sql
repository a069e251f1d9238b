-- Verification of an organization's emission records by somebody who is no member, and the certificates of it.
CREATE TYPE "verification_status" AS ENUM ('draft', 'submitted', 'in_review', 'changes_requested', 'verified', 'rejected', 'withdrawn');
CREATE TYPE "assurance_level" AS ENUM ('limited', 'reasonable');
CREATE TYPE "verification_opinion" AS ENUM ('unmodified', 'modified', 'adverse', 'disclaimed');
CREATE TYPE "verification_party" AS ENUM ('organization', 'verifier');
CREATE TYPE "finding_severity" AS ENUM ('low', 'medium', 'high');
CREATE TYPE "certificate_status" AS ENUM ('valid', 'superseded', 'revoked');

-- `verifier_id` is the account that began the review. Without a foreign key, as those of all trails.
CREATE TABLE "verification_requests" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "number" TEXT COLLATE "C" NOT NULL,
    "period_from" DATE NOT NULL,
    "period_to" DATE NOT NULL,
    "scopes" "emission_scope"[] NOT NULL,
    "level" "assurance_level" NOT NULL,
    "materiality_pct" DECIMAL(7,4) NOT NULL,
    "verifier_email" TEXT COLLATE "C" NOT NULL,
    "verifier_id" UUID,
    "status" "verification_status" NOT NULL DEFAULT 'draft',
    "opinion" "verification_opinion",
    "statement" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "verification_requests_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "verification_requests_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "verification_requests_number_length" CHECK (char_length("number") BETWEEN 1 AND 200),
    CONSTRAINT "verification_requests_period_from_range" CHECK ("period_from" BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT "verification_requests_period_to_range" CHECK ("period_to" BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT "verification_requests_period_order" CHECK ("period_from" <= "period_to"),
    CONSTRAINT "verification_requests_scopes_some" CHECK (cardinality("scopes") BETWEEN 1 AND 3 AND array_position("scopes", NULL) IS NULL),
    CONSTRAINT "verification_requests_materiality_pct_range" CHECK ("materiality_pct" > 0 AND "materiality_pct" <= 100),
    CONSTRAINT "verification_requests_verifier_email_length" CHECK (char_length("verifier_email") BETWEEN 1 AND 254),
    CONSTRAINT "verification_requests_statement_length" CHECK (char_length("statement") <= 10000),
    CONSTRAINT "verification_requests_created_at_range"
        CHECK ("created_at" >= '0001-01-01 00:00:00+00' AND "created_at" < '10000-01-01 00:00:00+00'),
    CONSTRAINT "verification_requests_opinion_complete" CHECK (("opinion" IS NULL) = ("statement" IS NULL))
);
CREATE UNIQUE INDEX "verification_requests_organization_id_number_key" ON "verification_requests"("organization_id", "number");
-- A verifier's requests are looked up before anybody knows whose they are.
CREATE UNIQUE INDEX "verification_requests_id_key" ON "verification_requests"("id");
CREATE INDEX "verification_requests_verifier_idx" ON "verification_requests"(lower("verifier_email"));

CREATE TABLE "verification_status_changes" (
    "organization_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "from_status" "verification_status",
    "status" "verification_status" NOT NULL,
    "changed_by" "verification_party" NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "note" TEXT,

    CONSTRAINT "verification_status_changes_pkey" PRIMARY KEY ("organization_id", "request_id", "seq"),
    CONSTRAINT "verification_status_changes_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "verification_status_changes_organization_id_request_id_fkey" FOREIGN KEY ("organization_id", "request_id")
        REFERENCES "verification_requests"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "verification_status_changes_changed_at_range"
        CHECK ("changed_at" >= '0001-01-01 00:00:00+00' AND "changed_at" < '10000-01-01 00:00:00+00'),
    CONSTRAINT "verification_status_changes_note_length" CHECK (char_length("note") <= 1000)
);

-- The records of a request as they were submitted; `totals` is a list of {scope, co2eTonnes}.
CREATE TABLE "verification_snapshots" (
    "organization_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "digest" TEXT NOT NULL,
    "totals" JSONB NOT NULL,
    "record_count" BIGINT NOT NULL,
    "taken_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "verification_snapshots_pkey" PRIMARY KEY ("organization_id", "request_id", "number"),
    CONSTRAINT "verification_snapshots_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "verification_snapshots_organization_id_request_id_fkey" FOREIGN KEY ("organization_id", "request_id")
        REFERENCES "verification_requests"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "verification_snapshots_digest_form" CHECK ("digest" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "verification_snapshots_taken_at_range"
        CHECK ("taken_at" >= '0001-01-01 00:00:00+00' AND "taken_at" < '10000-01-01 00:00:00+00')
);

-- `record_id` has no foreign key: what was found stays when the record goes.
CREATE TABLE "verification_findings" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "snapshot_number" INTEGER NOT NULL,
    "record_id" UUID,
    "text" TEXT NOT NULL,
    "severity" "finding_severity" NOT NULL,
    "misstatement_tonnes" DECIMAL(24,6),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "verification_findings_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "verification_findings_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "verification_findings_snapshot_fkey" FOREIGN KEY ("organization_id", "request_id", "snapshot_number")
        REFERENCES "verification_snapshots"("organization_id", "request_id", "number") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "verification_findings_text_length" CHECK (char_length("text") BETWEEN 1 AND 2000),
    CONSTRAINT "verification_findings_misstatement_tonnes_number" CHECK ("misstatement_tonnes" <> 'NaN'),
    CONSTRAINT "verification_findings_created_at_range"
        CHECK ("created_at" >= '0001-01-01 00:00:00+00' AND "created_at" < '10000-01-01 00:00:00+00')
);
CREATE INDEX "verification_findings_organization_id_request_id_idx" ON "verification_findings"("organization_id", "request_id");

-- `statement` is the text that was signed. Numbers are unique among all organizations.
CREATE TABLE "certificates" (
    "organization_id" UUID NOT NULL,
    "number" TEXT COLLATE "C" NOT NULL,
    "request_id" UUID NOT NULL,
    "opinion" "verification_opinion" NOT NULL,
    "statement" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "signature" TEXT NOT NULL,
    "kid" TEXT NOT NULL,
    "status" "certificate_status" NOT NULL DEFAULT 'valid',
    "superseded_by" TEXT COLLATE "C",
    "issued_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "certificates_pkey" PRIMARY KEY ("organization_id", "number"),
    CONSTRAINT "certificates_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "certificates_organization_id_request_id_fkey" FOREIGN KEY ("organization_id", "request_id")
        REFERENCES "verification_requests"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "certificates_number_form" CHECK ("number" ~ '^CGW-[0-9]{4}-[0-9]{6,9}$'),
    CONSTRAINT "certificates_statement_length" CHECK (char_length("statement") <= 10000),
    CONSTRAINT "certificates_digest_form" CHECK ("digest" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "certificates_signature_form" CHECK ("signature" ~ '^[A-Za-z0-9+/]{86}==$'),
    CONSTRAINT "certificates_kid_form" CHECK ("kid" ~ '^[0-9a-f]{16}$'),
    CONSTRAINT "certificates_superseded_by_form" CHECK ("superseded_by" ~ '^CGW-[0-9]{4}-[0-9]{6,9}$'),
    CONSTRAINT "certificates_issued_at_range"
        CHECK ("issued_at" >= '0001-01-01 00:00:00+00' AND "issued_at" < '10000-01-01 00:00:00+00')
);
CREATE UNIQUE INDEX "certificates_number_key" ON "certificates"("number");
CREATE INDEX "certificates_organization_id_request_id_idx" ON "certificates"("organization_id", "request_id");

-- The last number of each year's certificates. No number is given twice, also after an organization was deleted.
CREATE TABLE "certificate_numbers" (
    "year" INTEGER NOT NULL,
    "last" INTEGER NOT NULL,

    CONSTRAINT "certificate_numbers_pkey" PRIMARY KEY ("year")
);

-- Public keys of certificates, for ever; `public_key` is the key's 32 bytes in base64url.
CREATE TABLE "signing_keys" (
    "kid" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "used_from" TIMESTAMPTZ(3) NOT NULL,
    "used_until" TIMESTAMPTZ(3),

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("kid"),
    CONSTRAINT "signing_keys_kid_form" CHECK ("kid" ~ '^[0-9a-f]{16}$'),
    CONSTRAINT "signing_keys_public_key_form" CHECK ("public_key" ~ '^[A-Za-z0-9_-]{43}$'),
    CONSTRAINT "signing_keys_used_from_range"
        CHECK ("used_from" >= '0001-01-01 00:00:00+00' AND "used_from" < '10000-01-01 00:00:00+00'),
    CONSTRAINT "signing_keys_used_until_range"
        CHECK ("used_until" >= '0001-01-01 00:00:00+00' AND "used_until" < '10000-01-01 00:00:00+00')
);

-- Periods whose emission records nothing may write.
CREATE TABLE "period_locks" (
    "organization_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "period_from" DATE NOT NULL,
    "period_to" DATE NOT NULL,
    "scopes" "emission_scope"[] NOT NULL,

    CONSTRAINT "period_locks_pkey" PRIMARY KEY ("organization_id", "request_id"),
    CONSTRAINT "period_locks_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "period_locks_organization_id_request_id_fkey" FOREIGN KEY ("organization_id", "request_id")
        REFERENCES "verification_requests"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "period_locks_period_from_range" CHECK ("period_from" BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT "period_locks_period_to_range" CHECK ("period_to" BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT "period_locks_period_order" CHECK ("period_from" <= "period_to")
);

-- Refuses a statement because of a request's lock, with the SQLSTATE that gateways know.
CREATE FUNCTION period_lock_refuse(organization uuid, request uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', (
        SELECT format('%s to %s of %s is locked by %s. Nothing was changed.', l.period_from, l.period_to,
            array_to_string(l.scopes, ', '), coalesce('certificate ' || c.number, 'verification request ' || r.number))
        FROM period_locks AS l
        JOIN verification_requests AS r ON r.organization_id = l.organization_id AND r.id = l.request_id
        LEFT JOIN certificates AS c ON c.organization_id = r.organization_id AND c.request_id = r.id AND c.status = 'valid'
        WHERE l.organization_id = organization AND l.request_id = request)
        USING ERRCODE = 'CGW01';
END $$;

-- Who writes records holds a shared lock of the organization until the end of the transaction, and who locks a period an
-- exclusive one: so no record is being written while a period is locked. Few locks stand for all organizations, as a
-- statement may write the records of many.
CREATE FUNCTION period_lock_place(organization_id uuid) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtext(organization_id::text) & 1023
$$;

-- Waits for those who write the organization's records, and refuses a lock that overlaps another one.
CREATE FUNCTION period_locks_add() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    other uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(72707370, period_lock_place(NEW.organization_id));
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

-- Refuses a statement that wrote a record of a locked period, or moved one into it or out of it. The organization of
-- records that go with it is gone already, and so are its locks.
CREATE FUNCTION period_locks_keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
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
    PERFORM pg_advisory_xact_lock_shared(72707370, place)
    FROM (SELECT DISTINCT period_lock_place(owner) AS place FROM unnest(owners) AS owner ORDER BY place) AS places;
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

-- What happened stays as it was, but goes with its organization. The columns in the arguments may change.
CREATE FUNCTION verification_keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF NOT EXISTS (SELECT FROM organizations WHERE id = OLD.organization_id) THEN
            RETURN OLD;
        END IF;
    ELSIF to_jsonb(OLD) - TG_ARGV = to_jsonb(NEW) - TG_ARGV THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% of % is refused: what happened in a verification stays as it was', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END $$;

DO $$
DECLARE
    not_replicating CONSTANT text := 'WHEN (current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())';
    event text;
    kept record;
BEGIN
    FOR event IN SELECT unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) LOOP
        EXECUTE format('CREATE TRIGGER emission_records_keep_locked_%s AFTER %s ON emission_records REFERENCING %s
            FOR EACH STATEMENT %s EXECUTE FUNCTION period_locks_keep()', lower(event), event,
            CASE event WHEN 'INSERT' THEN 'NEW TABLE AS added' WHEN 'DELETE' THEN 'OLD TABLE AS removed'
                ELSE 'NEW TABLE AS added OLD TABLE AS removed' END, not_replicating);
        EXECUTE format('ALTER TABLE emission_records ENABLE ALWAYS TRIGGER emission_records_keep_locked_%s', lower(event));
    END LOOP;
    EXECUTE format('CREATE TRIGGER period_locks_add BEFORE INSERT OR UPDATE ON period_locks FOR EACH ROW %s
        EXECUTE FUNCTION period_locks_add()', not_replicating);
    ALTER TABLE period_locks ENABLE ALWAYS TRIGGER period_locks_add;
    FOR kept IN SELECT * FROM (VALUES ('verification_status_changes', ''), ('verification_snapshots', ''), ('verification_findings', ''),
        ('certificates', '''status'', ''superseded_by''')) AS t (name, changing)
    LOOP
        EXECUTE format('CREATE TRIGGER %1$s_keep BEFORE UPDATE OR DELETE ON %1$I FOR EACH ROW %2$s
            EXECUTE FUNCTION verification_keep(%3$s)', kept.name, not_replicating, kept.changing);
        EXECUTE format('ALTER TABLE %1$I ENABLE ALWAYS TRIGGER %1$s_keep', kept.name);
    END LOOP;
END $$;

DO $$
DECLARE
    name regprocedure;
BEGIN
    FOREACH name IN ARRAY ARRAY['period_lock_refuse(uuid, uuid)', 'period_lock_place(uuid)', 'period_locks_add()', 'period_locks_keep()',
        'verification_keep()']::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
    END LOOP;
END $$;

SELECT version_attach('verification_requests');

-- The lists of src/data/database/grants.ts.
GRANT SELECT ON "verification_requests", "verification_status_changes", "verification_snapshots", "verification_findings", "certificates",
    "certificate_numbers", "signing_keys", "period_locks" TO gateway_writer;
GRANT INSERT (id, organization_id, number, period_from, period_to, scopes, level, materiality_pct, verifier_email, created_at),
    UPDATE (verifier_id, status, opinion, statement) ON verification_requests TO gateway_writer;
GRANT INSERT (organization_id, request_id, seq, from_status, status, changed_by, changed_at, note) ON verification_status_changes TO gateway_writer;
GRANT INSERT (organization_id, request_id, number, digest, totals, record_count, taken_at) ON verification_snapshots TO gateway_writer;
GRANT INSERT (id, organization_id, request_id, snapshot_number, record_id, text, severity, misstatement_tonnes, created_at)
    ON verification_findings TO gateway_writer;
GRANT INSERT (organization_id, number, request_id, opinion, statement, digest, signature, kid, issued_at), UPDATE (status, superseded_by)
    ON certificates TO gateway_writer;
GRANT INSERT (year, last), UPDATE (last) ON certificate_numbers TO gateway_writer;
GRANT INSERT (kid, public_key, used_from), UPDATE (used_until) ON signing_keys TO gateway_writer;
GRANT INSERT (organization_id, request_id, period_from, period_to, scopes), DELETE ON period_locks TO gateway_writer;

SELECT policy_attach('verification_requests', 'organization_id');
SELECT policy_attach('verification_status_changes', 'organization_id');
SELECT policy_attach('verification_snapshots', 'organization_id');
SELECT policy_attach('verification_findings', 'organization_id');
SELECT policy_attach('certificates', 'organization_id');
SELECT policy_attach('period_locks', 'organization_id');

SELECT audit_allow('certificate.created', 'certificate.deleted', 'certificate.superseded', 'certificate.updated',
    'period_lock.created', 'period_lock.deleted', 'period_lock.updated',
    'signing_key.created', 'signing_key.deleted', 'signing_key.updated',
    'verification_finding.created', 'verification_finding.deleted',
    'verification_request.changes_requested', 'verification_request.created', 'verification_request.decided',
    'verification_request.deleted', 'verification_request.reopened', 'verification_request.resubmitted',
    'verification_request.started', 'verification_request.submitted', 'verification_request.updated', 'verification_request.withdrawn',
    'verification_snapshot.created', 'verification_snapshot.deleted',
    'verification_status_change.created', 'verification_status_change.deleted');
SELECT audit_attach('verification_requests', '{"noun": "verification_request", "organization": "organization_id",
    "key": ["organization_id", "id"], "masked": ["verifier_email"], "untold": ["version"]}');
SELECT audit_attach('verification_findings', '{"noun": "verification_finding", "organization": "organization_id",
    "key": ["organization_id", "id"]}', '{INSERT,DELETE}');
SELECT audit_attach('verification_snapshots', '{"noun": "verification_snapshot", "organization": "organization_id",
    "key": ["organization_id", "number", "request_id"]}', '{INSERT,DELETE}');
SELECT audit_attach('verification_status_changes', '{"noun": "verification_status_change", "organization": "organization_id",
    "key": ["organization_id", "seq", "request_id"]}', '{INSERT,DELETE}');
SELECT audit_attach('certificates', '{"noun": "certificate", "organization": "organization_id", "key": ["organization_id", "number"],
    "marks": {"superseded_by": ["superseded", "updated"]}}');
SELECT audit_attach('period_locks', '{"noun": "period_lock", "organization": "organization_id", "key": ["organization_id", "request_id"]}');
SELECT audit_attach('signing_keys', '{"noun": "signing_key", "key": ["kid"]}');

-- Partitions that there are get the triggers too.
SELECT watch_partitions();
