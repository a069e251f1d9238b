-- Days and times that ISO 8601 can write with four digits of a year, whoever writes them: others, such as infinity, no
-- answer could show. NOT VALID: rows that are there already are not looked at until they change.
ALTER TABLE "compliance_statuses" ADD CONSTRAINT "compliance_statuses_last_updated_range"
    CHECK ("last_updated" >= '0001-01-01 00:00:00Z' AND "last_updated" < '10000-01-01 00:00:00Z') NOT VALID;

ALTER TABLE "compliance_deadlines" ADD CONSTRAINT "compliance_deadlines_due_date_range"
    CHECK ("due_date" BETWEEN '0001-01-01' AND '9999-12-31') NOT VALID;

ALTER TABLE "credit_retirements" ADD CONSTRAINT "credit_retirements_retired_on_range"
    CHECK ("retired_on" BETWEEN '0001-01-01' AND '9999-12-31') NOT VALID;

ALTER TABLE "market_prices"
    ADD CONSTRAINT "market_prices_as_of_range" CHECK ("as_of" BETWEEN '0001-01-01' AND '9999-12-31') NOT VALID,
    ADD CONSTRAINT "market_prices_recorded_at_range"
        CHECK ("recorded_at" >= '0001-01-01 00:00:00Z' AND "recorded_at" < '10000-01-01 00:00:00Z') NOT VALID;

ALTER TABLE "exchange_feeds" ADD CONSTRAINT "exchange_feeds_last_reported_at_range"
    CHECK ("last_reported_at" >= '0001-01-01 00:00:00Z' AND "last_reported_at" < '10000-01-01 00:00:00Z') NOT VALID;
