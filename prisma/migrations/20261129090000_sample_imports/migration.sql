-- Sample data that an owner loads are an import, so that undoing it removes exactly them.
ALTER TABLE "imports" ADD COLUMN "is_sample" BOOLEAN NOT NULL DEFAULT false;
GRANT INSERT (is_sample) ON imports TO gateway_writer;
