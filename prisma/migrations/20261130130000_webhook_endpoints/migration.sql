-- Webhook endpoints of organizations: each is sent the events of its types, which are entries of the audit trail.
-- `created_by` is a user or a service account, so it has no foreign key. The secrets are encrypted. The previous one also
-- signs until `secret_expires_at`.
CREATE TABLE "webhook_endpoints" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "types" TEXT[] COLLATE "C" NOT NULL,
    "description" TEXT,
    "format" TEXT COLLATE "C" NOT NULL,
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "secret_expires_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT COLLATE "C",
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhook_endpoints_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "webhook_endpoints_url_length" CHECK (char_length("url") BETWEEN 1 AND 2000),
    CONSTRAINT "webhook_endpoints_types_length" CHECK (cardinality("types") BETWEEN 1 AND 50),
    CONSTRAINT "webhook_endpoints_description_length" CHECK (char_length("description") <= 200),
    CONSTRAINT "webhook_endpoints_format_known" CHECK ("format" IN ('json', 'cloudevents')),
    CONSTRAINT "webhook_endpoints_disabled_reason_known" CHECK ("disabled_reason" IN ('request', 'gone', 'unreachable')),
    CONSTRAINT "webhook_endpoints_secret_expires_at_range" CHECK ("secret_expires_at" >= '0001-01-01 00:00:00Z' AND "secret_expires_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "webhook_endpoints_disabled_at_range" CHECK ("disabled_at" >= '0001-01-01 00:00:00Z' AND "disabled_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "webhook_endpoints_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z')
);
CREATE INDEX "webhook_endpoints_organization_id_created_at_id_idx" ON "webhook_endpoints"("organization_id", "created_at", "id");

-- How far an endpoint has come. `place` is the id of the last event of the trail that was read for it, and `seq` its number.
-- `failures` counts attempts in a row that failed, the first of them at `failing_since`. The process whose `claim` it is
-- works on the endpoint until `claimed_until`. A delivery is due at `next_at`.
CREATE TABLE "webhook_progress" (
    "endpoint_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "seq" BIGINT NOT NULL,
    "place" TEXT COLLATE "C" NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "paused_until" TIMESTAMPTZ(3),
    "next_at" TIMESTAMPTZ(3),
    "served_at" TIMESTAMPTZ(3),
    "claim" UUID,
    "claimed_until" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_progress_pkey" PRIMARY KEY ("endpoint_id"),
    CONSTRAINT "webhook_progress_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoints"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "webhook_progress_place_form" CHECK ("place" ~ '^\d{1,19}-[0-9a-f]{16}$'),
    CONSTRAINT "webhook_progress_failing_since_range" CHECK ("failing_since" >= '0001-01-01 00:00:00Z' AND "failing_since" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "webhook_progress_paused_until_range" CHECK ("paused_until" >= '0001-01-01 00:00:00Z' AND "paused_until" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "webhook_progress_next_at_range" CHECK ("next_at" >= '0001-01-01 00:00:00Z' AND "next_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "webhook_progress_served_at_range" CHECK ("served_at" >= '0001-01-01 00:00:00Z' AND "served_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "webhook_progress_claimed_until_range" CHECK ("claimed_until" >= '0001-01-01 00:00:00Z' AND "claimed_until" < '10000-01-01 00:00:00Z')
);

-- One event to one endpoint. `body` is the JSON that is sent. The next attempt is at `next_attempt_at`, while `status` is
-- `pending`. There is no foreign key: the deliveries of a deleted endpoint are pruned later, so that deleting it is quick.
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "seq" BIGINT NOT NULL,
    "event_id" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "body" TEXT NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_status" INTEGER,
    "last_error" TEXT,
    "last_attempt_at" TIMESTAMPTZ(3),
    "next_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhook_deliveries_status_known" CHECK ("status" IN ('pending', 'delivered', 'failed')),
    CONSTRAINT "webhook_deliveries_is_due_if_pending" CHECK (("status" = 'pending') = ("next_attempt_at" IS NOT NULL)),
    CONSTRAINT "webhook_deliveries_event_id_length" CHECK (char_length("event_id") <= 200),
    CONSTRAINT "webhook_deliveries_type_length" CHECK (char_length("type") <= 200),
    CONSTRAINT "webhook_deliveries_body_length" CHECK (char_length("body") <= 4000),
    CONSTRAINT "webhook_deliveries_last_error_length" CHECK (char_length("last_error") <= 200),
    CONSTRAINT "webhook_deliveries_last_attempt_at_range" CHECK ("last_attempt_at" >= '0001-01-01 00:00:00Z' AND "last_attempt_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "webhook_deliveries_next_attempt_at_range" CHECK ("next_attempt_at" >= '0001-01-01 00:00:00Z' AND "next_attempt_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "webhook_deliveries_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z')
);
CREATE UNIQUE INDEX "webhook_deliveries_endpoint_id_seq_key" ON "webhook_deliveries"("endpoint_id", "seq");
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries"("created_at");
CREATE INDEX "webhook_deliveries_waiting_idx" ON "webhook_deliveries"("endpoint_id", "next_attempt_at") WHERE "status" = 'pending';
CREATE INDEX "webhook_deliveries_waiting_seq_idx" ON "webhook_deliveries"("endpoint_id", "seq") WHERE "status" = 'pending';
CREATE INDEX "webhook_deliveries_failed_idx" ON "webhook_deliveries"("endpoint_id", "seq") WHERE "status" = 'failed';

SELECT version_attach('webhook_endpoints');
SELECT policy_attach('webhook_endpoints', 'organization_id');
SELECT policy_attach('webhook_progress', 'organization_id');
SELECT policy_attach('webhook_deliveries', 'organization_id');

-- The lists of src/data/database/schema/grants.ts.
GRANT SELECT ON webhook_endpoints, webhook_progress, webhook_deliveries TO gateway_writer;
GRANT INSERT (id, organization_id, url, types, description, format, secret, disabled_at, disabled_reason, created_by, created_at),
    UPDATE (url, types, description, format, secret, previous_secret, secret_expires_at, disabled_at, disabled_reason),
    DELETE ON webhook_endpoints TO gateway_writer;
GRANT INSERT (endpoint_id, organization_id, seq, place), UPDATE (seq, place, failures, failing_since, paused_until, next_at, claim, claimed_until)
    ON webhook_progress TO gateway_writer;
GRANT UPDATE (status, attempts, last_error, next_attempt_at) ON webhook_deliveries TO gateway_writer;

SELECT audit_allow('webhook_endpoint.created', 'webhook_endpoint.deleted', 'webhook_endpoint.disabled', 'webhook_endpoint.enabled',
    'webhook_endpoint.rotated', 'webhook_endpoint.updated');
SELECT audit_attach('webhook_endpoints', '{"noun": "webhook_endpoint", "organization": "organization_id", "key": ["id"],
    "masked": ["url", "secret", "previous_secret"], "untold": ["created_at"], "marks": {"disabled_at": ["disabled", "enabled"]}}');
