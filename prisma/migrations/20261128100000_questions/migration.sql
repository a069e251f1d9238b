-- Questions about probable errors, and which of them people accepted.

-- The questions that were accepted with an import; null if there were none.
ALTER TABLE "imports" ADD COLUMN "accepted" TEXT[],
    ADD CONSTRAINT "imports_accepted_length" CHECK (char_length(array_to_string("accepted", ' ')) <= 200);
GRANT INSERT (accepted) ON imports TO gateway_writer;

-- Looks up the records of a facility and category by day, and those with the same content. Zeros are compared with nothing.
CREATE INDEX "emission_records_compared_idx" ON "emission_records"("organization_id",
    coalesce("facility_id", '00000000-0000-0000-0000-000000000000'::uuid), coalesce("category", ''), "recorded_on", "co2e_tonnes", "scope")
    WHERE "deleted_at" IS NULL AND "co2e_tonnes" > 0;

-- Adds the questions that were accepted about a record to its entry: `gateway.accepted` has their codes by the record's id. An
-- entry of many records has the codes of all.
CREATE FUNCTION audit_note_accepted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    accepted CONSTANT jsonb := current_setting('gateway.accepted', true);
    target CONSTANT text := NEW.entry #>> '{target,id}';
    codes CONSTANT jsonb := CASE WHEN target IS NOT NULL THEN accepted -> target
        ELSE (SELECT jsonb_agg(DISTINCT code.value) FROM jsonb_each(accepted) AS e, jsonb_array_elements(e.value) AS code) END;
BEGIN
    IF codes IS NOT NULL THEN
        NEW.entry := jsonb_set(NEW.entry, '{changes,accepted}', codes);
    END IF;
    RETURN NEW;
END $$;

DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION audit_note_accepted() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $$;
REVOKE ALL ON FUNCTION audit_note_accepted() FROM PUBLIC;

CREATE TRIGGER audit_pending_note_accepted BEFORE INSERT ON "audit_pending" FOR EACH ROW
    WHEN (NEW.entry #>> '{target,type}' = 'emission_record' AND nullif(current_setting('gateway.accepted', true), '') IS NOT NULL)
    EXECUTE FUNCTION audit_note_accepted();
ALTER TABLE "audit_pending" ENABLE ALWAYS TRIGGER audit_pending_note_accepted;
