-- Prices by region, which organizations record for themselves, and indices of them.

-- `region` decides whose market a price belongs to. A statutory rate is in force from `as_of` to `statutory_until`.
ALTER TABLE "market_prices"
    ADD COLUMN "region" TEXT COLLATE "C",
    ADD COLUMN "contract" TEXT COLLATE "C",
    ADD COLUMN "unit" TEXT COLLATE "C" NOT NULL DEFAULT 'tCO2e',
    ADD COLUMN "statutory_until" DATE,
    ADD CONSTRAINT "market_prices_region_length" CHECK (char_length("region") <= 200),
    ADD CONSTRAINT "market_prices_contract_length" CHECK (char_length("contract") <= 200),
    ADD CONSTRAINT "market_prices_unit_length" CHECK (char_length("unit") BETWEEN 1 AND 200),
    ADD CONSTRAINT "market_prices_statutory_until_range" CHECK ("statutory_until" BETWEEN '0001-01-01' AND '9999-12-31'),
    ADD CONSTRAINT "market_prices_statutory_until_after" CHECK ("statutory_until" >= "as_of");

-- The list of src/domain/market/regions.ts.
UPDATE "market_prices" SET "region" = known.region
FROM (VALUES ('CCC', 'India'), ('ESCert', 'India'), ('SG_CARBON_TAX', 'Singapore'), ('CCS_offset', 'Singapore')) AS known (credit_type, region)
WHERE "market_prices"."credit_type" = known.credit_type;

CREATE TABLE "price_indices" (
    "code" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "base_date" DATE NOT NULL,
    "base_value" DECIMAL(24,9) NOT NULL DEFAULT 100,
    "stale_after_days" INTEGER NOT NULL DEFAULT 35,
    "methodology" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "price_indices_pkey" PRIMARY KEY ("code"),
    CONSTRAINT "price_indices_code_length" CHECK (char_length("code") BETWEEN 1 AND 200),
    CONSTRAINT "price_indices_name_length" CHECK (char_length("name") BETWEEN 1 AND 200),
    CONSTRAINT "price_indices_base_date_range" CHECK ("base_date" BETWEEN '1990-01-01' AND '9999-12-31'),
    CONSTRAINT "price_indices_base_value_positive" CHECK ("base_value" > 0 AND "base_value" <> 'NaN'),
    CONSTRAINT "price_indices_stale_after_days_range" CHECK ("stale_after_days" BETWEEN 0 AND 3660)
);

-- A weight counts from its day until the next one of the same instrument; 0 takes the instrument out.
CREATE TABLE "price_index_weights" (
    "index" TEXT COLLATE "C" NOT NULL,
    "credit_type" TEXT COLLATE "C" NOT NULL,
    "exchange" TEXT COLLATE "C" NOT NULL,
    "weight" DECIMAL(24,9) NOT NULL DEFAULT 1,
    "valid_from" DATE NOT NULL,

    CONSTRAINT "price_index_weights_pkey" PRIMARY KEY ("index", "credit_type", "exchange", "valid_from"),
    CONSTRAINT "price_index_weights_index_fkey" FOREIGN KEY ("index") REFERENCES "price_indices"("code")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "price_index_weights_index_length" CHECK (char_length("index") <= 200),
    CONSTRAINT "price_index_weights_credit_type_length" CHECK (char_length("credit_type") <= 200),
    CONSTRAINT "price_index_weights_exchange_length" CHECK (char_length("exchange") <= 200),
    CONSTRAINT "price_index_weights_weight_not_negative" CHECK ("weight" >= 0 AND "weight" <> 'NaN'),
    CONSTRAINT "price_index_weights_valid_from_range" CHECK ("valid_from" BETWEEN '0001-01-01' AND '9999-12-31')
);

-- As for benchmarks: what is everybody's is announced to all.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['price_indices', 'price_index_weights'] LOOP
        EXECUTE format('CREATE TRIGGER %1$s_announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %1$I
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes_to_all()', name);
        EXECUTE format('CREATE TRIGGER %1$s_announce_row AFTER INSERT OR UPDATE OR DELETE ON %1$I
            FOR EACH ROW EXECUTE FUNCTION announce_changed_row(%1$L)', name);
        EXECUTE format('ALTER TABLE %1$I ENABLE ALWAYS TRIGGER %1$s_announce, ENABLE REPLICA TRIGGER %1$s_announce_row', name);
    END LOOP;
END $$;

-- Allowances of emissions trading systems, with equal weights.
INSERT INTO "price_indices" ("code", "name", "base_date") VALUES ('global', 'Global allowance prices', '2026-01-02');
INSERT INTO "price_index_weights" ("index", "credit_type", "exchange", "valid_from") VALUES
    ('global', 'CCA', 'California-Quebec joint auction', '2026-01-02'),
    ('global', 'CEA', 'Shanghai Environment and Energy Exchange', '2026-01-02'),
    ('global', 'EUA', 'EEX', '2026-01-02'),
    ('global', 'NZU', 'emsTradepoint (spot)', '2026-01-02'),
    ('global', 'UKA', 'ICE Futures Europe', '2026-01-02');

-- The lists of src/data/database/grants.ts.
GRANT SELECT ON "price_indices", "price_index_weights" TO gateway_writer;
GRANT INSERT (id, organization_id, credit_type, exchange, price, currency, source, source_url, as_of, recorded_at, region, contract,
    unit, statutory_until) ON "market_prices" TO gateway_writer;
SELECT policy_attach('market_prices', 'organization_id');

-- The list of src/domain/audit-actions.ts. The actions that are known already stay.
DO $$
DECLARE
    definition CONSTANT text := pg_get_constraintdef((SELECT oid FROM pg_constraint
        WHERE conrelid = 'audit_entries'::regclass AND conname = 'audit_entries_action_known'));
BEGIN
    ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_action_known";
    EXECUTE 'ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_action_known" '
        || replace(definition, 'ARRAY[', 'ARRAY[''market_price.created'', ''market_price.deleted'', ''market_price.updated'', ');
END $$;
SELECT audit_attach('market_prices', '{"noun": "market_price", "organization": "organization_id", "key": ["id"]}');
