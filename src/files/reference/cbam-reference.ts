import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type ByPrefix, CBAM_SECTORS, type CbamRules } from "../../domain/cbam/cbam-rules.js";
import { groupBy } from "../../domain/group-by.js";

/** Converts a number to a string. JavaScript keeps the digits of all numbers in the file. */
const decimal = z.number().nonnegative().transform(String);
const cnPrefix = z.string().regex(/^\d{4,8}$/);
const years = z.record(z.string().regex(/^\d{4}$/), decimal);
const cited = { source: z.string(), source_url: z.url() };
const column = z.record(z.string().regex(/^([A-L]|any)$/), z.union([decimal, z.record(z.string(), decimal)]));

const fileShape = z.strictObject({
  title: z.string(),
  as_of: z.iso.date(),
  goods: z.strictObject({
    ...cited,
    exclusions: z.array(z.string()),
    rows: z.array(z.strictObject({ cn_prefix: cnPrefix, good: z.string(), sector: z.enum(CBAM_SECTORS) })),
  }),
  de_minimis: z.strictObject({
    ...cited,
    threshold_t: decimal,
    unit: z.string(),
    not_for: z.array(z.enum(CBAM_SECTORS)),
  }),
  cbam_factor: z.strictObject({
    ...cited,
    meaning: z.string(),
    by_year: years,
    proposal_not_law: z.strictObject({ ...cited, by_year: years }),
  }),
  cscf: z.strictObject({
    ...cited,
    by_period: z.strictObject({ "2026-2030": decimal }),
    after_2030: z.string(),
  }),
  markup: z.strictObject({
    ...cited,
    general: z.strictObject({ "2026": decimal, "2027": decimal, "2028+": decimal }),
    fertilisers: z.strictObject({ all_years: decimal }),
    applies_to: z.string(),
  }),
  certificate_price: z.strictObject({
    ...cited,
    rule: z.string(),
    rows: z.array(
      z.strictObject({
        quarter: z.string().regex(/^\d{4}-Q[1-4]$/),
        eur: decimal.nullable(),
        published: z.iso.date(),
      }),
    ),
  }),
  benchmarks: z.strictObject({
    ...cited,
    unit: z.string(),
    lookup: z.string(),
    route_legend: z.record(z.string(), z.string()),
    period_legend: z.record(z.string(), z.string()),
    rows: z.array(
      z.strictObject({
        cn_prefix: cnPrefix,
        description: z.string(),
        column_a_actual: column,
        column_b_default: column,
      }),
    ),
  }),
  default_values: z.strictObject({
    ...cited,
    unit: z.string(),
    note: z.string(),
    lookup: z.string(),
    rows: z.array(
      z.strictObject({
        country: z.string().regex(/^[A-Z]{2}$/),
        cn_prefix: cnPrefix,
        good: z.string(),
        direct: decimal.nullable(),
        indirect: decimal.nullable(),
        total: decimal,
        production_route: z.string().nullable(),
      }),
    ),
  }),
});

type Cited = { readonly source: string; readonly source_url: string };
const toSource = ({ source, source_url }: Cited) => ({ source, sourceUrl: source_url });

const byPrefix = <Row extends { readonly cn_prefix: string }, Indexed>(
  rows: readonly Row[],
  toIndexed: (row: Row) => Indexed,
): ByPrefix<Indexed> =>
  new Map([...groupBy(rows, (row) => row.cn_prefix)].map(([prefix, same]) => [prefix, same.map(toIndexed)]));

/** Reads the CBAM rules from `cbam.json` in `folder` (`prisma/reference`). Throws if the file is invalid. */
export async function readCbamRules(folder: string): Promise<CbamRules> {
  const bytes = await readFile(join(folder, "cbam.json"));
  const file = fileShape.parse(JSON.parse(bytes.toString("utf8")));
  const { goods, benchmarks, default_values, cbam_factor, cscf, markup, certificate_price } = file;
  return {
    asOf: file.as_of,
    digest: `sha256:${hash("sha256", bytes)}`,
    goods: byPrefix(goods.rows, ({ good, sector }) => ({ name: good, sector })),
    benchmarks: byPrefix(benchmarks.rows, ({ column_a_actual, column_b_default }) => ({
      actual: column_a_actual,
      byDefault: column_b_default,
    })),
    defaultValues: new Map(
      [...groupBy(default_values.rows, ({ country }) => country)].map(([country, rows]) => [
        country,
        byPrefix(rows, ({ good, direct, indirect, total, production_route }) => ({
          good,
          direct,
          indirect,
          total,
          route: production_route,
        })),
      ]),
    ),
    routes: benchmarks.route_legend,
    cbamFactors: { law: cbam_factor.by_year, com_2026_616: cbam_factor.proposal_not_law.by_year },
    cscf: cscf.by_period["2026-2030"],
    markups: { fertilisers: markup.fertilisers.all_years, general: markup.general },
    prices: certificate_price.rows.map(({ quarter, eur }) => ({ quarter, eur })),
    deMinimisThreshold: file.de_minimis.threshold_t,
    sources: {
      default_values: toSource(default_values),
      benchmarks: toSource(benchmarks),
      cbam_factor: toSource(cbam_factor),
      cscf: toSource(cscf),
      markup: toSource(markup),
      price: toSource(certificate_price),
    },
  };
}
