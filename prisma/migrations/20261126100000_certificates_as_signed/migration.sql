-- Certificates whose numbers cannot be guessed, whose state only goes forward, and whose keys are dated by the database.

-- Numbers end in eight random characters of Crockford's base 32. Earlier numbers have none.
ALTER TABLE "certificates"
    DROP CONSTRAINT "certificates_number_form",
    DROP CONSTRAINT "certificates_superseded_by_form",
    ADD CONSTRAINT "certificates_number_form" CHECK ("number" ~ '^CGW-[0-9]{4}-[0-9]{6,9}(-[0-9A-HJKMNP-TV-Z]{8})?$'),
    ADD CONSTRAINT "certificates_superseded_by_form" CHECK ("superseded_by" ~ '^CGW-[0-9]{4}-[0-9]{6,9}(-[0-9A-HJKMNP-TV-Z]{8})?$');

-- Counts a certificate in its year. A counter moves with certificates only, and by one for each.
CREATE FUNCTION certificates_count() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    own CONSTANT integer := split_part(NEW.number, '-', 3);
    counted integer;
BEGIN
    INSERT INTO certificate_numbers AS n (year, last) VALUES (split_part(NEW.number, '-', 2)::integer, 1)
    ON CONFLICT (year) DO UPDATE SET last = CASE WHEN own > n.last THEN n.last + 1 ELSE n.last END RETURNING n.last INTO counted;
    IF own > counted THEN
        RAISE EXCEPTION 'the number % is refused: the next one of its year is %', NEW.number, counted USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

-- A certificate goes from valid to superseded to revoked and never back. Its successor is set once.
CREATE FUNCTION certificates_advance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status < OLD.status OR (NEW.status = 'valid' AND NEW.superseded_by IS NOT NULL)
        OR (OLD.superseded_by IS NOT NULL AND NEW.superseded_by IS DISTINCT FROM OLD.superseded_by) THEN
        RAISE EXCEPTION 'UPDATE of certificates is refused: % is %', OLD.number, OLD.status USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;

-- A key that signs ends the one before it; the clock of the database says when.
ALTER TABLE "signing_keys" ALTER COLUMN "used_from" SET DEFAULT CURRENT_TIMESTAMP;
CREATE FUNCTION signing_keys_take_over() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    UPDATE signing_keys SET used_until = CURRENT_TIMESTAMP WHERE kid <> NEW.kid AND used_until IS NULL;
    UPDATE signing_keys SET used_until = NULL WHERE kid = NEW.kid AND used_until IS NOT NULL;
    RETURN NEW;
END $$;

DO $$
DECLARE
    not_replicating CONSTANT text := '(current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())';
    name regprocedure;
BEGIN
    EXECUTE format('CREATE TRIGGER certificates_count AFTER INSERT ON certificates FOR EACH ROW WHEN %s
        EXECUTE FUNCTION certificates_count()', not_replicating);
    EXECUTE format('CREATE TRIGGER certificates_advance BEFORE UPDATE ON certificates FOR EACH ROW WHEN %s
        EXECUTE FUNCTION certificates_advance()', not_replicating);
    EXECUTE format('CREATE TRIGGER signing_keys_take_over BEFORE INSERT ON signing_keys FOR EACH ROW WHEN (NEW.used_until IS NULL AND %s)
        EXECUTE FUNCTION signing_keys_take_over()', not_replicating);
    ALTER TABLE certificates ENABLE ALWAYS TRIGGER certificates_count, ENABLE ALWAYS TRIGGER certificates_advance;
    ALTER TABLE signing_keys ENABLE ALWAYS TRIGGER signing_keys_take_over;
    FOREACH name IN ARRAY ARRAY['certificates_count()', 'certificates_advance()', 'signing_keys_take_over()']::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
    END LOOP;
END $$;

-- The lists of src/data/database/grants.ts.
REVOKE INSERT, UPDATE ON certificate_numbers FROM gateway_writer;
REVOKE INSERT, UPDATE ON signing_keys FROM gateway_writer;
GRANT INSERT (kid, public_key) ON signing_keys TO gateway_writer;
