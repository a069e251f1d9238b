-- Verifiers are bound by a link and confirmed by the organization. Nobody who was ever a member can be one.

-- Everybody who is or was a member of an organization. `user_id` has no foreign key.
CREATE TABLE "member_history" (
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,

    CONSTRAINT "member_history_pkey" PRIMARY KEY ("organization_id", "user_id"),
    CONSTRAINT "member_history_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
);

CREATE FUNCTION member_history_add() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO member_history VALUES (NEW.organization_id, NEW.user_id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

-- The audit trail names members who were removed before.
INSERT INTO "member_history"
SELECT "organization_id", "user_id" FROM "memberships"
UNION
SELECT e."organization_id", e."target_id"::uuid FROM "audit_entries" AS e JOIN "organizations" AS o ON o."id" = e."organization_id"
WHERE e."target_type" = 'member' AND e."target_id" IS NOT NULL;

-- `verifier_id` is the account that accepted, `verifier_organization_id` the organization it acted for. Neither has a
-- foreign key.
ALTER TABLE "verification_requests"
    ADD COLUMN "verifier_organization_id" UUID,
    ADD COLUMN "verifier_link_hash" TEXT COLLATE "C",
    ADD COLUMN "verifier_link_expires_at" TIMESTAMPTZ(3),
    ADD COLUMN "verifier_accepted_at" TIMESTAMPTZ(3),
    ADD COLUMN "verifier_confirmed_at" TIMESTAMPTZ(3);

SELECT audit_allow('verification_request.accepted', 'verification_request.verifier_confirmed',
    'verification_request.verifier_link_created', 'verification_request.verifier_rejected');
DROP TRIGGER "verification_requests_audit_insert" ON "verification_requests";
DROP TRIGGER "verification_requests_audit_update" ON "verification_requests";
DROP TRIGGER "verification_requests_audit_delete" ON "verification_requests";
DROP TRIGGER "verification_requests_audit_truncate" ON "verification_requests";
SELECT audit_attach('verification_requests', '{"noun": "verification_request", "organization": "organization_id",
    "key": ["organization_id", "id"], "masked": ["verifier_email", "verifier_link_hash", "verifier_organization_id"], "untold": ["version"]}');

-- Until now, an e-mail address bound the verifier, and anybody could take an address. Open requests therefore lose their
-- verifier. The verifier of a decided request stays named, and has to be confirmed if the request is reopened.
INSERT INTO "verification_status_changes" ("organization_id", "request_id", "seq", "from_status", "status", "changed_by", "changed_at", "note")
SELECT r."organization_id", r."id", (SELECT max(c."seq") + 1 FROM "verification_status_changes" AS c
        WHERE c."organization_id" = r."organization_id" AND c."request_id" = r."id"),
    r."status", 'submitted', 'organization', CURRENT_TIMESTAMP, 'The verifier has to accept by a link from now on.'
FROM "verification_requests" AS r WHERE r."status" = 'in_review';
UPDATE "verification_requests" AS r SET
    "status" = CASE WHEN r."status" = 'in_review' THEN 'submitted' ELSE r."status" END,
    "verifier_id" = CASE WHEN r."status" IN ('verified', 'rejected') THEN r."verifier_id" END,
    "verifier_accepted_at" = CASE WHEN r."status" IN ('verified', 'rejected') THEN coalesce((
        SELECT max(c."changed_at") FROM "verification_status_changes" AS c
        WHERE c."organization_id" = r."organization_id" AND c."request_id" = r."id" AND c."status" = 'in_review'), r."created_at") END
WHERE r."verifier_id" IS NOT NULL;

ALTER TABLE "verification_requests"
    ADD CONSTRAINT "verification_requests_verifier_link_hash_form" CHECK ("verifier_link_hash" ~ '^[0-9a-f]{64}$'),
    ADD CONSTRAINT "verification_requests_verifier_link_complete"
        CHECK (("verifier_link_hash" IS NULL) = ("verifier_link_expires_at" IS NULL)),
    ADD CONSTRAINT "verification_requests_verifier_accepted" CHECK (("verifier_id" IS NULL) = ("verifier_accepted_at" IS NULL)),
    ADD CONSTRAINT "verification_requests_verifier_confirmed" CHECK ("verifier_confirmed_at" IS NULL OR "verifier_id" IS NOT NULL),
    ADD CONSTRAINT "verification_requests_verifier_link_expires_at_range"
        CHECK ("verifier_link_expires_at" >= '0001-01-01 00:00:00+00' AND "verifier_link_expires_at" < '10000-01-01 00:00:00+00'),
    ADD CONSTRAINT "verification_requests_verifier_accepted_at_range"
        CHECK ("verifier_accepted_at" >= '0001-01-01 00:00:00+00' AND "verifier_accepted_at" < '10000-01-01 00:00:00+00'),
    ADD CONSTRAINT "verification_requests_verifier_confirmed_at_range"
        CHECK ("verifier_confirmed_at" >= '0001-01-01 00:00:00+00' AND "verifier_confirmed_at" < '10000-01-01 00:00:00+00');
CREATE UNIQUE INDEX "verification_requests_verifier_link_hash_key" ON "verification_requests"("verifier_link_hash");
DROP INDEX "verification_requests_verifier_idx";
CREATE INDEX "verification_requests_verifier_id_idx" ON "verification_requests"("verifier_id");

-- Refuses a verifier who is or was a member, and a review or a decision without a confirmed verifier. The organization's
-- own steps pass: they do not change the verifier.
CREATE FUNCTION verifier_require() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    is_review CONSTANT boolean := TG_OP = 'UPDATE' AND NEW.status <> OLD.status AND NEW.status IN ('in_review', 'verified', 'rejected');
BEGIN
    IF is_review AND NEW.verifier_confirmed_at IS NULL THEN
        RAISE EXCEPTION 'a request without a confirmed verifier cannot be %', NEW.status USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'INSERT' OR is_review OR NEW.organization_id <> OLD.organization_id OR NEW.verifier_id IS DISTINCT FROM OLD.verifier_id
        OR NEW.verifier_confirmed_at IS DISTINCT FROM OLD.verifier_confirmed_at THEN
        PERFORM FROM member_history AS m WHERE m.organization_id = NEW.organization_id AND m.user_id = NEW.verifier_id;
        IF FOUND THEN
            RAISE EXCEPTION 'Somebody who is or was a member of the organization cannot verify it.' USING ERRCODE = 'CGW02';
        END IF;
    END IF;
    RETURN NEW;
END $$;

DO $$
DECLARE
    not_replicating CONSTANT text := 'WHEN (current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())';
    name regprocedure;
BEGIN
    EXECUTE format('CREATE TRIGGER memberships_history AFTER INSERT OR UPDATE OF organization_id, user_id ON memberships
        FOR EACH ROW %s EXECUTE FUNCTION member_history_add()', not_replicating);
    ALTER TABLE memberships ENABLE ALWAYS TRIGGER memberships_history;
    EXECUTE format('CREATE TRIGGER verification_requests_verifier BEFORE INSERT OR UPDATE ON verification_requests
        FOR EACH ROW %s EXECUTE FUNCTION verifier_require()', not_replicating);
    ALTER TABLE verification_requests ENABLE ALWAYS TRIGGER verification_requests_verifier;
    FOREACH name IN ARRAY ARRAY['member_history_add()', 'verifier_require()']::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
    END LOOP;
END $$;

-- The lists of src/data/database/grants.ts.
GRANT SELECT ON "member_history" TO gateway_writer;
GRANT UPDATE ("verifier_organization_id", "verifier_link_hash", "verifier_link_expires_at", "verifier_accepted_at", "verifier_confirmed_at")
    ON "verification_requests" TO gateway_writer;
