-- Partitions every table whose rows all belong to organizations, by organization. The database must be migrated, and may
-- contain data. Run the script once, as the owner of the schema, while nothing writes. It commits all or nothing.
--
--   psql "postgresql://gateway_owner@db.example.com/gateway" --single-transaction --set ON_ERROR_STOP=1 \
--     --command "SET gateway.partitions = 16" --file prisma/partition-by-organization.sql
--
-- Tables keep their names, columns, keys, checks, triggers, privileges and policies, so gateways and commands work as
-- before.
DO $$
DECLARE
    partitions CONSTANT integer := coalesce(nullif(current_setting('gateway.partitions', true), ''), '16');
    home CONSTANT text := current_schema();
    -- Some tables are not partitioned: most are read before the organization is known (keys, service accounts, members,
    -- invitations, domains, directories, identity providers, verification), webhooks are read for all organizations at
    -- once, and histories are kept after their organization is deleted.
    tables CONSTANT text[] := ARRAY(
        SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
        WHERE c.relnamespace = home::regnamespace AND c.relkind = 'r' AND NOT c.relispartition AND c.relname NOT IN ('api_keys', 'key_events', 'memberships', 'member_history', 'invitations',
                'certificates', 'period_locks', 'inventory_issues', 'service_accounts', 'service_account_tokens', 'idempotency_keys', 'domains') AND c.relname NOT LIKE 'verification\_%'
            AND c.relname NOT LIKE 'webhook\_%' AND c.relname NOT LIKE 'sso\_%' AND c.relname NOT LIKE 'directory\_%'
            AND a.attname = 'organization_id' AND a.attnotnull
        ORDER BY c.relname
    );
    -- Statements that create what CREATE TABLE ... LIKE does not copy, in the order in which they can run.
    afterwards CONSTANT text[] := ARRAY(
        WITH concerned AS (SELECT t::regclass AS id, t AS name FROM unnest(tables) AS t)
        SELECT statement FROM (
            SELECT CASE contype WHEN 'p' THEN 1 ELSE 3 END AS place,
                format('ALTER TABLE %I ADD CONSTRAINT %I %s', name, conname, pg_get_constraintdef(oid)) AS statement
            FROM concerned JOIN pg_constraint ON conrelid = id WHERE contype IN ('p', 'f')
            UNION ALL
            SELECT 2, pg_get_indexdef(indexrelid) FROM concerned JOIN pg_index ON indrelid = id WHERE NOT indisprimary
            UNION ALL
            SELECT 4, pg_get_triggerdef(oid) FROM concerned JOIN pg_trigger ON tgrelid = id WHERE NOT tgisinternal
            UNION ALL
            SELECT 5, format('ALTER TABLE %I %s TRIGGER %I', name, CASE tgenabled WHEN 'A' THEN 'ENABLE ALWAYS'
                WHEN 'R' THEN 'ENABLE REPLICA' WHEN 'D' THEN 'DISABLE' ELSE 'ENABLE' END, tgname)
            FROM concerned JOIN pg_trigger ON tgrelid = id WHERE NOT tgisinternal
            UNION ALL
            SELECT 5, format('GRANT %s ON %I TO %s', privilege_type, name,
                CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
                || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
            FROM concerned JOIN pg_class ON oid = id, aclexplode(relacl)
            UNION ALL
            SELECT 5, format('GRANT %s (%I) ON %I TO %s', privilege_type, attname, name,
                CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
                || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
            FROM concerned JOIN pg_attribute ON attrelid = id AND NOT attisdropped, aclexplode(attacl)
            UNION ALL
            SELECT 5, format('SELECT policy_attach(%L, %L)', name, 'organization_id')
            FROM concerned JOIN pg_class ON oid = id WHERE relrowsecurity
        ) AS parts ORDER BY place, statement
    );
    name text;
    statement text;
    check_name text;
    condition text;
    refused bigint;
    problems text[] := '{}';
BEGIN
    IF cardinality(tables) = 0 THEN
        RAISE EXCEPTION 'nothing to partition: the tables are already partitioned, or the database is not migrated';
    END IF;
    -- A NOT VALID check accepts existing rows that violate it, but inserting their copies would fail.
    FOR name, check_name, condition IN
        SELECT t, conname, pg_get_expr(conbin, conrelid)
        FROM unnest(tables) AS t JOIN pg_constraint ON conrelid = t::regclass
        WHERE contype = 'c' AND NOT convalidated ORDER BY t, conname
    LOOP
        EXECUTE format('SELECT count(*) FROM %I WHERE NOT (%s)', name, condition) INTO refused;
        IF refused > 0 THEN
            problems := problems || format('%s of %s (%s)', refused, name, check_name);
        END IF;
    END LOOP;
    IF cardinality(problems) > 0 THEN
        RAISE EXCEPTION 'nothing was partitioned, because some rows are older than a check and violate it: %',
            array_to_string(problems, ', ')
            USING HINT = 'Correct or delete them, then run this script again.';
    END IF;
    CREATE SCHEMA unpartitioned;
    -- Dropping the table would also drop a sequence that it owns.
    ALTER SEQUENCE emission_days_id_seq OWNED BY NONE;
    FOREACH name IN ARRAY tables LOOP
        EXECUTE format('ALTER TABLE %I SET SCHEMA unpartitioned', name);
    END LOOP;
    FOREACH name IN ARRAY tables LOOP
        EXECUTE format('CREATE TABLE %1$I (LIKE unpartitioned.%1$I INCLUDING ALL EXCLUDING INDEXES)
            PARTITION BY HASH (organization_id)', name);
        FOR part IN 0 .. partitions - 1 LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
                name || '_' || part, name, partitions, part);
        END LOOP;
        EXECUTE format('INSERT INTO %1$I SELECT * FROM unpartitioned.%1$I', name);
    END LOOP;
    EXECUTE 'DROP TABLE ' || (SELECT string_agg(format('unpartitioned.%I', t), ', ') FROM unnest(tables) AS t);
    DROP SCHEMA unpartitioned;
    ALTER SEQUENCE emission_days_id_seq OWNED BY emission_days.id;
    FOREACH statement IN ARRAY afterwards LOOP
        EXECUTE statement;
    END LOOP;
    PERFORM watch_partitions();
    -- Autovacuum does not analyze partitioned tables.
    FOREACH name IN ARRAY tables LOOP
        EXECUTE format('ANALYZE %I', name);
    END LOOP;
END $$;
