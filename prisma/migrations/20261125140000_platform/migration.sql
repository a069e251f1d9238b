-- What the people who run the platform see: sums of counts by day, and when its jobs ran. The gateway writes both by itself.
CREATE TABLE "platform_daily" (
    "date" DATE NOT NULL,
    "metric" TEXT COLLATE "C" NOT NULL,
    "value" BIGINT NOT NULL,

    CONSTRAINT "platform_daily_pkey" PRIMARY KEY ("date", "metric"),
    CONSTRAINT "platform_daily_date_range" CHECK ("date" BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT "platform_daily_metric_length" CHECK (char_length("metric") <= 200),
    CONSTRAINT "platform_daily_value_range" CHECK ("value" BETWEEN 0 AND 9007199254740991)
);

-- The row of a job says which process may run it next: the one that moves `started_at`.
CREATE TABLE "jobs" (
    "name" TEXT COLLATE "C" NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("name"),
    CONSTRAINT "jobs_name_length" CHECK (char_length("name") BETWEEN 1 AND 200),
    CONSTRAINT "jobs_started_at_range" CHECK ("started_at" >= '0001-01-01 00:00:00Z' AND "started_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "jobs_finished_at_range" CHECK ("finished_at" >= '0001-01-01 00:00:00Z' AND "finished_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "jobs_failed_at_range" CHECK ("failed_at" >= '0001-01-01 00:00:00Z' AND "failed_at" < '10000-01-01 00:00:00Z')
);

-- The list of src/data/database/grants.ts.
GRANT SELECT ON "platform_daily", "jobs" TO gateway_writer;
