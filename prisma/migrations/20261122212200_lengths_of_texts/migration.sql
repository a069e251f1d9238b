-- The longest a text may be, in characters, as src/domain/text-limits.ts has it. NOT VALID: rows that are there already are
-- not looked at until they change. emission_days.part follows the category of a record, and has no limit of its own: else
-- older records could not be removed.

-- A key that passes no check could not be revoked. Its history keeps the whole name.
UPDATE api_keys SET name = left(name, 199) || '…' WHERE char_length(name) > 200;

DO $$
DECLARE
    name text;
    columns text[];
    most integer;
    "column" text;
BEGIN
    FOR name, columns, most IN VALUES
        ('organizations', ARRAY['name'], 200),
        ('api_keys', ARRAY['name', 'pepper', 'display'], 200),
        ('key_events', ARRAY['organization', 'command', 'database_user'], 200),
        ('facilities', ARRAY['code', 'name'], 200),
        ('emission_records', ARRAY['reference', 'category'], 200),
        ('emission_records', ARRAY['source'], 1000),
        ('compliance_deadlines', ARRAY['status'], 200),
        ('compliance_deadlines', ARRAY['title'], 1000),
        ('credit_batches', ARRAY['reference', 'credit_type'], 200),
        ('credit_sales', ARRAY['reference'], 200),
        ('credit_retirements', ARRAY['reference', 'beneficiary'], 200),
        ('benchmarks', ARRAY['sector', 'unit', 'region', 'period'], 200),
        ('benchmarks', ARRAY['source'], 1000),
        ('benchmarks', ARRAY['source_url'], 2000),
        ('market_prices', ARRAY['credit_type', 'exchange'], 200),
        ('market_prices', ARRAY['source'], 1000),
        ('market_prices', ARRAY['source_url'], 2000),
        ('exchange_feeds', ARRAY['exchange'], 200)
    LOOP
        FOREACH "column" IN ARRAY columns LOOP
            EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (char_length(%I) <= %s) NOT VALID',
                name, name || '_' || "column" || '_length', "column", most);
        END LOOP;
    END LOOP;
END $$;

ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_scopes_length" CHECK (cardinality("scopes") <= 20) NOT VALID;

-- A row of an index holds at most 2,704 bytes, and a title may take 4,000: it is indexed by its digest. The text of a
-- database is always of the same encoding, so that the same text has the same digest.
CREATE FUNCTION text_digest(value text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    RETURN sha256(convert_to(value, 'UTF8'));

DROP INDEX "compliance_deadlines_organization_id_due_date_framework_tit_key";
CREATE UNIQUE INDEX "compliance_deadlines_organization_id_due_date_framework_tit_key"
    ON "compliance_deadlines"("organization_id", "due_date", "framework", text_digest("title"));

DROP INDEX "benchmarks_sector_unit_source_source_year_key";
CREATE UNIQUE INDEX "benchmarks_sector_unit_source_source_year_key"
    ON "benchmarks"("sector", "unit", text_digest("source"), "source_year") NULLS NOT DISTINCT;
