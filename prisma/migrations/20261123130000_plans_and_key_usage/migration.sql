-- What an organization may have, who made a key, how often a key was changed, and how it is used.

-- The highest tier of an organization's keys. One that a person registers begins with free; one that an operator makes, and
-- every one that is there already, has enterprise. A command changes it.
ALTER TABLE "organizations" ADD COLUMN "plan" "tier" NOT NULL
    DEFAULT CASE CURRENT_USER WHEN 'gateway_writer'::name THEN 'free'::tier ELSE 'enterprise'::tier END;

-- `created_by` is null for a key that a command made.
ALTER TABLE "api_keys"
    ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1,
    ADD COLUMN "created_by" UUID,
    ADD CONSTRAINT "api_keys_version_positive" CHECK ("version" > 0),
    ADD CONSTRAINT "api_keys_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE NO ACTION;

CREATE INDEX "api_keys_created_by_idx" ON "api_keys"("created_by");

-- Requests by key and hour, for 90 days.
CREATE TABLE "api_key_usage" (
    "key_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "requests" BIGINT NOT NULL DEFAULT 0,
    "refused" BIGINT NOT NULL DEFAULT 0,
    "errors" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "api_key_usage_pkey" PRIMARY KEY ("key_id", "hour"),
    CONSTRAINT "api_key_usage_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "api_key_usage_hour_range" CHECK ("hour" >= '0001-01-01 00:00:00Z' AND "hour" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "api_key_usage_counts" CHECK ("requests" >= 0 AND "refused" >= 0 AND "errors" BETWEEN 0 AND "requests")
);

-- For the removal of those that are old.
CREATE INDEX "api_key_usage_hour_idx" ON "api_key_usage"("hour");

-- The list of src/data/database/grants.ts.
GRANT SELECT ON "api_key_usage" TO gateway_writer;
GRANT INSERT ("created_by"), UPDATE ("version") ON "api_keys" TO gateway_writer;

-- Who made a key is the actor of its entry, and a version says only that there was a change.
DROP TRIGGER "api_keys_audit_insert" ON "api_keys";
DROP TRIGGER "api_keys_audit_update" ON "api_keys";
DROP TRIGGER "api_keys_audit_delete" ON "api_keys";
DROP TRIGGER "api_keys_audit_truncate" ON "api_keys";
SELECT audit_attach('api_keys', '{"noun": "api_key", "organization": "organization_id", "key": ["id"],
    "masked": ["hash", "pepper"], "untold": ["last_used_at", "version", "created_by"], "marks": {"revoked_at": ["revoked", "restored"]}}');
