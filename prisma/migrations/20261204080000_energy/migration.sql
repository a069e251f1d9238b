-- Energy and biogenic CO2 of records, with their sums by month, facility and category (`month_cell`), which inventories read.
-- The rows of other grains leave these columns at zero.

-- Lets every write of records finish, and holds back the next.
LOCK TABLE "emission_records" IN SHARE ROW EXCLUSIVE MODE;

ALTER TABLE "emission_records"
    ADD COLUMN "energy_kwh" DECIMAL(24,6),
    ADD COLUMN "biogenic_co2_tonnes" DECIMAL(24,6),
    ADD CONSTRAINT "emission_records_energy_kwh_not_negative" CHECK ("energy_kwh" >= 0 AND "energy_kwh" <> 'NaN'),
    ADD CONSTRAINT "emission_records_biogenic_co2_tonnes_not_negative"
        CHECK ("biogenic_co2_tonnes" >= 0 AND "biogenic_co2_tonnes" <> 'NaN');
ALTER TABLE "emission_days"
    ADD COLUMN "energy_kwh" DECIMAL(38,6) NOT NULL DEFAULT 0,
    ADD COLUMN "energy_record_count" BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN "biogenic_co2_tonnes" DECIMAL(38,6) NOT NULL DEFAULT 0;

GRANT INSERT (energy_kwh, biogenic_co2_tonnes), UPDATE (energy_kwh, biogenic_co2_tonnes) ON emission_records TO gateway_writer;

-- The kWh of an activity in a unit of energy, as src/domain/ghg/energy.ts derives them: rounded half away from zero to 6
-- decimals. Null for any other activity, and for over 10^15 kWh.
CREATE FUNCTION pg_temp.kwh_of(activity jsonb) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    unit CONSTANT text := replace(translate(lower(regexp_replace(btrim(activity ->> 'unit'), '\s+', ' ', 'g')), 'éÉ', 'ee'), '-', ' ');
    name CONSTANT text := regexp_replace(unit,
        ',? ?\(?\m(gross|gcv|hhv|hs|ho|brennwert|pcs|net|ncv|lhv|hi|hu|heizwert|pci)( cv)?\)?$', '');
    size CONSTANT numeric := CASE
        WHEN name ~ '^(kwh|kilowatt hours?|kilowattstunden?|kilowattheures?)$' THEN 3.6
        WHEN name ~ '^(mwh|megawatt hours?|megawattstunden?|megawattheures?)$' THEN 3600
        WHEN name ~ '^(gj|gigajoules?)$' THEN 1000
        WHEN name ~ '^(tj|terajoules?)$' THEN 1000000
        WHEN name ~ '^(mmbtu|million btu)$' THEN 1055.05585262 END;
    kwh numeric;
BEGIN
    IF size IS NULL OR activity ->> 'amount' !~ '^\d{1,60}(\.\d{1,60})?([eE][+-]?\d{1,2})?$' THEN
        RETURN NULL;
    END IF;
    kwh := div(2e6 * (activity ->> 'amount')::numeric * size + 3.6, 7.2) * 0.000001;
    RETURN CASE WHEN kwh <= 1e15 THEN kwh END;
END $$;

-- Fills in the energy of existing records. No trigger fires: the values follow from what the records say, so they are no change
-- of anybody's, and those of locked periods get them, too.
DO $$
DECLARE
    disable text[];
    enable text[];
    statement text;
BEGIN
    -- The triggers of the table before those of its partitions, which follow them unless they have a state of their own.
    SELECT array_agg(format('ALTER TABLE %s DISABLE TRIGGER %I', tgrelid::regclass, tgname) ORDER BY level, tgname),
        array_agg(format('ALTER TABLE %s ENABLE %s TRIGGER %I', tgrelid::regclass,
            CASE tgenabled WHEN 'A' THEN 'ALWAYS' WHEN 'R' THEN 'REPLICA' ELSE '' END, tgname) ORDER BY level, tgname)
    INTO disable, enable
    FROM (
        SELECT 'emission_records'::regclass AS relid, 0 AS level
        UNION SELECT relid, level FROM pg_partition_tree('emission_records')
    ) AS tables JOIN pg_trigger ON tgrelid = relid
    WHERE NOT tgisinternal AND tgenabled <> 'D';

    FOREACH statement IN ARRAY disable LOOP
        EXECUTE statement;
    END LOOP;
    UPDATE emission_records AS r SET energy_kwh = e.kwh
    FROM (SELECT organization_id, id, pg_temp.kwh_of(activity) AS kwh FROM emission_records WHERE activity IS NOT NULL) AS e
    WHERE (r.organization_id, r.id) = (e.organization_id, e.id) AND e.kwh IS NOT NULL;
    FOREACH statement IN ARRAY enable LOOP
        EXECUTE statement;
    END LOOP;
END $$;

-- That of records which an undone import brings back.
UPDATE replaced_records SET details = details || jsonb_build_object('energy_kwh', pg_temp.kwh_of(details -> 'activity'))
WHERE jsonb_typeof(details -> 'activity') = 'object';

DROP FUNCTION pg_temp.kwh_of(jsonb);

