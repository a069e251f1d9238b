import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addBatch,
  addCbamDeclaration,
  addDeadline,
  addFacility,
  addFactor,
  addMetric,
  addPrice,
  addRecord,
  addRetirement,
  addSale,
} from "../support/fixtures.js";
import { connectMcp, type McpClient } from "../support/mcp.js";
import { type Gateway, startSampleGateway } from "../support/server.js";

// biome-ignore lint/suspicious/noExplicitAny: each question knows the shape of its tools' answers
type Answer = any;
type Ask = (tool: string, given?: Record<string, unknown>) => Promise<Answer>;

interface Question {
  readonly question: string;
  /** Calls tools, and returns rows. */
  readonly ask: (call: Ask) => Promise<readonly (readonly unknown[])[]>;
  /** The same rows from the tables. */
  readonly sql: string;
}

const MAX_CALLS = 4;
const YEAR_2025 = { from: "2025-01-01", to: "2025-12-31" };
const Q2 = { from: "2026-04-01", to: "2026-06-30" };
const Q3 = { from: "2026-07-01", to: "2026-09-30" };

/** Emission records of the tenant with their facilities. */
const RECORDS = `(SELECT r.*, f.code, f.name AS facility, f.country FROM emission_records r
  JOIN organizations o ON o.id = r.organization_id AND o.slug = 'demo' LEFT JOIN facilities f ON f.id = r.facility_id
  WHERE r.deleted_at IS NULL) r`;
const TONNES = "trim_scale(sum(co2e_tonnes))::text";
const between = ({ from, to }: { readonly from: string; readonly to: string }) =>
  `recorded_on BETWEEN '${from}' AND '${to}'`;
/** Rows of another table of the tenant. */
const own = (table: string) =>
  `(SELECT t.* FROM ${table} t JOIN organizations o ON o.id = t.organization_id AND o.slug = 'demo') t`;
/** Prices visible to the tenant. */
const PRICES = `(SELECT t.* FROM market_prices t LEFT JOIN organizations o ON o.id = t.organization_id
  WHERE o.slug = 'demo' OR t.organization_id IS NULL) t`;
const items = async (answer: Promise<Answer>): Promise<Answer[]> => (await answer).items;

/** Sorts rows by their first value, like PostgreSQL's collation "C". */
const inOrder = (rows: readonly (readonly string[])[]) =>
  rows.toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1));

