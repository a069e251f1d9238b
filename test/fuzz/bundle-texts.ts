import fc from "fast-check";
import { list } from "../support/list.js";
import { anyText, type Bytes, mutate, mutations, utf8 } from "./bytes.js";

/** JSON text, so that numbers keep their notation. */
type Json = string;

const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("A", "B", "Steel works", "VCS", "EUA", "naïve café", "😀".repeat(200)),
  },
  { weight: 1, arbitrary: anyText },
);
const written = text.map((value) => JSON.stringify(value));
const names = (...values: readonly string[]) =>
  fc.constantFrom(...values).map((value) => JSON.stringify(value));

/** Values that few or no fields accept. */
const hostile: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(
    "null",
    "true",
    "[]",
    "{}",
    '""',
    '" "',
    "-0",
    "-1",
    "1e400",
    "1e-400",
    "0.0000001",
    "1e18",
    '"\\ud800"',
  ),
  fc.constantFrom(
    '"\\u0000"',
    '"2025-02-30"',
    '"+275760-09-13"',
    '"0000-01-01"',
    '"9999-12-31T23:59:59-12:00"',
    '"1e3"',
  ),
  fc.constantFrom(
    ...list('{"__proto__":1} {"value":"1"} 9007199254740993 99999999999999999999999 "http://" 01 nul'),
  ),
  fc.integer({ min: 1, max: 20_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  anyText.map((value) => JSON.stringify(value)),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
);

const date = names("2026-11-20", "2026-12-31", "2024-02-29", "1000-01-01", "2999-12-31", "2030-06-30");
const time = names(
  "2026-11-20T09:00:00Z",
  "2026-11-20T09:00:00.123456+05:30",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
);
const url = names(
  ...list(`
  https://example.org/a HTTP://EXAMPLE.ORG/%zz http://[::1]/ https://example.org/é?x=<> http://a
`),
);
const amount = fc.oneof(
  fc.constantFrom(...list('0 1.5 0.000001 999999999999999.999999 1e3 "12.5" -0.0 123456789012345.123456')),
  fc.integer({ min: 0, max: 10_000 }).map(String),
);
const quantity = fc.oneof(
  fc.constantFrom("1", "9007199254740991", "4503599627370496", '"10"', "1e6"),
  fc.integer({ min: 1, max: 999 }).map(String),
);
const year = fc.constantFrom("1900", "2023", "2100", "2024.0", "2.02e3");
const framework = names("CCTS", "BRSR", "EU_CBAM", "SG_CCS", "GHG_PROTOCOL", "SBTi", "CDP", "TCFD");

type Fields = Readonly<Record<string, fc.Arbitrary<Json>>>;

/** Returns objects of these fields. Those whose name ends in `?` occur half the time, and now and then one is wrong. */
function row(fields: Fields): fc.Arbitrary<Json> {
  const pairs = Object.entries(fields).map(([given, value]) => {
    const name = given.replace("?", "");
    const right = {
      weight: given.endsWith("?") ? 60 : 120,
      arbitrary: value.map((json) => `"${name}":${json}`),
    };
    const absent = { weight: given.endsWith("?") ? 60 : 1, arbitrary: fc.constant("") };
    return fc.oneof(right, absent, { weight: 1, arbitrary: hostile.map((json) => `"${name}":${json}`) });
  });
  const more = fc.oneof(
    { weight: 300, arbitrary: fc.constant("") },
    fc.tuple(written, hostile).map((pair) => pair.join(":")),
  );
  return fc
    .tuple(...pairs, more)
    .map((members) => `{${members.filter((member) => member !== "").join(",")}}`);
}

const rows = (one: fc.Arbitrary<Json>) => fc.array(one, { maxLength: 3 }).map((all) => `[${all.join(",")}]`);

const retirement = row({ reference: written, quantity, retired_on: date, "beneficiary?": written });
const price = row({
  credit_type: written,
  exchange: written,
  price: amount,
  currency: names("EUR", "INR", "XXX", "USD"),
  "change_pct_24h?": fc.constantFrom("-1.5", "0", "1e3"),
  "price_type?": names("reference", "exchange_feed"),
  source: written,
  "source_url?": url,
  "as_of?": date,
  "updated_at?": time,
});
const owned: Fields = {
  "facilities?": rows(row({ code: written, name: written, "country?": names("IN", "DE", "SG") })),
  "emission_records?": rows(
    row({
      "reference?": written,
      recorded_on: date,
      scope: names("scope_1", "scope_2", "scope_3"),
      co2e_tonnes: amount,
      "category?": written,
      "source?": written,
    }),
  ),
  "frameworks?": rows(
    row({ framework, status: names("compliant", "action_required"), last_updated: time, "note?": written }),
  ),
  "deadlines?": rows(
    row({
      framework,
      title: written,
      due_date: date,
      status: written,
      "completed_on?": date,
      "evidence?": written,
      "recurrence?": names("annual", "quarterly", "monthly"),
      "source?": written,
      "source_url?": url,
    }),
  ),
  "credit_batches?": rows(
    row({
      reference: written,
      credit_type: written,
      quantity,
      "vintage?": year,
      "sold?": fc.constantFrom("0", "1"),
      "retirements?": rows(retirement),
    }),
  ),
  "market_prices?": rows(price),
};
const shared: Fields = {
  "market_prices?": rows(price),
  "benchmarks?": rows(
    row({
      sector: written,
      "intensity?": fc.constantFrom("1.91", "-0.5", "1e-9"),
      "unit?": written,
      "region?": written,
      "period?": written,
      "source?": written,
      "source_url?": url,
      "source_year?": year,
    }),
  ),
};

/** Slugs of the tenants in bundles; they have keys. */
export const SLUGS = ["fuzz-one", "fuzz-two"] as const;
const organization = names(...SLUGS).chain((slug) =>
  written.map((name) => `{"slug":${slug},"name":${name}}`),
);

const right = fc
  .oneof({ weight: 4, arbitrary: row({ organization, ...owned }) }, { weight: 1, arbitrary: row(shared) })
  .map(utf8);

/** Bytes of bundles, most nearly valid, the rest changed anywhere. */
export const bundleBytes: fc.Arbitrary<Bytes> = fc.oneof(
  { weight: 6, arbitrary: right },
  { weight: 2, arbitrary: fc.tuple(right, mutations).map(([bytes, changes]) => mutate(bytes, changes)) },
  { weight: 1, arbitrary: hostile.map(utf8) },
  { weight: 1, arbitrary: right.map((bytes) => `\xef\xbb\xbf${bytes}`) },
);
