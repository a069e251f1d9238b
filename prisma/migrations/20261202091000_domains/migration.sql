-- Domains of e-mail addresses that organizations claim, as A-labels. A TXT record proves a claim. `failing_since` is the time of
-- the first check that definitely found no record any more.
CREATE TABLE "domains" (
    "organization_id" UUID NOT NULL,
    "domain" TEXT COLLATE "C" NOT NULL,
    "token" TEXT COLLATE "C" NOT NULL,
    "proven_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "domains_pkey" PRIMARY KEY ("organization_id", "domain"),
    CONSTRAINT "domains_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "domains_domain_form" CHECK ("domain" ~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])$' AND char_length("domain") <= 230),
    CONSTRAINT "domains_token_form" CHECK ("token" ~ '^[0-9A-Za-z]{32}$'),
    CONSTRAINT "domains_failing_if_proven" CHECK ("failing_since" IS NULL OR "proven_at" IS NOT NULL),
    CONSTRAINT "domains_proven_at_range" CHECK ("proven_at" >= '0001-01-01 00:00:00Z' AND "proven_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "domains_checked_at_range" CHECK ("checked_at" >= '0001-01-01 00:00:00Z' AND "checked_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "domains_failing_since_range" CHECK ("failing_since" >= '0001-01-01 00:00:00Z' AND "failing_since" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "domains_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z')
);
-- A domain is proven for one organization.
CREATE UNIQUE INDEX "domains_proven_key" ON "domains"("domain") WHERE "proven_at" IS NOT NULL;

SELECT policy_attach('domains', 'organization_id');

-- The lists of src/data/database/schema/grants.ts.
GRANT SELECT ON domains TO gateway_writer;
GRANT INSERT (organization_id, domain, token, created_at), UPDATE (proven_at, checked_at, failing_since), DELETE ON domains TO gateway_writer;

-- A removal has a name of its own.
DO $$
DECLARE
    former CONSTANT text := pg_get_functiondef('audit_record()'::regprocedure);
    changed CONSTANT text := regexp_replace(former, '(named CONSTANT text := CASE WHEN )([^\n]*?)( AND \()',
        '\1(\2 OR noun IN (''domain'', ''sso''))\3');
BEGIN
    IF changed = former THEN
        RAISE EXCEPTION 'audit_record() is not the function that this migration changes';
    END IF;
    EXECUTE changed;
END $$;
SELECT audit_allow('domain.created', 'domain.deleted', 'domain.lapsed', 'domain.proven', 'domain.removed', 'domain.updated');
SELECT audit_attach('domains', '{"noun": "domain", "organization": "organization_id", "key": ["organization_id", "domain"],
    "masked": ["token"], "untold": ["created_at", "checked_at"], "marks": {"proven_at": ["proven", "lapsed"]}}');

-- Adds to the kinds of e-mails that the present rule knows.
DO $$
DECLARE
    present CONSTANT text := (SELECT pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid = 'mail_jobs'::regclass AND conname = 'mail_jobs_kind_known');
BEGIN
    ALTER TABLE mail_jobs DROP CONSTRAINT mail_jobs_kind_known;
    EXECUTE 'ALTER TABLE mail_jobs ADD CONSTRAINT mail_jobs_kind_known ' || replace(present, 'ARRAY[', 'ARRAY[''domain_unchecked''::text, ');
END $$;
