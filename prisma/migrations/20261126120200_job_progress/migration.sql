-- Jobs that go through organizations one after the other. `resume_after` is the last one that was begun, empty at the
-- beginning and null when the job has ended; `leased_until` is until when the process that runs it must report.
ALTER TABLE "jobs" ADD COLUMN "resume_after" TEXT COLLATE "C";
ALTER TABLE "jobs" ADD COLUMN "leased_until" TIMESTAMPTZ(3);
ALTER TABLE "jobs" ADD COLUMN "failures" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_resume_after_length" CHECK (char_length("resume_after") <= 200);
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_leased_until_range"
    CHECK ("leased_until" >= '0001-01-01 00:00:00Z' AND "leased_until" < '10000-01-01 00:00:00Z');
