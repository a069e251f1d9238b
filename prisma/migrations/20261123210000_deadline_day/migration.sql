-- The day of the month that a deadline which recurs returns to after a shorter month: 31 January, 28 February, 31 March.
ALTER TABLE "compliance_deadlines"
    ADD COLUMN "day_of_month" SMALLINT,
    ADD CONSTRAINT "compliance_deadlines_day_of_month_range" CHECK ("day_of_month" BETWEEN 1 AND 31);

-- The lists of src/data/database/grants.ts.
GRANT INSERT (day_of_month), UPDATE (day_of_month) ON compliance_deadlines TO gateway_writer;
