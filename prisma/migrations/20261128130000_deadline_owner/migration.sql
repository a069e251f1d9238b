-- The person or team responsible for a deadline, as text: many of them have no account.
ALTER TABLE "compliance_deadlines"
    ADD COLUMN "owner" TEXT COLLATE "C",
    ADD CONSTRAINT "compliance_deadlines_owner_length" CHECK (char_length("owner") <= 200);

GRANT INSERT (owner), UPDATE (owner) ON compliance_deadlines TO gateway_writer;
