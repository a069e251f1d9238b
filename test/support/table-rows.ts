import type { Database } from "../../src/data/database/types.js";

/** A sample row of a tenant table. */
export type TableRow = readonly [
  /** Its name in the audit trail. */
  noun: string,
  /** Columns and values of an INSERT; `$` stands for the organization's id. */
  insert: string,
  change: string,
];

/**
 * A row of each table that members of an organization write, by table. Tests change them to check the audit trail
 * (test/data/audit-trail.both.test.ts) and, if the table is cached, announcements (test/contract/cached-answers.test.ts).
 */
export const TABLE_ROWS: Readonly<Record<string, TableRow>> = {
  facilities: ["facility", "(organization_id, code, name) SELECT $, 'a', 'A'", "name = 'B'"],
  emission_records: [
    "emission_record",
    "(organization_id, recorded_on, scope, co2e_tonnes) SELECT $, '2026-01-01', 'scope_1', 1",
    "co2e_tonnes = 2",
  ],
  emission_factors: [
    "emission_factor",
    `(organization_id, activity, region, scope, category, gas, factor, unit, dimension, source, source_url, source_year, verified)
      SELECT $, 'A', 'UK', 'scope_1', 'heat', 'CO2e', 2, 'kg', 'mass', 'Report', 'https://example.org', 2024, true`,
    "factor = 3",
  ],
  market_prices: [
    "market_price",
    "(organization_id, credit_type, exchange, price, currency, source) SELECT $, 'EUA', 'EEX', 80, 'EUR', 'Report'",
    "price = 81",
  ],
  imports: ["import", "(organization_id, file) SELECT $, 'a.csv'", "file = 'b.csv'"],
  anomaly_acknowledgements: [
    "anomaly",
    `(organization_id, finding_id, value, acknowledged_by, acknowledged_at)
      SELECT $, 'yoy:organization:2026-05', 1, gen_random_uuid(), '2026-11-20'`,
    "value = 2",
  ],
  business_metrics: [
    "business_metric",
    "(organization_id, name, unit, month, value) SELECT $, 'Output', 't', '2026-01-01', 1",
    "value = 2",
  ],
  activity_mappings: [
    "activity_mapping",
    `(organization_id, text, text_key, unit, unit_key, region, factor_id, fixed_year, updated_at)
      SELECT $, 'Heat', 'heat', 'kWh', 'energy', '', gen_random_uuid(), false, '2026-11-20'`,
    "fixed_year = true",
  ],
  inventory_policies: [
    "inventory_policy",
    `(organization_id, from_year, approach, scopes, base_year, base_year_reason, recalculation_threshold_pct, recalculation_policy, chosen_by, chosen_at)
      SELECT $, 2025, 'equity_share', '{scope_1,scope_2}', 2020, 'First data', 5, 'Any change', gen_random_uuid(), '2026-11-20'`,
    "base_year = 2021",
  ],
  entities: ["entity", "(organization_id, code, name, country) SELECT $, 'a', 'A', 'IN'", "name = 'B'"],
  entity_holdings: [
    "entity_holding",
    `(organization_id, entity_id, from_month, equity_share, financial_control, operational_control)
      SELECT $, id, '2025-01-01', 0.4, 'joint', true FROM entities WHERE organization_id = $`,
    "equity_share = 0.5",
  ],
  emission_streams: [
    "emission_stream",
    `(organization_id, scope, category, line, method, activity_uncertainty_pct, factor_uncertainty_pct, renewable, note)
      SELECT $, 'scope_2', 'Electricity', 'purchased_electricity', 'activity_based', 3, 4, false, 'Meters'`,
    "method = 'measured'",
  ],
  line_judgements: [
    "line_judgement",
    "(organization_id, year, line, state, reason) SELECT $, 2025, 'process', 'not_relevant', 'No processes'",
    "state = 'not_estimated'",
  ],
  energy_instruments: [
    "energy_instrument",
    `(organization_id, reference, kind, market, mwh, rate_kg_per_kwh, renewable, generated_from, generated_to, registry, certificate_number)
      SELECT $, 'a', 'certificate', 'IN', 300, 0, true, '2025-01-01', '2025-12-31', 'I-REC', '1'`,
    "renewable = false",
  ],
  energy_claims: [
    "energy_claim",
    `(organization_id, instrument_id, kind, facility_id, year, mwh, cancelled_on, cancellation, reason, reference)
      SELECT $, i.id, kind, f.id, 2025, 1, '2026-01-01', 'c', 'Late', 'a' FROM energy_instruments AS i, facilities AS f
      WHERE i.organization_id = $ AND f.organization_id = $ LIMIT 1`,
    "mwh = 2",
  ],
  reduction_targets: [
    "reduction_target",
    `(organization_id, name, scopes, scope_2_method, base_year, target_year, reduction_pct, actions)
      SELECT $, 'a', '{scope_1,scope_2}', 'market_based', 2020, 2030, 42, 'Heat pumps'`,
    "reduction_pct = 50",
  ],
  service_accounts: [
    "service_account",
    "(organization_id, name, role, scopes) SELECT $, 'A', 'viewer', '{read:market}'",
    "name = 'B'",
  ],
  service_account_tokens: [
    "service_account_token",
    `(organization_id, service_account_id, hash, pepper, display)
      SELECT $, id, gen_random_uuid(), 'none', 'cgw_svc_…' FROM service_accounts WHERE organization_id = $`,
    "expires_at = '2999-01-01'",
  ],
  webhook_endpoints: [
    "webhook_endpoint",
    `(organization_id, url, types, format, secret, created_at)
      SELECT $, 'https://example.org', '{facility.*}', 'json', 'sealed', '2026-11-20'`,
    "format = 'cloudevents'",
  ],
  sso_connections: [
    "sso",
    "(organization_id, issuer, client_id, default_role, role_claim, tested_by) SELECT $, 'https://example.org', 'a', 'viewer', 'groups', gen_random_uuid()",
    "default_role = 'editor'",
  ],
  domains: [
    "domain",
    `(organization_id, domain, token, created_at, proven_at, checked_at)
      SELECT $, replace(($)::text, '-', '') || '.example', repeat('7Qm2', 8), '2026-11-20', '2026-11-20', '2026-11-20'`,
    "failing_since = '2026-11-21'",
  ],
  directory_users: [
    "directory_user",
    `(organization_id, user_id, user_name, created_at, updated_at)
      SELECT organization_id, user_id, 'ada', '2026-11-20', '2026-11-20' FROM memberships WHERE organization_id = $ LIMIT 1`,
    "given_name = 'Ada'",
  ],
  directory_groups: [
    "directory_group",
    "(organization_id, display_name, external_id, role, created_at, updated_at) SELECT $, 'Auditors', 'a-1', 'viewer', '2026-11-20', '2026-11-20'",
    "role = 'editor'",
  ],
  compliance_statuses: [
    "framework",
    "(organization_id, framework, status, last_updated) SELECT $, 'CDP', 'compliant', now()",
    "note = 'Filed'",
  ],
  compliance_deadlines: [
    "deadline",
    "(organization_id, framework, title, due_date, status) SELECT $, 'CDP', 'A', '2026-01-01', 'pending'",
    "status = 'missed'",
  ],
  ccts_periods: [
    "ccts_period",
    `(organization_id, entity, financial_year, target_gei, target_source_url, achieved_gei, output)
      SELECT $, 'Mill', '2025-26', 1, 'https://example.org', 1, 1`,
    "output = 2",
  ],
  cbam_declarations: ["cbam_declaration", "(organization_id, year) SELECT $, 2026", "certificates_held = 7"],
  cbam_imports: [
    "cbam_import",
    `(organization_id, declaration_id, quarter, cn_code, country, mass_t, basis, precursors, reduction_tco2e)
      SELECT $, id, 'Q1', '7208', 'IN', 1, 'default', '[]', 0 FROM cbam_declarations WHERE organization_id = $`,
    "mass_t = 2",
  ],
  credit_batches: [
    "credit_batch",
    "(organization_id, reference, credit_type, quantity) SELECT $, 'a', 'VCS', 10",
    "quantity = 11",
  ],
  credit_sales: [
    "credit_sale",
    "(organization_id, batch_id, reference, quantity) SELECT $, id, 's', 1 FROM credit_batches WHERE organization_id = $",
    "quantity = 2",
  ],
  credit_retirements: [
    "credit_retirement",
    "(organization_id, batch_id, reference, quantity, retired_on) SELECT $, id, 'r', 1, '2026-01-01' FROM credit_batches WHERE organization_id = $",
    "quantity = 2",
  ],
};

/** Adds a row to each of these tables in which the organization has none. */
export async function fillTables(database: Database, organizationId: string): Promise<void> {
  await database.transaction(async ({ query, script }) => {
    for (const [table, [, insert]] of Object.entries(TABLE_ROWS)) {
      const rows = await query(`SELECT FROM ${table} WHERE organization_id = $1::uuid LIMIT 1`, [
        organizationId,
      ]);
      if (rows.length === 0) {
        await script(`INSERT INTO ${table} ${insert.replaceAll("$", `'${organizationId}'::uuid`)}`);
      }
    }
  });
}
