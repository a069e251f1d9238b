-- What a greenhouse gas inventory needs beside the records: policies, entities with their holdings, lines of streams,
-- judgements, energy instruments with their claims, issues and targets. No record changes.
CREATE TYPE "inventory_approach" AS ENUM ('equity_share', 'financial_control', 'operational_control');
CREATE TYPE "financial_control" AS ENUM ('full', 'joint', 'none');
-- In the order of the scopes: scope 1 ends with `fugitive`, scope 3 starts with `purchased_goods_and_services`.
CREATE TYPE "inventory_line" AS ENUM ('stationary_combustion', 'mobile_combustion', 'process', 'fugitive',
    'purchased_electricity', 'purchased_heat',
    'purchased_goods_and_services', 'capital_goods', 'fuel_and_energy', 'upstream_transport', 'waste', 'business_travel',
    'commuting', 'upstream_leased_assets', 'downstream_transport', 'processing_of_sold_products', 'use_of_sold_products',
    'end_of_life_of_sold_products', 'downstream_leased_assets', 'franchises', 'investments');
CREATE TYPE "line_state" AS ENUM ('not_relevant', 'not_estimated');
CREATE TYPE "stream_method" AS ENUM ('measured', 'activity_based', 'supplier_specific', 'spend_based', 'estimated');
CREATE TYPE "instrument_kind" AS ENUM ('certificate', 'contract', 'supplier_rate');
CREATE TYPE "issue_basis" AS ENUM ('reported', 'restated');
CREATE TYPE "restatement_reason" AS ENUM ('acquisition', 'divestment', 'outsourcing', 'insourcing', 'method', 'factor', 'error',
    'boundary');
CREATE TYPE "scope_2_method" AS ENUM ('location_based', 'market_based');

-- The row with the latest `from_year` up to a year applies to it. `chosen_by` is an account, without a foreign key.
CREATE TABLE "inventory_policies" (
    "organization_id" UUID NOT NULL,
    "from_year" INTEGER NOT NULL,
    "approach" "inventory_approach" NOT NULL,
    "scopes" "emission_scope"[] NOT NULL,
    "year_starts_in" INTEGER NOT NULL DEFAULT 1,
    "base_year" INTEGER,
    "base_year_reason" TEXT,
    "recalculation_threshold_pct" DECIMAL(7,4),
    "recalculation_policy" TEXT,
    "chosen_by" UUID,
    "chosen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inventory_policies_pkey" PRIMARY KEY ("organization_id", "from_year"),
    CONSTRAINT "inventory_policies_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "inventory_policies_from_year_range" CHECK ("from_year" BETWEEN 1990 AND 2100),
    CONSTRAINT "inventory_policies_scopes_known" CHECK ("scopes" IN ('{scope_1,scope_2}', '{scope_1,scope_2,scope_3}')),
    CONSTRAINT "inventory_policies_year_starts_in_month" CHECK ("year_starts_in" BETWEEN 1 AND 12),
    CONSTRAINT "inventory_policies_base_year_range" CHECK ("base_year" BETWEEN 1990 AND 2100),
    CONSTRAINT "inventory_policies_base_year_reason_length" CHECK (char_length("base_year_reason") BETWEEN 1 AND 1000),
    CONSTRAINT "inventory_policies_base_year_has_reason" CHECK ("base_year" IS NULL OR "base_year_reason" IS NOT NULL),
    CONSTRAINT "inventory_policies_recalculation_threshold_pct_range"
        CHECK ("recalculation_threshold_pct" > 0 AND "recalculation_threshold_pct" <= 100),
    CONSTRAINT "inventory_policies_recalculation_policy_length" CHECK (char_length("recalculation_policy") BETWEEN 1 AND 1000),
    CONSTRAINT "inventory_policies_chosen_at_range"
        CHECK ("chosen_at" >= '0001-01-01 00:00:00Z' AND "chosen_at" < '10000-01-01 00:00:00Z')
);