const QUESTIONS: readonly Question[] = [
  {
    question: "Who do I act for, and how far does the data reach?",
    ask: async (call) => {
      const { organization } = await call("get_organization");
      return [[organization.name, organization.latest_record]];
    },
    sql: `SELECT (SELECT name FROM organizations WHERE slug = 'demo'), max(recorded_on)::text FROM ${RECORDS}`,
  },
  {
    question: "How many tonnes did IN-PUNE emit in 2025?",
    ask: async (call) => {
      const pune = await call("get_emissions_summary", { ...YEAR_2025, facility_codes: ["IN-PUNE"] });
      return [[pune.total_co2e_tonnes_exact]];
    },
    sql: `SELECT ${TONNES} FROM ${RECORDS} WHERE code = 'IN-PUNE' AND ${between(YEAR_2025)}`,
  },
  {
    question: "How many tonnes of scope 2 were there from April to June 2026, from how many records?",
    ask: async (call) => {
      const scope2 = await call("get_emissions_summary", { ...Q2, scopes: ["scope_2"] });
      return [[scope2.total_co2e_tonnes_exact, scope2.record_count]];
    },
    sql: `SELECT ${TONNES}, count(*)::int FROM ${RECORDS} WHERE scope = 'scope_2' AND ${between(Q2)}`,
  },
  {
    question: "How is 2025 split into scopes?",
    ask: async (call) => {
      const { by_scope } = await call("get_emissions_summary", YEAR_2025);
      return by_scope.map((one: Answer) => [one.scope, one.co2e_tonnes_exact]);
    },
    sql: `SELECT scope::text, ${TONNES} FROM ${RECORDS} WHERE ${between(YEAR_2025)} GROUP BY 1 ORDER BY 1`,
  },
  {
    question: "What is the total of the inventory of 2025?",
    ask: async (call) => {
      const { total } = await call("get_inventory", { year: 2025 });
      return [[total.co2e_tonnes_exact]];
    },
    sql: `SELECT ${TONNES} FROM ${RECORDS} WHERE scope <> 'scope_3' AND ${between(YEAR_2025)}`,
  },
  {
    question: "Which emissions of scopes 1 and 2 does the VSME report of 2025 state?",
    ask: async (call) => {
      const { facts } = await call("get_vsme_report", { year: 2025 });
      const total = "vsme:TotalGrossLocationBasedScope1AndScope2GHGEmissions";
      return [[facts.find(({ concept }: Answer) => concept === total).value]];
    },
    sql: `SELECT ${TONNES} FROM ${RECORDS} WHERE scope <> 'scope_3' AND ${between(YEAR_2025)}`,
  },
  {
    question: "How many targets for reductions does the organization have?",
    ask: async (call) => [[(await call("get_targets")).items.length]],
    sql: "SELECT count(*)::int FROM reduction_targets",
  },
  {
    question: "What were the second and the third quarter of 2026?",
    ask: async (call) => {
      const { steps, trend = steps } = await call("get_emissions_trend", {
        from: Q2.from,
        to: Q3.to,
        step: "quarter",
      });
      return trend.map((one: Answer) => [one.from, one.record_count]);
    },
    sql: `SELECT date_trunc('quarter', recorded_on)::date::text, count(*)::int FROM ${RECORDS}
      WHERE recorded_on BETWEEN '${Q2.from}' AND '${Q3.to}' GROUP BY 1 ORDER BY 1`,
  },
  {
    question: "Which month of 2025 was the worst?",
    ask: async (call) => {
      const { trend } = await call("get_emissions_trend", YEAR_2025);
      const worst = trend.toSorted((a: Answer, b: Answer) => b.co2e_tonnes - a.co2e_tonnes)[0];
      return [[worst.from]];
    },
    sql: `SELECT date_trunc('month', recorded_on)::date::text FROM ${RECORDS} WHERE ${between(YEAR_2025)}
      GROUP BY 1 ORDER BY sum(co2e_tonnes) DESC LIMIT 1`,
  },
  {
    question: "In which months from January to April 2026 does NO-OSLO have no records?",
    ask: async (call) => {
      const range = { from: "2026-01-01", to: "2026-04-30" };
      const { trend } = await call("get_emissions_trend", { ...range, facility_codes: ["NO-OSLO"] });
      return trend.filter(({ gap }: Answer) => gap).map((one: Answer) => [one.from]);
    },
    sql: `SELECT m::date::text FROM generate_series('2026-01-01'::date, '2026-04-01', '1 month') m
      WHERE NOT EXISTS (SELECT FROM ${RECORDS} WHERE code = 'NO-OSLO' AND date_trunc('month', recorded_on) = m)`,
  },
  {
    question: "Which facility emitted most in the third quarter of 2026, and what was its share?",
    ask: async (call) => {
      const [first] = (await call("rank_emission_sources", { ...Q3, limit: 1 })).largest_parts;
      return [[first.part, first.co2e_tonnes_exact, first.share_percent]];
    },
    sql: `SELECT code, ${TONNES}, round(100 * sum(co2e_tonnes) / sum(sum(co2e_tonnes)) OVER (), 2)::float8
      FROM ${RECORDS} WHERE ${between(Q3)} GROUP BY 1 ORDER BY sum(co2e_tonnes) DESC LIMIT 1`,
  },
  {
    question: "Which three categories were the largest in 2025?",
    ask: async (call) => {
      const ranked = await call("rank_emission_sources", { ...YEAR_2025, by: "category", limit: 3 });
      return ranked.largest_parts.map((one: Answer) => [one.part, one.co2e_tonnes_exact]);
    },
    sql: `SELECT category, ${TONNES} FROM ${RECORDS} WHERE ${between(YEAR_2025)}
      GROUP BY 1 ORDER BY sum(co2e_tonnes) DESC LIMIT 3`,
  },
  {
    question: "How much of scope 1 does each country have in 2025?",
    ask: async (call) => {
      const given = { ...YEAR_2025, by: "country", scopes: ["scope_1"] };
      const { largest_parts } = await call("rank_emission_sources", given);
      return largest_parts.map((one: Answer) => [one.part, one.co2e_tonnes_exact]);
    },
    sql: `SELECT country, ${TONNES} FROM ${RECORDS} WHERE scope = 'scope_1' AND ${between(YEAR_2025)}
      GROUP BY 1 ORDER BY sum(co2e_tonnes) DESC`,
  },
  {
    question: "Which facilities are in India?",
    ask: async (call) => {
      const all = await items(call("list_facilities"));
      return all.filter(({ country }) => country === "IN").map(({ code }) => [code]);
    },
    sql: `SELECT code FROM ${own("facilities")} WHERE country = 'IN' ORDER BY code`,
  },
  {
    question: "What is the code of the works in Tuas?",
    ask: async (call) => (await items(call("list_facilities", { search: "tuas" }))).map(({ code }) => [code]),
    sql: `SELECT code FROM ${own("facilities")} WHERE name ILIKE '%tuas%'`,
  },
  {
    question: "What is the largest category of the works in Tuas in 2025?",
    ask: async (call) => {
      const [{ code }] = (await items(call("list_facilities", { search: "tuas" }))) as [Answer];
      const [largest] = (await call("get_facility", { code, ...YEAR_2025 })).categories;
      return [[largest.part, largest.co2e_tonnes_exact]];
    },
    sql: `SELECT category, ${TONNES} FROM ${RECORDS} WHERE facility ILIKE '%tuas%' AND ${between(YEAR_2025)}
      GROUP BY 1 ORDER BY sum(co2e_tonnes) DESC LIMIT 1`,
  },
  {
    question: "How much did GB-COVENTRY emit in the second quarter of 2026, and how much in the third?",
    ask: async (call) =>
      Promise.all(
        [Q2, Q3].map(async (range) => {
          const { total_co2e_tonnes_exact } = await call("get_facility", { code: "GB-COVENTRY", ...range });
          return [range.from, total_co2e_tonnes_exact];
        }),
      ),
    sql: `SELECT date_trunc('quarter', recorded_on)::date::text, ${TONNES} FROM ${RECORDS}
      WHERE code = 'GB-COVENTRY' AND recorded_on BETWEEN '${Q2.from}' AND '${Q3.to}' GROUP BY 1 ORDER BY 1`,
  },
  {
    question: "What is the largest record of IN-PUNE in 2026?",
    ask: async (call) => {
      const { largest_records } = await call("get_facility", {
        code: "IN-PUNE",
        from: "2026-01-01",
        to: "2026-12-31",
      });
      const [largest] = largest_records.items ?? largest_records;
      return [[largest.recorded_on, largest.category, largest.co2e_tonnes_exact]];
    },
    sql: `SELECT recorded_on::text, category, trim_scale(co2e_tonnes)::text FROM ${RECORDS}
      WHERE code = 'IN-PUNE' AND recorded_on >= '2026-01-01' ORDER BY co2e_tonnes DESC LIMIT 1`,
  },
  {
    question: "What are the two largest records of all in 2025?",
    ask: async (call) => {
      const found = await items(
        call("search_emission_records", { ...YEAR_2025, order_by: "co2e_tonnes", limit: 2 }),
      );
      return found.map((one) => [one.facility.code, one.co2e_tonnes_exact]);
    },
    sql: `SELECT code, trim_scale(co2e_tonnes)::text FROM ${RECORDS} WHERE ${between(YEAR_2025)}
      ORDER BY co2e_tonnes DESC LIMIT 2`,
  },
  {
    question: "Which records mention a meter?",
    ask: async (call) =>
      (await items(call("search_emission_records", { search: "METER" }))).map((one) => [one.reference]),
    sql: `SELECT reference FROM ${RECORDS}
      WHERE concat_ws(' ', reference, category, source, note) ILIKE '%meter%' ORDER BY recorded_on DESC`,
  },
  {
    question: "What does the note of the record about a meter say?",
    ask: async (call) => {
      const [{ id }] = (await items(call("search_emission_records", { search: "meter" }))) as [Answer];
      return [[(await call("get_emission_record", { id })).note]];
    },
    sql: `SELECT note FROM ${RECORDS} WHERE note ILIKE '%meter%'`,
  },
  {
    question: "How many records does GB-COVENTRY have in October 2026?",
    ask: async (call) => {
      const given = { from: "2026-10-01", to: "2026-10-31", facility_codes: ["GB-COVENTRY"], limit: 50 };
      const { items: found, next_cursor } = await call("search_emission_records", given);
      return [[next_cursor === null && found.length]];
    },
    sql: `SELECT count(*)::int FROM ${RECORDS} WHERE code = 'GB-COVENTRY' AND recorded_on BETWEEN '2026-10-01' AND '2026-10-31'`,
  },
  {
    question: "How much market-based scope 2 do the last 12 months have?",
    ask: async (call) => {
      const kpis = await call("get_emission_kpis");
      return [[kpis.market_based_scope_2_exact, kpis.market_based_record_count]];
    },
    sql: `SELECT trim_scale(sum(market_based_tonnes))::text, count(market_based_tonnes)::int FROM ${RECORDS}
      WHERE recorded_on BETWEEN '2025-11-21' AND '2026-11-20' AND scope = 'scope_2'`,
  },
  {
    question: "How many tonnes were emitted for each unit produced?",
    ask: async (call) => {
      const [{ metric, co2e_tonnes_exact, metric_total_exact, tonnes_per_unit }] = (
        await call("get_emission_kpis")
      ).intensity;
      return [[metric, co2e_tonnes_exact, metric_total_exact, tonnes_per_unit.toFixed(6)]];
    },
    sql: `SELECT m.name, tonnes::text, total::text, round(tonnes / total, 6)::text
      FROM (SELECT trim_scale(sum(co2e_tonnes)) AS tonnes FROM ${RECORDS} WHERE recorded_on BETWEEN '2025-11-01' AND '2026-10-31') r,
        (SELECT name, trim_scale(sum(value)) AS total FROM ${own("business_metrics")} GROUP BY 1) m`,
  },
  {
    question: "Which gaps does NO-OSLO have?",
    ask: async (call) => {
      const found = await items(call("find_anomalies", { types: ["gap"], limit: 50 }));
      return found
        .filter(({ series }) => series.facility === "NO-OSLO")
        .map(({ month }) => [month])
        .toSorted();
    },
    sql: `SELECT to_char(m, 'YYYY-MM') FROM generate_series('2024-11-01'::date, '2026-10-01', '1 month') m
      WHERE NOT EXISTS (SELECT FROM ${RECORDS} WHERE code = 'NO-OSLO' AND date_trunc('month', recorded_on) = m) ORDER BY 1`,
  },
  {
    question: "Without a trend, how much will GB-COVENTRY emit in November and December 2026?",
    ask: async (call) => {
      const given = { facility_codes: ["GB-COVENTRY"], method: "naive", horizon: 2 };
      const { points } = await call("forecast_emissions", given);
      return points.map((one: Answer) => [one.month, one.value.toFixed(3)]);
    },
    sql: `SELECT month, round(sum(co2e_tonnes), 3)::text FROM ${RECORDS}, (VALUES ('2026-11'), ('2026-12')) n (month)
      WHERE code = 'GB-COVENTRY' AND recorded_on BETWEEN '2026-10-01' AND '2026-10-31' GROUP BY 1 ORDER BY 1`,
  },
  {
    question: "How much is emitted by 1,000 kg in our own boiler, by which source?",
    ask: async (call) => {
      const activities = [{ amount: 1_000, unit: "kg", selector: { activity: "Boiler", region: "Home" } }];
      const [{ calculation }] = (await call("calculate_emissions", { activities })).results;
      return [[calculation.co2e_kg_exact, calculation.factor.source]];
    },
    sql: `SELECT trim_scale(1000 * factor)::text AS kg, source FROM ${own("emission_factors")}`,
  },
  {
    question: "Which factor does our own boiler have?",
    ask: async (call) => {
      const found = await items(call("search_emission_factors", { search: "boiler" }));
      return found.map((one) => [one.factor_exact, one.unit, one.source]);
    },
    sql: `SELECT trim_scale(factor)::text AS factor, unit, source FROM ${own("emission_factors")}`,
  },
  {
    question: "How much is embedded in 100 t of imports with 1.9 t CO2e per tonne?",
    ask: async (call) => {
      const line = {
        cn_code: "72083600",
        country: "IN",
        mass_t: 100,
        basis: "actual",
        direct_tco2e_per_t: 1.9,
      };
      const { total } = await call("estimate_cbam", { year: 2026, quarter: "Q3", lines: [line] });
      return [[total.embedded_emissions_exact]];
    },
    sql: "SELECT trim_scale(100 * 1.9)::text",
  },
  {
    question: "For which years are CBAM declarations submitted, and how many certificates are held?",
    ask: async (call) =>
      (await items(call("list_cbam_declarations"))).map((one) => [
        one.year,
        one.status,
        one.certificates_held,
      ]),
    sql: `SELECT year, status::text, certificates_held::int FROM ${own("cbam_declarations")} ORDER BY year`,
  },
  {
    question: "Which frameworks need action?",
    ask: async (call) => {
      const { frameworks, items: all = frameworks } = await call("get_compliance_status", {
        statuses: ["action_required"],
      });
      return all.map((one: Answer) => [one.framework]);
    },
    sql: `SELECT framework::text FROM ${own("compliance_statuses")} WHERE status = 'action_required' ORDER BY framework`,
  },
  {
    question: "What is the next deadline of CCTS?",
    ask: async (call) => {
      const { frameworks, items: all = frameworks } = await call("get_compliance_status");
      const [next] = all.find(({ framework }: Answer) => framework === "CCTS").next_deadlines;
      return [[next.title, next.due_date]];
    },
    sql: `SELECT title, due_date::text FROM ${own("compliance_deadlines")}
      WHERE framework = 'CCTS' AND due_date >= '2026-11-20' ORDER BY due_date LIMIT 1`,
  },
  {
    question: "Which deadlines are overdue?",
    ask: async (call) =>
      (await items(call("list_deadlines", { is_overdue: true }))).map((one) => [one.title, one.due_date]),
    sql: `SELECT title, due_date::text FROM ${own("compliance_deadlines")}
      WHERE due_date < '2026-11-20' AND status = 'pending' ORDER BY due_date`,
  },
  {
    question: "What is due for EU CBAM in 2027?",
    ask: async (call) => {
      const given = { frameworks: ["EU_CBAM"], due_from: "2027-01-01", due_to: "2027-12-31" };
      return (await items(call("list_deadlines", given))).map((one) => [one.title]);
    },
    sql: `SELECT title FROM ${own("compliance_deadlines")}
      WHERE framework = 'EU_CBAM' AND due_date BETWEEN '2027-01-01' AND '2027-12-31' ORDER BY due_date, title COLLATE "C"`,
  },
  {
    question: "How many credits are left, and how many are retired?",
    ask: async (call) => {
      const credits = await call("get_credit_portfolio");
      return [[credits.available_credits, credits.retired_credits]];
    },
    sql: `SELECT sum(available)::int AS available, sum(retired)::int AS retired FROM ${own("credit_batches")}`,
  },
  {
    question: "How many RECs are left?",
    ask: async (call) => {
      const { by_type_and_vintage } = await call("get_credit_portfolio");
      const recs = by_type_and_vintage.filter(({ credit_type }: Answer) => /rec/i.test(credit_type));
      return [[recs.reduce((sum: number, one: Answer) => sum + one.available, 0)]];
    },
    sql: `SELECT sum(available)::int FROM ${own("credit_batches")} WHERE credit_type ILIKE '%rec%'`,
  },
  {
    question: "Which batches are used up?",
    ask: async (call) => {
      const { batches } = await call("get_credit_portfolio");
      return batches.items
        .filter(({ available }: Answer) => available === 0)
        .map((one: Answer) => [one.reference]);
    },
    sql: `SELECT reference FROM ${own("credit_batches")} WHERE available = 0 ORDER BY credit_type, reference`,
  },
  {
    question: "For whom were credits retired in the last two years, and how many?",
    ask: async (call) => {
      const retired = await items(
        call("list_retirements", { from: "2024-11-21", to: "2026-11-20", limit: 50 }),
      );
      return retired.map((one) => [one.beneficiary, one.quantity]);
    },
    sql: `SELECT beneficiary, quantity::int FROM ${own("credit_retirements")}
      WHERE retired_on BETWEEN '2024-11-21' AND '2026-11-20' ORDER BY retired_on DESC, reference`,
  },
  {
    question: "To whom did we sell credits in October 2026, how many, and at which price?",
    ask: async (call) => {
      const sold = await items(call("list_sales", { from: "2026-10-01", to: "2026-10-31" }));
      return sold.map((one) => [one.buyer, one.quantity, one.price_exact, one.currency]);
    },
    sql: `SELECT buyer, quantity::int, trim_scale(price)::text, currency FROM ${own("credit_sales")}
      WHERE sold_on BETWEEN '2026-10-01' AND '2026-10-31' ORDER BY sold_on DESC, reference`,
  },
  {
    question: "Without a trend, how many credits will be retired in November 2026?",
    ask: async (call) => {
      const { points } = await call("forecast_retirements", { method: "naive", horizon: 1 });
      return points.map((one: Answer) => [one.month, one.value]);
    },
    sql: `SELECT '2026-11' AS month, sum(quantity)::int FROM ${own("credit_retirements")}
      WHERE retired_on BETWEEN '2026-10-01' AND '2026-10-31'`,
  },
  {
    question: "Without a trend, what will an RGGI allowance cost in November 2026?",
    ask: async (call) => {
      const given = { credit_type: "RGGI", exchange: "Own desk", method: "naive", horizon: 1 };
      const { points } = await call("forecast_price", given);
      return points.map((one: Answer) => [one.month, one.value]);
    },
    sql: `SELECT '2026-11' AS month, price::float8 FROM ${PRICES}
      WHERE credit_type = 'RGGI' AND as_of BETWEEN '2026-10-01' AND '2026-10-31'`,
  },
  {
    question: "What does an EUA cost, where, and since when?",
    ask: async (call) => {
      const prices = await items(call("get_market_prices", { credit_types: ["EUA"] }));
      return inOrder(prices.map((one) => [one.exchange, one.price_exact, one.currency, one.as_of]));
    },
    sql: `SELECT DISTINCT ON (exchange COLLATE "C") exchange, trim_scale(price)::text, currency, as_of::text FROM ${PRICES}
      WHERE credit_type = 'EUA' ORDER BY exchange COLLATE "C", as_of DESC`,
  },
  {
    question: "What was our own highest price of an EUA, and when?",
    ask: async (call) => {
      const [history] = await items(
        call("get_price_history", { credit_type: "eua", exchanges: ["Own desk"] }),
      );
      const highest = history.history.toSorted((a: Answer, b: Answer) => b.price - a.price)[0];
      return [[highest.price_exact, highest.as_of]];
    },
    sql: `SELECT trim_scale(price)::text, as_of::text FROM ${PRICES}
      WHERE credit_type = 'EUA' AND exchange = 'Own desk' ORDER BY price DESC LIMIT 1`,
  },
  {
    question: "Which intensities of cement are published, in which units?",
    ask: async (call) => {
      const found = await items(call("get_benchmarks", { sector: "cement" }));
      return inOrder(found.map((one) => [one.sector, one.intensity, one.unit]));
    },
    sql: `SELECT sector, intensity::float8, unit FROM benchmarks WHERE sector ILIKE '%cement%' ORDER BY sector COLLATE "C"`,
  },
  {
    question: "Which periods are verified, with which assurance?",
    ask: async (call) => {
      const found = await items(call("get_verification", { statuses: ["verified"] }));
      return found.map(({ number, period, level }) => [number, period.from, period.to, level]);
    },
    sql: `SELECT number, period_from::text, period_to::text, level::text FROM ${own("verification_requests")} WHERE status = 'verified'`,
  },
  {
    question: "What is the largest record of Tuas in the period that is verified?",
    ask: async (call) => {
      const [{ period }] = (await items(call("get_verification", { statuses: ["verified"] }))) as [Answer];
      const given = { ...period, facility_codes: ["SG-TUAS"], order_by: "co2e_tonnes", limit: 1 };
      const [largest] = (await items(call("search_emission_records", given))) as [Answer];
      return [[largest.recorded_on, largest.category]];
    },
    sql: `SELECT recorded_on::text, category FROM ${RECORDS}
      JOIN verification_requests v ON v.status = 'verified' AND recorded_on BETWEEN period_from AND period_to
      WHERE code = 'SG-TUAS' ORDER BY co2e_tonnes DESC LIMIT 1`,
  },
  {
    question: "Which facilities were added in the last days?",
    ask: async (call) => {
      const { items: found } = await call("list_events", { types: ["facility.created"] });
      return found.map(({ subject }: Answer) => [subject]);
    },
    sql: `SELECT 'facility/' || target_id AS subject FROM ${own("audit_entries")} WHERE action = 'facility.created' ORDER BY seq`,
  },
];

