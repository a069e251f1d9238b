-- What people have looked at of what is unusual in monthly amounts. It counts for as long as the amount stays the same.
CREATE TABLE "anomaly_acknowledgements" (
    "organization_id" UUID NOT NULL,
    "finding_id" TEXT COLLATE "C" NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,
    "note" TEXT,
    "acknowledged_by" UUID NOT NULL,
    "acknowledged_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "anomaly_acknowledgements_pkey" PRIMARY KEY ("organization_id", "finding_id"),
    CONSTRAINT "anomaly_acknowledgements_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "anomaly_acknowledgements_finding_id_length" CHECK (char_length("finding_id") BETWEEN 1 AND 600),
    CONSTRAINT "anomaly_acknowledgements_note_length" CHECK (char_length("note") <= 1000),
    CONSTRAINT "anomaly_acknowledgements_acknowledged_at_range"
        CHECK ("acknowledged_at" >= '0001-01-01 00:00:00+00' AND "acknowledged_at" < '10000-01-01 00:00:00+00')
);

DO $$
DECLARE
    event text;
BEGIN
    FOREACH event IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'] LOOP
        EXECUTE format('CREATE TRIGGER anomaly_acknowledgements_announce_%1$s AFTER %2$s ON anomaly_acknowledgements %3$s
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes(''anomaly_acknowledgements'')',
            lower(event), event, CASE event WHEN 'INSERT' THEN 'REFERENCING NEW TABLE AS added'
                WHEN 'UPDATE' THEN 'REFERENCING NEW TABLE AS added OLD TABLE AS removed'
                WHEN 'DELETE' THEN 'REFERENCING OLD TABLE AS removed' ELSE '' END);
        EXECUTE format('ALTER TABLE anomaly_acknowledgements ENABLE ALWAYS TRIGGER anomaly_acknowledgements_announce_%1$s', lower(event));
    END LOOP;
END $$;
CREATE TRIGGER anomaly_acknowledgements_announce_row AFTER INSERT OR UPDATE OR DELETE ON anomaly_acknowledgements
    FOR EACH ROW EXECUTE FUNCTION announce_changed_row('anomaly_acknowledgements', 'organization_id');
ALTER TABLE anomaly_acknowledgements ENABLE REPLICA TRIGGER anomaly_acknowledgements_announce_row;

-- The lists of src/data/database/grants.ts.
GRANT SELECT ON "anomaly_acknowledgements" TO gateway_writer;
GRANT INSERT (organization_id, finding_id, value, note, acknowledged_by, acknowledged_at),
    UPDATE (value, note, acknowledged_by, acknowledged_at) ON anomaly_acknowledgements TO gateway_writer;
SELECT policy_attach('anomaly_acknowledgements', 'organization_id');

-- Adds to the list of src/domain/audit-actions.ts.
DO $$
DECLARE
    present CONSTANT text := (SELECT pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid = 'audit_entries'::regclass AND conname = 'audit_entries_action_known');
BEGIN
    ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_action_known;
    EXECUTE 'ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_action_known ' || replace(present, 'ARRAY[', 'ARRAY['
        '''anomaly.created''::text, ''anomaly.deleted''::text, ''anomaly.updated''::text, ');
END $$;
SELECT audit_attach('anomaly_acknowledgements', '{"noun": "anomaly", "organization": "organization_id",
    "key": ["organization_id", "finding_id"]}');
