-- Where a benchmark holds, and the time that it describes
ALTER TABLE "benchmarks"
    ADD COLUMN "region" TEXT COLLATE "C",
    ADD COLUMN "period" TEXT COLLATE "C";

-- Pages of records, batches and retirements are read in the order of these
CREATE INDEX "emission_records_organization_id_recorded_on_id_idx" ON "emission_records"("organization_id", "recorded_on", "id");

DROP INDEX "credit_batches_organization_id_credit_type_idx";
CREATE INDEX "credit_batches_organization_id_credit_type_reference_idx" ON "credit_batches"("organization_id", "credit_type", "reference");

DROP INDEX "credit_retirements_organization_id_batch_id_idx";
CREATE INDEX "credit_retirements_organization_id_batch_id_retired_on_idx" ON "credit_retirements"("organization_id", "batch_id", "retired_on");
CREATE INDEX "credit_retirements_organization_id_retired_on_reference_idx" ON "credit_retirements"("organization_id", "retired_on", "reference");