CREATE TABLE "entities" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "code" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "country" CHAR(2),
    "parent_id" UUID,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "entities_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "entities_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "entities_organization_id_parent_id_fkey" FOREIGN KEY ("organization_id", "parent_id")
        REFERENCES "entities"("organization_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION,
    CONSTRAINT "entities_code_length" CHECK (char_length("code") BETWEEN 1 AND 200),
    CONSTRAINT "entities_name_length" CHECK (char_length("name") BETWEEN 1 AND 200),
    CONSTRAINT "entities_country_form" CHECK ("country" ~ '^[A-Z]{2}$'),
    CONSTRAINT "entities_not_own_parent" CHECK ("parent_id" <> "id")
);
CREATE UNIQUE INDEX "entities_organization_id_code_key" ON "entities"("organization_id", "code");
CREATE INDEX "entities_organization_id_parent_id_idx" ON "entities"("organization_id", "parent_id");

-- A holding lasts until the next one of its entity. Before the first one the share is 0.
CREATE TABLE "entity_holdings" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "entity_id" UUID NOT NULL,
    "from_month" DATE NOT NULL,
    "equity_share" DECIMAL(5,4) NOT NULL,
    "financial_control" "financial_control" NOT NULL,
    "operational_control" BOOLEAN NOT NULL,

    CONSTRAINT "entity_holdings_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "entity_holdings_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "entity_holdings_organization_id_entity_id_fkey" FOREIGN KEY ("organization_id", "entity_id")
        REFERENCES "entities"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "entity_holdings_from_month_range" CHECK ("from_month" BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT "entity_holdings_from_month_first_day" CHECK (extract(day FROM "from_month") = 1),
    CONSTRAINT "entity_holdings_equity_share_range" CHECK ("equity_share" BETWEEN 0 AND 1)
);
CREATE UNIQUE INDEX "entity_holdings_organization_id_entity_id_from_month_key"
    ON "entity_holdings"("organization_id", "entity_id", "from_month");

-- The line of each pair of a scope and a category of records; `category` is null for records without one.
CREATE TABLE "emission_streams" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "scope" "emission_scope" NOT NULL,
    "category" TEXT COLLATE "C",
    "line" "inventory_line" NOT NULL,
    "method" "stream_method",
    "activity_uncertainty_pct" DECIMAL(8,4),
    "factor_uncertainty_pct" DECIMAL(8,4),
    "renewable" BOOLEAN,
    "note" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "emission_streams_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "emission_streams_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "emission_streams_category_length" CHECK (char_length("category") BETWEEN 1 AND 200),
    CONSTRAINT "emission_streams_line_of_scope" CHECK (CASE "scope" WHEN 'scope_1' THEN "line" <= 'fugitive'
        WHEN 'scope_2' THEN "line" IN ('purchased_electricity', 'purchased_heat')
        ELSE "line" >= 'purchased_goods_and_services' END),
    CONSTRAINT "emission_streams_activity_uncertainty_pct_range" CHECK ("activity_uncertainty_pct" BETWEEN 0 AND 1000),
    CONSTRAINT "emission_streams_factor_uncertainty_pct_range" CHECK ("factor_uncertainty_pct" BETWEEN 0 AND 1000),
    CONSTRAINT "emission_streams_note_length" CHECK (char_length("note") BETWEEN 1 AND 1000)
);
CREATE UNIQUE INDEX "emission_streams_organization_id_scope_category_key"
    ON "emission_streams"("organization_id", "scope", "category") NULLS NOT DISTINCT;

CREATE TABLE "line_judgements" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "year" INTEGER NOT NULL,
    "line" "inventory_line" NOT NULL,
    "state" "line_state" NOT NULL,
    "reason" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "line_judgements_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "line_judgements_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "line_judgements_year_range" CHECK ("year" BETWEEN 1990 AND 2100),
    CONSTRAINT "line_judgements_reason_length" CHECK (char_length("reason") BETWEEN 1 AND 1000)
);
CREATE UNIQUE INDEX "line_judgements_organization_id_year_line_key" ON "line_judgements"("organization_id", "year", "line");

