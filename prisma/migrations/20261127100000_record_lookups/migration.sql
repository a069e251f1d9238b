-- Look-ups among many records: by reference, by a part of a text, and the largest records of a month.

CREATE INDEX "emission_records_reference_idx" ON "emission_records"("organization_id", "reference") WHERE "reference" IS NOT NULL;

-- Every three characters in a row of a record's texts, and the last two and the last one, each after the beginning of the
-- organization's id: a search reads nothing of others, and one or two characters are the beginning of three. Of texts that
-- are longer than any but a few, this beginning alone, so that no record costs much: each search reads them. Needs no extension,
-- which not every server has. Expensive, and not parallel, so that it is looked up instead of computed.
CREATE FUNCTION emission_record_grams(organization_id uuid, reference text, category text, source text, note text)
    RETURNS tsvector LANGUAGE sql IMMUTABLE COST 1000 AS $$
    SELECT array_to_tsvector(CASE WHEN length(words) > 500 THEN ARRAY[organization] ELSE ARRAY(
        SELECT organization || substr(words, place, 3) FROM generate_series(1, length(words)) AS place
    ) END)
    FROM left(organization_id::text, 8) AS organization,
        lower(concat_ws(' ', reference, category, source, note) COLLATE "C") AS words
$$;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION emission_record_grams(uuid, text, text, text, text) SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $$;

CREATE INDEX "emission_records_grams_idx" ON "emission_records"
    USING gin (emission_record_grams("organization_id", "reference", "category", "source", "note"));
-- Without statistics PostgreSQL expects few matches, and so always uses the index.
ALTER INDEX "emission_records_grams_idx" ALTER COLUMN 1 SET STATISTICS 0;

-- Each of the next three lists the records of a month, by its number since the year 0, largest first.
CREATE INDEX "emission_records_facility_month_idx" ON "emission_records"("organization_id", "facility_id", "scope",
    (12 * date_part('year', "recorded_on")::integer + date_part('month', "recorded_on")::integer - 1), "co2e_tonnes" DESC, "id");
CREATE INDEX "emission_records_scope_month_idx" ON "emission_records"("organization_id", "scope",
    (12 * date_part('year', "recorded_on")::integer + date_part('month', "recorded_on")::integer - 1), "co2e_tonnes" DESC, "id");
CREATE INDEX "emission_records_category_month_idx" ON "emission_records"("organization_id", "category",
    (12 * date_part('year', "recorded_on")::integer + date_part('month', "recorded_on")::integer - 1), "co2e_tonnes" DESC, "id");
-- The first of them begins with the same columns.
DROP INDEX "emission_records_organization_id_facility_id_idx";
