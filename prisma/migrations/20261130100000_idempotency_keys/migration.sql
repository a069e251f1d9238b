-- A request with an Idempotency-Key that changed something. The row is inserted in the transaction of the change; the answer
-- follows after its commit. `key_hash` and `fingerprint` are SHA-256 digests. Without a body, the answer cannot be repeated:
-- it shows a secret, is too large, or was lost. `location` is the path of the request, or of what it created.
CREATE TABLE "idempotency_keys" (
    "organization_id" UUID NOT NULL,
    "caller" TEXT COLLATE "C" NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "status" INTEGER,
    "location" TEXT,
    "etag" TEXT,
    "content_type" TEXT,
    "body" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("organization_id", "caller", "key_hash"),
    CONSTRAINT "idempotency_keys_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "idempotency_keys_caller_form" CHECK ("caller" ~ '^(user|service_account):[0-9a-f-]{36}$'),
    CONSTRAINT "idempotency_keys_key_hash_length" CHECK (octet_length("key_hash") = 32),
    CONSTRAINT "idempotency_keys_fingerprint_length" CHECK (octet_length("fingerprint") = 32),
    CONSTRAINT "idempotency_keys_status_range" CHECK ("status" BETWEEN 200 AND 599),
    CONSTRAINT "idempotency_keys_location_length" CHECK (char_length("location") <= 2000),
    CONSTRAINT "idempotency_keys_etag_length" CHECK (char_length("etag") <= 100),
    CONSTRAINT "idempotency_keys_content_type_length" CHECK (char_length("content_type") <= 100),
    CONSTRAINT "idempotency_keys_body_length" CHECK (octet_length("body") <= 262144),
    CONSTRAINT "idempotency_keys_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z')
);

CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- Somebody who accepts an invitation, or verifies another organization's records, writes there under a key of the own one.
SELECT policy_attach('idempotency_keys', 'organization_id',
    'caller = replace(current_setting(''gateway.actor'', true), ''user '', ''user:'')');

-- The lists of src/data/database/schema/grants.ts.
GRANT SELECT ON idempotency_keys TO gateway_writer;
GRANT INSERT (organization_id, caller, key_hash, fingerprint, location),
    UPDATE (fingerprint, status, location, etag, content_type, body, created_at) ON idempotency_keys TO gateway_writer;