-- `mwh` is null for a supplier's rate, which applies to whatever is left. `claimed_mwh` follows from the claims. A market
-- is a country or a grid, such as GB or US-CAMX.
CREATE TABLE "energy_instruments" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "reference" TEXT COLLATE "C" NOT NULL,
    "kind" "instrument_kind" NOT NULL,
    "market" TEXT COLLATE "C" NOT NULL,
    "mwh" DECIMAL(24,6),
    "claimed_mwh" DECIMAL(24,6) NOT NULL DEFAULT 0,
    "rate_kg_per_kwh" DECIMAL(24,12) NOT NULL,
    "renewable" BOOLEAN,
    "generated_from" DATE NOT NULL,
    "generated_to" DATE NOT NULL,
    "registry" TEXT COLLATE "C",
    "certificate_number" TEXT COLLATE "C",
    "evidence" TEXT,

    CONSTRAINT "energy_instruments_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "energy_instruments_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "energy_instruments_reference_length" CHECK (char_length("reference") BETWEEN 1 AND 200),
    CONSTRAINT "energy_instruments_market_form" CHECK ("market" ~ '^[A-Z0-9-]{1,20}$'),
    CONSTRAINT "energy_instruments_mwh_positive" CHECK ("mwh" > 0 AND "mwh" <> 'NaN'),
    CONSTRAINT "energy_instruments_mwh_of_kind" CHECK (("kind" = 'supplier_rate') = ("mwh" IS NULL)),
    CONSTRAINT "energy_instruments_claimed_mwh_available" CHECK ("claimed_mwh" BETWEEN 0 AND coalesce("mwh", 0)),
    CONSTRAINT "energy_instruments_rate_kg_per_kwh_not_negative" CHECK ("rate_kg_per_kwh" >= 0 AND "rate_kg_per_kwh" <> 'NaN'),
    CONSTRAINT "energy_instruments_generated_from_range" CHECK ("generated_from" BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT "energy_instruments_generated_to_range" CHECK ("generated_to" BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT "energy_instruments_generated_order" CHECK ("generated_from" <= "generated_to"),
    CONSTRAINT "energy_instruments_registry_length" CHECK (char_length("registry") BETWEEN 1 AND 200),
    CONSTRAINT "energy_instruments_certificate_number_length" CHECK (char_length("certificate_number") BETWEEN 1 AND 200),
    CONSTRAINT "energy_instruments_evidence_length" CHECK (char_length("evidence") BETWEEN 1 AND 1000),
    CONSTRAINT "energy_instruments_proof" CHECK (CASE "kind"
        WHEN 'certificate' THEN "registry" IS NOT NULL AND "certificate_number" IS NOT NULL ELSE "evidence" IS NOT NULL END)
);
CREATE UNIQUE INDEX "energy_instruments_organization_id_reference_key" ON "energy_instruments"("organization_id", "reference");
CREATE UNIQUE INDEX "energy_instruments_certificate_key"
    ON "energy_instruments"("organization_id", "registry", "certificate_number");
CREATE UNIQUE INDEX "energy_instruments_kind_key" ON "energy_instruments"("organization_id", "id", "kind");

-- `kind` is that of the instrument. `created_at` is the order of the claims, by the clock of the database.
CREATE TABLE "energy_claims" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "instrument_id" UUID NOT NULL,
    "kind" "instrument_kind" NOT NULL,
    "facility_id" UUID NOT NULL,
    "year" INTEGER NOT NULL,
    "mwh" DECIMAL(24,6),
    "cancelled_on" DATE,
    "cancellation" TEXT,
    "reason" TEXT,
    "reference" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "energy_claims_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "energy_claims_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "energy_claims_instrument_fkey" FOREIGN KEY ("organization_id", "instrument_id", "kind")
        REFERENCES "energy_instruments"("organization_id", "id", "kind") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "energy_claims_organization_id_facility_id_fkey" FOREIGN KEY ("organization_id", "facility_id")
        REFERENCES "facilities"("organization_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION,
    CONSTRAINT "energy_claims_year_range" CHECK ("year" BETWEEN 1990 AND 2100),
    CONSTRAINT "energy_claims_mwh_positive" CHECK ("mwh" > 0 AND "mwh" <> 'NaN'),
    CONSTRAINT "energy_claims_mwh_of_kind" CHECK (("kind" = 'supplier_rate') = ("mwh" IS NULL)),
    CONSTRAINT "energy_claims_cancelled_on_range" CHECK ("cancelled_on" BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT "energy_claims_cancellation_length" CHECK (char_length("cancellation") BETWEEN 1 AND 200),
    CONSTRAINT "energy_claims_cancelled" CHECK ("kind" <> 'certificate' OR ("cancelled_on" IS NOT NULL AND "cancellation" IS NOT NULL)),
    CONSTRAINT "energy_claims_reason_length" CHECK (char_length("reason") BETWEEN 1 AND 1000),
    CONSTRAINT "energy_claims_reference_length" CHECK (char_length("reference") BETWEEN 1 AND 200),
    CONSTRAINT "energy_claims_created_at_range"
        CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z')
);
CREATE UNIQUE INDEX "energy_claims_organization_id_reference_key" ON "energy_claims"("organization_id", "reference");
CREATE INDEX "energy_claims_organization_id_year_facility_id_idx" ON "energy_claims"("organization_id", "year", "facility_id");
CREATE INDEX "energy_claims_organization_id_instrument_id_idx" ON "energy_claims"("organization_id", "instrument_id");
CREATE INDEX "energy_claims_organization_id_facility_id_idx" ON "energy_claims"("organization_id", "facility_id");
CREATE UNIQUE INDEX "energy_claims_supplier_rate_key" ON "energy_claims"("organization_id", "facility_id", "year")
    WHERE "kind" = 'supplier_rate';

-- `statement` is the inventory as canonical JSON, `digest` its SHA-256. `issued_by` is an account, without a foreign key.
CREATE TABLE "inventory_issues" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "year" INTEGER NOT NULL,
    "issue" INTEGER NOT NULL,
    "basis" "issue_basis" NOT NULL,
    "holdings_as_of" DATE,
    "reasons" "restatement_reason"[] NOT NULL DEFAULT '{}',
    "note" TEXT,
    "statement" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "issued_by" UUID,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inventory_issues_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "inventory_issues_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "inventory_issues_year_range" CHECK ("year" BETWEEN 1990 AND 2100),
    CONSTRAINT "inventory_issues_issue_positive" CHECK ("issue" > 0),
    CONSTRAINT "inventory_issues_first_is_reported" CHECK (("issue" = 1) = ("basis" = 'reported')),
    CONSTRAINT "inventory_issues_holdings_as_of_range" CHECK ("holdings_as_of" BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT "inventory_issues_holdings_as_of_first_day" CHECK (extract(day FROM "holdings_as_of") = 1),
    CONSTRAINT "inventory_issues_restated_has_reasons" CHECK (array_position("reasons", NULL) IS NULL
        AND CASE "basis" WHEN 'restated' THEN cardinality("reasons") BETWEEN 1 AND 8 ELSE cardinality("reasons") = 0 END),
    CONSTRAINT "inventory_issues_note_length" CHECK (char_length("note") BETWEEN 1 AND 1000),
    CONSTRAINT "inventory_issues_statement_length" CHECK (char_length("statement") BETWEEN 1 AND 10000000),
    CONSTRAINT "inventory_issues_digest_form" CHECK ("digest" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "inventory_issues_issued_at_range"
        CHECK ("issued_at" >= '0001-01-01 00:00:00Z' AND "issued_at" < '10000-01-01 00:00:00Z')
);
CREATE UNIQUE INDEX "inventory_issues_organization_id_year_issue_key" ON "inventory_issues"("organization_id", "year", "issue");

-- `target_value` is in tCO2e, or in tCO2e per unit of the business metric that `metric` names.
CREATE TABLE "reduction_targets" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "scopes" "emission_scope"[] NOT NULL,
    "scope_2_method" "scope_2_method",
    "metric" TEXT COLLATE "C",
    "base_year" INTEGER NOT NULL,
    "target_year" INTEGER NOT NULL,
    "reduction_pct" DECIMAL(7,4),
    "target_value" DECIMAL(24,6),
    "actions" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "reduction_targets_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "reduction_targets_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "reduction_targets_name_length" CHECK (char_length("name") BETWEEN 1 AND 200),
    CONSTRAINT "reduction_targets_scopes_some" CHECK (cardinality("scopes") BETWEEN 1 AND 3 AND array_position("scopes", NULL) IS NULL),
    CONSTRAINT "reduction_targets_method_of_scope_2" CHECK (("scope_2_method" IS NOT NULL) = ('scope_2' = ANY ("scopes"))),
    CONSTRAINT "reduction_targets_metric_length" CHECK (char_length("metric") BETWEEN 1 AND 200),
    CONSTRAINT "reduction_targets_base_year_range" CHECK ("base_year" BETWEEN 1990 AND 2100),
    CONSTRAINT "reduction_targets_target_year_later" CHECK ("target_year" > "base_year" AND "target_year" <= "base_year" + 60),
    CONSTRAINT "reduction_targets_reduction_pct_range" CHECK ("reduction_pct" > 0 AND "reduction_pct" <= 100),
    CONSTRAINT "reduction_targets_target_value_not_negative" CHECK ("target_value" >= 0 AND "target_value" <> 'NaN'),
    CONSTRAINT "reduction_targets_one_goal" CHECK (num_nonnulls("reduction_pct", "target_value") = 1),
    CONSTRAINT "reduction_targets_actions_length" CHECK (char_length("actions") BETWEEN 1 AND 2000)
);
CREATE UNIQUE INDEX "reduction_targets_organization_id_name_key" ON "reduction_targets"("organization_id", "name");

-- Without an entity, a facility is the organization's own; without a market, its country is the market.
ALTER TABLE "facilities"
    ADD COLUMN "entity_id" UUID,
    ADD COLUMN "electricity_market" TEXT COLLATE "C",
    ADD CONSTRAINT "facilities_electricity_market_form" CHECK ("electricity_market" ~ '^[A-Z0-9-]{1,20}$'),
    ADD CONSTRAINT "facilities_organization_id_entity_id_fkey" FOREIGN KEY ("organization_id", "entity_id")
        REFERENCES "entities"("organization_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;
CREATE INDEX "facilities_organization_id_entity_id_idx" ON "facilities"("organization_id", "entity_id");

-- The issue that a verifier reads beside the records of its period and scopes.
ALTER TABLE "verification_requests"
    ADD COLUMN "inventory_year" INTEGER,
    ADD COLUMN "inventory_issue" INTEGER,
    ADD CONSTRAINT "verification_requests_inventory_complete" CHECK (("inventory_year" IS NULL) = ("inventory_issue" IS NULL)),
    ADD CONSTRAINT "verification_requests_inventory_fkey" FOREIGN KEY ("organization_id", "inventory_year", "inventory_issue")
        REFERENCES "inventory_issues"("organization_id", "year", "issue") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- `claimed_mwh` follows from the claims, whoever writes them.
CREATE FUNCTION energy_instruments_keep_claimed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Only the trigger on claims may move it.
    IF TG_OP = 'INSERT' THEN
        NEW.claimed_mwh := 0;
    ELSIF pg_trigger_depth() < 2 THEN
        NEW.claimed_mwh := OLD.claimed_mwh;
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION energy_claims_move() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') AND OLD.mwh IS NOT NULL THEN
        UPDATE energy_instruments SET claimed_mwh = claimed_mwh - OLD.mwh
        WHERE organization_id = OLD.organization_id AND id = OLD.instrument_id;
    END IF;
    IF TG_OP IN ('INSERT', 'UPDATE') AND NEW.mwh IS NOT NULL THEN
        UPDATE energy_instruments SET claimed_mwh = claimed_mwh + NEW.mwh
        WHERE organization_id = NEW.organization_id AND id = NEW.instrument_id;
    END IF;
    RETURN NULL;
END $$;

-- An issue stays as it was, but goes with its organization.
CREATE FUNCTION inventory_issues_keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM organizations WHERE id = OLD.organization_id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% of % is refused: an issue of an inventory stays as it was', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END $$;

DO $$
DECLARE
    -- The rows that replication brings were checked and counted already.
    not_replicating CONSTANT text := 'WHEN (current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())';
    name regprocedure;
BEGIN
    EXECUTE format('CREATE TRIGGER energy_instruments_keep_claimed BEFORE INSERT OR UPDATE ON energy_instruments
        FOR EACH ROW %s EXECUTE FUNCTION energy_instruments_keep_claimed()', not_replicating);
    EXECUTE format('CREATE TRIGGER energy_claims_move AFTER INSERT OR UPDATE OR DELETE ON energy_claims
        FOR EACH ROW %s EXECUTE FUNCTION energy_claims_move()', not_replicating);
    EXECUTE format('CREATE TRIGGER inventory_issues_keep BEFORE UPDATE OR DELETE ON inventory_issues
        FOR EACH ROW %s EXECUTE FUNCTION inventory_issues_keep()', not_replicating);
    ALTER TABLE energy_instruments ENABLE ALWAYS TRIGGER energy_instruments_keep_claimed;
    ALTER TABLE energy_claims ENABLE ALWAYS TRIGGER energy_claims_move;
    ALTER TABLE inventory_issues ENABLE ALWAYS TRIGGER inventory_issues_keep;
    FOREACH name IN ARRAY ARRAY['energy_instruments_keep_claimed()', 'energy_claims_move()', 'inventory_issues_keep()']::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
    END LOOP;
END $$;

SELECT version_attach('entities');
SELECT version_attach('emission_streams');
SELECT version_attach('line_judgements');
SELECT version_attach('reduction_targets');

SELECT announce_attach(t, true), policy_attach(t, 'organization_id') FROM unnest(ARRAY['inventory_policies', 'entities',
    'entity_holdings', 'emission_streams', 'line_judgements', 'energy_instruments', 'energy_claims', 'inventory_issues',
    'reduction_targets']::regclass[]) AS t;

-- The lists of src/data/database/schema/grants.ts.
GRANT SELECT ON "inventory_policies", "entities", "entity_holdings", "emission_streams", "line_judgements", "energy_instruments",
    "energy_claims", "inventory_issues", "reduction_targets" TO gateway_writer;
GRANT INSERT (organization_id, from_year, approach, scopes, year_starts_in, base_year, base_year_reason, recalculation_threshold_pct,
        recalculation_policy, chosen_by, chosen_at),
    UPDATE (approach, scopes, year_starts_in, base_year, base_year_reason, recalculation_threshold_pct, recalculation_policy, chosen_by,
        chosen_at) ON inventory_policies TO gateway_writer;
GRANT INSERT (id, organization_id, code, name, country, parent_id), UPDATE (name, country, parent_id) ON entities TO gateway_writer;
GRANT INSERT (organization_id, entity_id, from_month, equity_share, financial_control, operational_control),
    UPDATE (equity_share, financial_control, operational_control), DELETE ON entity_holdings TO gateway_writer;
GRANT INSERT (organization_id, scope, category, line, method, activity_uncertainty_pct, factor_uncertainty_pct, renewable, note),
    UPDATE (line, method, activity_uncertainty_pct, factor_uncertainty_pct, renewable, note), DELETE ON emission_streams TO gateway_writer;
GRANT INSERT (organization_id, year, line, state, reason), UPDATE (state, reason), DELETE ON line_judgements TO gateway_writer;
GRANT INSERT (id, organization_id, reference, kind, market, mwh, rate_kg_per_kwh, renewable, generated_from, generated_to, registry,
        certificate_number, evidence) ON energy_instruments TO gateway_writer;
GRANT INSERT (id, organization_id, instrument_id, kind, facility_id, year, mwh, cancelled_on, cancellation, reason, reference),
    UPDATE (reason), DELETE ON energy_claims TO gateway_writer;
GRANT INSERT (id, organization_id, year, issue, basis, holdings_as_of, reasons, note, statement, digest, issued_by, issued_at)
    ON inventory_issues TO gateway_writer;
GRANT INSERT (id, organization_id, name, scopes, scope_2_method, metric, base_year, target_year, reduction_pct, target_value, actions),
    UPDATE (name, scopes, scope_2_method, metric, base_year, target_year, reduction_pct, target_value, actions), DELETE
    ON reduction_targets TO gateway_writer;
GRANT INSERT (entity_id, electricity_market), UPDATE (entity_id, electricity_market) ON facilities TO gateway_writer;
GRANT INSERT (inventory_year, inventory_issue) ON verification_requests TO gateway_writer;

SELECT audit_allow('emission_stream.created', 'emission_stream.deleted', 'emission_stream.updated',
    'energy_claim.created', 'energy_claim.deleted', 'energy_claim.updated', 'energy_claim.withdrawn',
    'energy_instrument.created', 'energy_instrument.deleted', 'energy_instrument.updated',
    'entity.created', 'entity.deleted', 'entity.updated',
    'entity_holding.created', 'entity_holding.deleted', 'entity_holding.updated',
    'inventory_issue.created', 'inventory_issue.deleted',
    'inventory_policy.created', 'inventory_policy.deleted', 'inventory_policy.updated',
    'line_judgement.created', 'line_judgement.deleted', 'line_judgement.updated',
    'reduction_target.created', 'reduction_target.deleted', 'reduction_target.updated');
SELECT audit_attach('inventory_policies', '{"noun": "inventory_policy", "organization": "organization_id",
    "key": ["organization_id", "from_year"]}');
SELECT audit_attach('entities', '{"noun": "entity", "organization": "organization_id", "key": ["organization_id", "id"],
    "untold": ["version"]}');
SELECT audit_attach('entity_holdings', '{"noun": "entity_holding", "organization": "organization_id", "key": ["organization_id", "id"]}');
SELECT audit_attach('emission_streams', '{"noun": "emission_stream", "organization": "organization_id",
    "key": ["organization_id", "id"], "untold": ["version"]}');
SELECT audit_attach('line_judgements', '{"noun": "line_judgement", "organization": "organization_id",
    "key": ["organization_id", "id"], "untold": ["version"]}');
-- The claimed energy follows from the claims, which are told. The statement of an issue is told by its digest.
SELECT audit_attach('energy_instruments', '{"noun": "energy_instrument", "organization": "organization_id",
    "key": ["organization_id", "id"], "untold": ["claimed_mwh"]}');
SELECT audit_attach('energy_claims', '{"noun": "energy_claim", "organization": "organization_id", "key": ["organization_id", "id"],
    "sum": "mwh"}');
SELECT audit_attach('inventory_issues', '{"noun": "inventory_issue", "organization": "organization_id",
    "key": ["organization_id", "id"], "untold": ["statement"]}', '{INSERT,DELETE}');
SELECT audit_attach('reduction_targets', '{"noun": "reduction_target", "organization": "organization_id",
    "key": ["organization_id", "id"], "untold": ["version"]}');