let gateway: Gateway;
let mcp: McpClient;
const called = new Set<string>();

beforeAll(async () => {
  let key: string;
  ({ gateway, key } = await startSampleGateway());
  const { database } = gateway;
  await addFactor(database, "demo", { factor: "2.125" });
  const months = Array.from({ length: 24 }, (_, index) =>
    new Date(Date.UTC(2024, 10 + index)).toISOString().slice(0, 7),
  );
  const batch = await addBatch(database, "demo", { reference: "REC-1", creditType: "I-REC", quantity: 750 });
  const oslo = await addFacility(database, "demo", { code: "NO-OSLO", name: "Oslo depot", country: "NO" });
  for (const [index, month] of months.entries()) {
    if (["2026-02", "2026-04"].includes(month)) continue;
    await addRecord(database, "demo", {
      facility: oslo,
      recordedOn: `${month}-15`,
      scope: "scope_2",
      co2eTonnes: `${10 + (index % 3)}.25`,
      marketBasedTonnes: "0.5",
      reference: `OSLO-${index}`,
      ...(index === 0 && { note: "Read from the meter in the basement" }),
    });
  }
  for (const [index, month] of months.entries()) {
    await addRetirement(database, batch, { quantity: 5 + (index % 4), retiredOn: `${month}-17` });
    await addPrice(database, "demo", {
      creditType: "RGGI",
      exchange: "Own desk",
      asOf: `${month}-10`,
      price: `${20 + (index % 5)}.25`,
    });
  }
  await addSale(database, batch, {
    soldOn: "2026-10-20",
    buyer: "Northwind",
    price: "12.125",
    currency: "EUR",
  });
  await addMetric(database, "demo", months.slice(-12));
  await addCbamDeclaration(database, "demo", { name: "Demonstration", digits: 1_200 });
  for (const [title, dueDate, framework] of [
    ["Verified CBAM declaration", "2027-09-30", "EU_CBAM"],
    ["Late return", "2026-10-31", "CCTS"],
    ["Form A", "2027-07-31", "CCTS"],
  ] as const) {
    await addDeadline(database, "demo", { title, dueDate, framework });
  }
  for (const [asOf, price] of [
    ["2026-11-17", "79.5"],
    ["2026-11-18", "81.25"],
    ["2026-11-19", "80.125"],
  ] as const) {
    await addPrice(database, "demo", { exchange: "Own desk", asOf, price });
  }
  const { id } = await database.prisma.organization.findUniqueOrThrow({ where: { slug: "demo" } });
  const period = { periodFrom: new Date("2025-01-01"), periodTo: new Date("2025-12-31") };
  for (const status of ["verified", "submitted"] as const) {
    await database.prisma.verificationRequest.create({
      data: {
        organizationId: id,
        number: `VR-${status}`,
        ...period,
        scopes: ["scope_1", "scope_2"],
        level: "limited",
        materialityPercent: "5",
        verifierEmail: "vera@example.org",
        status,
        createdAt: new Date("2026-10-20T10:00:00Z"),
      },
    });
  }
  mcp = await connectMcp(gateway, { "X-API-Key": key });
});
afterAll(async () => {
  await mcp.client.close();
  await gateway.stop();
});

describe("the tools of POST /mcp answer a question as the ledger's tables do", () => {
  it.each(QUESTIONS)("$question", async ({ ask, sql }) => {
    let calls = 0;
    const answer = await ask(async (tool, given) => {
      calls += 1;
      called.add(tool);
      const { isError, content, structuredContent } = await mcp.call(tool, given);
      if (isError) throw new Error(`${tool}: ${content[0]?.text}`);
      return structuredContent;
    });
    const rows = await gateway.database.select<Record<string, unknown>>(sql, []);
    expect(answer).toEqual(rows.map((row) => Object.values(row)));
    expect(answer.length).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(MAX_CALLS);
  });

  it("including 40 questions that need every tool", async () => {
    expect(QUESTIONS.length).toBeGreaterThanOrEqual(40);
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
  });
});
