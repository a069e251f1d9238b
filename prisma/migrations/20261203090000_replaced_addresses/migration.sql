-- Adds to the kinds of e-mails that the present rule knows.
DO $$
DECLARE
    present CONSTANT text := (SELECT pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid = 'mail_jobs'::regclass AND conname = 'mail_jobs_kind_known');
BEGIN
    ALTER TABLE mail_jobs DROP CONSTRAINT mail_jobs_kind_known;
    EXECUTE 'ALTER TABLE mail_jobs ADD CONSTRAINT mail_jobs_kind_known ' || replace(present, 'ARRAY[', 'ARRAY[''address_replaced''::text, ');
END $$;
