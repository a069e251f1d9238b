-- Each row that waits for the COMMIT has its trigger, and the first trigger takes all rows of the transaction. The others look
-- for their own row only: to look for all again would read past everything that was deleted, once for each row.
DO $$
DECLARE
    take CONSTANT text := E'BEGIN\n    FOR pending IN';
    former CONSTANT text := pg_get_functiondef('audit_flush()'::regprocedure);
BEGIN
    IF position(take IN former) = 0 THEN
        RAISE EXCEPTION 'audit_flush() is not the function that this migration changes';
    END IF;
    EXECUTE replace(former, take, E'BEGIN
    IF NOT EXISTS (SELECT FROM audit_pending AS p WHERE p.transaction = NEW.transaction AND p.id = NEW.id) THEN
        RETURN NULL;
    END IF;
    FOR pending IN');
END $$;
