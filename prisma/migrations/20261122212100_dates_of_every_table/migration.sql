-- Every date and time of every table is one that ISO 8601 writes with four digits of a year. NOT VALID: rows that are there
-- already are not looked at until they change.

-- But for keys: one that passes no check could not be revoked. Infinity stays as far away as it can be.
UPDATE api_keys SET last_used_at = NULL
WHERE last_used_at < '0001-01-01 00:00:00Z' OR last_used_at >= '10000-01-01 00:00:00Z';
UPDATE api_keys SET created_at = CASE WHEN created_at < '2000-01-01' THEN '0001-01-01 00:00:00Z' ELSE '9999-12-31 00:00:00Z' END::timestamptz
WHERE created_at < '0001-01-01 00:00:00Z' OR created_at >= '10000-01-01 00:00:00Z';
UPDATE api_keys SET expires_at = CASE WHEN expires_at < '2000-01-01' THEN '0001-01-01 00:00:00Z' ELSE '9999-12-31 00:00:00Z' END::timestamptz
WHERE expires_at < '0001-01-01 00:00:00Z' OR expires_at >= '10000-01-01 00:00:00Z';
UPDATE api_keys SET revoked_at = CASE WHEN revoked_at < '2000-01-01' THEN '0001-01-01 00:00:00Z' ELSE '9999-12-31 00:00:00Z' END::timestamptz
WHERE revoked_at < '0001-01-01 00:00:00Z' OR revoked_at >= '10000-01-01 00:00:00Z';

DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT c.relname AS "table", a.attname AS "column", c.relname || '_' || a.attname || '_range' AS name,
            a.atttypid = 'date'::regtype AS is_day
        FROM unnest(ARRAY['organizations', 'api_keys', 'key_events', 'facilities', 'emission_records', 'emission_days',
            'compliance_statuses', 'compliance_deadlines', 'credit_batches', 'credit_sales', 'credit_retirements',
            'benchmarks', 'market_prices', 'exchange_feeds']::regclass[]) AS known (id)
        JOIN pg_class AS c ON c.oid = known.id
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype)
            AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = c.oid AND conname = c.relname || '_' || a.attname || '_range')
    LOOP
        EXECUTE format(CASE WHEN found.is_day
            THEN 'ALTER TABLE %I ADD CONSTRAINT %I CHECK (%I BETWEEN ''0001-01-01'' AND ''9999-12-31'') NOT VALID'
            ELSE 'ALTER TABLE %I ADD CONSTRAINT %I CHECK (%3$I >= ''0001-01-01 00:00:00Z'' AND %3$I < ''10000-01-01 00:00:00Z'') NOT VALID'
            END, found."table", found.name, found."column");
    END LOOP;
END $$;