WITH sums AS (
    SELECT organization_id, date_trunc('month', recorded_on::timestamp)::date AS month, coalesce(facility_id::text, '') AS part,
        coalesce(category, '') AS subpart, scope, sum(energy_kwh) AS energy_kwh, count(*) AS energy_record_count
    FROM emission_records WHERE energy_kwh IS NOT NULL AND deleted_at IS NULL
    GROUP BY organization_id, month, part, subpart, scope
), kept AS (
    SELECT d.organization_id, min(d.id) AS id, s.energy_kwh, s.energy_record_count
    FROM sums AS s JOIN emission_days AS d ON (d.organization_id, d.grain, d.recorded_on, d.part, d.subpart, d.scope)
        = (s.organization_id, 'month_cell', s.month, s.part, s.subpart, s.scope)
    GROUP BY d.organization_id, d.recorded_on, d.part, d.subpart, d.scope, s.energy_kwh, s.energy_record_count
)
UPDATE emission_days AS d SET energy_kwh = k.energy_kwh, energy_record_count = k.energy_record_count
FROM kept AS k WHERE (d.organization_id, d.id) = (k.organization_id, k.id);

DO $$
DECLARE
    definition text := pg_get_functiondef('emission_days_follow()'::regprocedure);
    change text[];
BEGIN
    FOREACH change SLICE 1 IN ARRAY ARRAY[
        -- Sums of records.
        ['grouping(facility_id) = 0 AS by_facility, grouping(category) = 0 AS by_category,
                sum(n * co2e_tonnes) AS co2e_tonnes, sum(n) AS record_count',
         'grouping(facility_id) = 0 AS by_facility, grouping(category) = 0 AS by_category,
                sum(n * co2e_tonnes) AS co2e_tonnes, sum(n) AS record_count, coalesce(sum(n * energy_kwh), 0) AS energy_kwh,
                coalesce(sum(n) FILTER (WHERE energy_kwh IS NOT NULL), 0) AS energy_record_count,
                coalesce(sum(n * biogenic_co2_tonnes), 0) AS biogenic_co2_tonnes'],
        ['(recorded_on, category), (facility_id, category))
            HAVING sum(n * co2e_tonnes) <> 0 OR sum(n) <> 0',
         '(recorded_on, category), (facility_id, category))
            HAVING sum(n * co2e_tonnes) <> 0 OR sum(n) <> 0 OR (grouping(facility_id, category) = 0 AND (sum(n * energy_kwh) <> 0
                OR sum(n) FILTER (WHERE energy_kwh IS NOT NULL) <> 0 OR sum(n * biogenic_co2_tonnes) <> 0))'],
        -- Of the cells only.
        ['coalesce(CASE WHEN by_facility THEN category END, '''') AS subpart
            FROM parts',
         'coalesce(CASE WHEN by_facility THEN category END, '''') AS subpart,
                CASE WHEN by_facility AND by_category THEN energy_kwh ELSE 0 END AS energy_kwh,
                CASE WHEN by_facility AND by_category THEN energy_record_count ELSE 0 END AS energy_record_count,
                CASE WHEN by_facility AND by_category THEN biogenic_co2_tonnes ELSE 0 END AS biogenic_co2_tonnes
            FROM parts'],
        ['coalesce(facility_id::text, ''''), ''''
            FROM parts', 'coalesce(facility_id::text, ''''), '''', 0, 0, 0
            FROM parts'],
        ['coalesce(category, ''''), ''''
            FROM parts', 'coalesce(category, ''''), '''', 0, 0, 0
            FROM parts'],
        ['ELSE ''market_month'' END::emission_grain, '''', ''''', 'ELSE ''market_month'' END::emission_grain, '''', '''', 0, 0, 0'],
        -- With those that are stored.
        ['sum(record_count) OVER same AS total_count',
         'sum(record_count) OVER same AS total_count, sum(energy_kwh) OVER same AS total_energy,
                sum(energy_record_count) OVER same AS total_energy_count, sum(biogenic_co2_tonnes) OVER same AS total_biogenic'],
        ['scope, NULL AS id, co2e_tonnes, record_count FROM sums',
         'scope, NULL AS id, co2e_tonnes, record_count, energy_kwh, energy_record_count, biogenic_co2_tonnes FROM sums'],
        ['s.scope, d.id, d.co2e_tonnes, d.record_count',
         's.scope, d.id, d.co2e_tonnes, d.record_count, d.energy_kwh, d.energy_record_count, d.biogenic_co2_tonnes'],
        ['SET co2e_tonnes = r.total, record_count = r.total_count',
         'SET co2e_tonnes = r.total, record_count = r.total_count, energy_kwh = r.total_energy,
                energy_record_count = r.total_energy_count, biogenic_co2_tonnes = r.total_biogenic'],
        ['subpart, scope, co2e_tonnes, record_count)
        SELECT organization_id, grain, recorded_on, part, subpart, scope, total, total_count FROM rows',
         'subpart, scope, co2e_tonnes, record_count, energy_kwh, energy_record_count, biogenic_co2_tonnes)
        SELECT organization_id, grain, recorded_on, part, subpart, scope, total, total_count, total_energy, total_energy_count,
            total_biogenic FROM rows'],
        -- A row goes once all of its sums are zero.
        ['(r.total <> 0 OR r.total_count <> 0)',
         '(r.total, r.total_count, r.total_energy, r.total_energy_count, r.total_biogenic) <> (0, 0, 0, 0, 0)'],
        ['(r.total = 0 AND r.total_count = 0)',
         '(r.total, r.total_count, r.total_energy, r.total_energy_count, r.total_biogenic) = (0, 0, 0, 0, 0)'],
        ['(total <> 0 OR total_count <> 0)',
         '(total, total_count, total_energy, total_energy_count, total_biogenic) <> (0, 0, 0, 0, 0)']]
    LOOP
        IF position(change[1] IN definition) = 0 THEN
            RAISE EXCEPTION 'emission_days_follow() is not as expected: it lacks %', change[1];
        END IF;
        definition := replace(definition, change[1], change[2]);
    END LOOP;
    EXECUTE definition;
END $$;
