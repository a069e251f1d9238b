-- Less planning for each write. The body of an SQL function that cannot be inlined is parsed and planned in every statement
-- that calls it, that of a PL/pgSQL function once in a session.

-- The values are those of the SQL function before it, so the index remains valid.
CREATE OR REPLACE FUNCTION emission_record_grams(organization_id uuid, reference text, category text, source text, note text)
    RETURNS tsvector LANGUAGE plpgsql IMMUTABLE COST 1000 AS $$
DECLARE
    organization CONSTANT text := left(organization_id::text, 8);
    words CONSTANT text := lower(concat_ws(' ', reference, category, source, note) COLLATE "C");
    places CONSTANT integer := length(words);
    grams text[] := '{}';
BEGIN
    IF places > 500 THEN
        RETURN array_to_tsvector(ARRAY[organization]);
    END IF;
    FOR place IN 1..places LOOP
        grams[place] := organization || substr(words, place, 3);
    END LOOP;
    RETURN array_to_tsvector(grams);
END $$;

CREATE OR REPLACE FUNCTION period_lock_key(organization_id uuid) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN hashtextextended(organization_id::text, 72707370);
END $$;

CREATE OR REPLACE FUNCTION audit_hash(prev_hash text, entry text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN encode(sha256(convert_to(prev_hash || E'\n' || entry, 'UTF8')), 'hex');
END $$;

DO $$
DECLARE
    name regprocedure;
BEGIN
    FOREACH name IN ARRAY ARRAY['emission_record_grams(uuid, text, text, text, text)', 'period_lock_key(uuid)']::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
    END LOOP;
END $$;
ALTER FUNCTION audit_hash(text, text) SET search_path = pg_catalog, pg_temp;

-- A plan for the given values takes an array as short as it is, and so always seems cheaper than one that is kept.
ALTER FUNCTION audit_record() SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION audit_flush() SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION change_note(uuid[], text) SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION period_locks_keep() SET plan_cache_mode = force_generic_plan;
