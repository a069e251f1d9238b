import type { EmissionScope } from "../../domain/enums.js";
import type { SqlSession } from "../database/types.js";

/** Calculation chosen for a file's rows of one activity, in a range of years. */
export interface Choice {
  /** Number of the activity within the file. */
  readonly activity: number;
  /** First and last year of the records. */
  readonly from: number;
  readonly to: number;
  /** The factor's scope and category, for rows without their own; null for a gas. */
  readonly scope: EmissionScope | null;
  readonly category: string | null;
  readonly factorId: string | null;
  /** Kilograms of CO2e per unit as a fraction of integers, and as a decimal if it terminates. */
  readonly numerator: string;
  readonly denominator: string;
  readonly rate: string | null;
  /** Kilowatt-hours per unit as a fraction of integers; null unless the unit is one of energy. */
  readonly kwhNumerator: string | null;
  readonly kwhDenominator: string | null;
  /** Activity and calculation as a record stores them, without the amounts. */
  readonly stored: object;
  readonly calculation: object;
  /** The formula's text between the amount and the kilograms. */
  readonly formula: string;
}

/** SQL that creates the table of choices, which is dropped when the transaction ends. */
export const CREATE_CHOICES = `CREATE TEMP TABLE choices (
    choice int PRIMARY KEY, activity int NOT NULL, from_year int NOT NULL, to_year int NOT NULL, scope emission_scope, category text,
    factor_id uuid, numerator numeric NOT NULL, denominator numeric NOT NULL, rate numeric, kwh_numerator numeric, kwh_denominator numeric,
    stored jsonb NOT NULL, calculation jsonb NOT NULL, formula text NOT NULL
  ) ON COMMIT DROP;`;

/** Maximum number of choices per statement, at some 2 kB each. */
const BATCH = 200;

/** Adds a file's choices, in batches. */
export async function addChoices(sql: SqlSession, choices: readonly Choice[]): Promise<void> {
  for (let start = 0; start < choices.length; start += BATCH) {
    const rows = choices.slice(start, start + BATCH).map((choice, at) => ({ ...choice, choice: start + at }));
    await sql.execute(
      `INSERT INTO choices SELECT choice, activity, "from", "to", scope, category, "factorId", numerator, denominator, rate,
         "kwhNumerator", "kwhDenominator", stored, calculation, formula
       FROM jsonb_to_recordset($1::text::jsonb) AS c (choice int, activity int, "from" int, "to" int, scope emission_scope,
         category text, "factorId" uuid, numerator numeric, denominator numeric, rate numeric, "kwhNumerator" numeric,
         "kwhDenominator" numeric, stored jsonb, calculation jsonb, formula text)`,
      [JSON.stringify(rows)],
    );
  }
}

/** SQL that joins a staged record `i` to the choice `c` for its activity and year. */
export const JOIN_CHOICE = `choices AS c ON c.activity = i.activity
  AND date_part('year', i.recorded_on)::int BETWEEN c.from_year AND c.to_year`;

/** A staged line whose activity has no choice. */
export interface UnresolvedLine {
  readonly line: number;
  readonly activity: number;
}

/** Counts the staged lines whose activity has no choice, and lists the first ones. */
export async function findUnresolvedLines(
  sql: SqlSession,
  maxListed: number,
): Promise<{ count: number; first: readonly UnresolvedLine[] }> {
  const rows = await sql.query<UnresolvedLine & { count: number }>(
    `SELECT i.line::float8, i.activity, count(*) OVER ()::int AS count FROM incoming AS i LEFT JOIN ${JOIN_CHOICE}
     WHERE i.activity IS NOT NULL AND c.choice IS NULL
     ORDER BY i.line LIMIT $1`,
    [maxListed],
  );
  return { count: rows[0]?.count ?? 0, first: rows };
}

/** Returns SQL for the tonnes of an amount, rounded half up to 6 decimals. Unlike `/`, `div` is exact. */
export const tonnesSql = (
  amount: string,
): string => `CASE WHEN c.rate IS NOT NULL THEN round(${amount} * c.rate * 0.001, 6)
  ELSE div(2e6 * ${amount} * c.numerator + 1000 * c.denominator, 2000 * c.denominator) * 0.000001 END`;

/** Returns SQL for the kWh of an amount, like `kwhOf`; null if the unit is not one of energy, or above 10^15 kWh. */
export const kwhSql = (
  amount: string,
): string => `CASE WHEN ${amount} * c.kwh_numerator <= 1e15 * c.kwh_denominator
  THEN div(2e6 * ${amount} * c.kwh_numerator + c.kwh_denominator, 2 * c.kwh_denominator) * 0.000001 END`;

/** Returns SQL for a record's kilograms, and for the sign ` = ` or ` ≈ `, like `computeCo2e`. */
function kilogramsSql(amount: string): { readonly kg: string; readonly sign: string } {
  const product = `${amount} * c.numerator`;
  const exact = `div(${product} * 1e60, c.denominator)`;
  const hasEnd = `${exact} * c.denominator = ${product} * 1e60`;
  const rounded = `div(2e20 * ${product} + c.denominator, 2 * c.denominator) * 1e-20`;
  return {
    kg: `trim_scale(CASE WHEN c.rate IS NOT NULL THEN ${amount} * c.rate WHEN ${hasEnd} THEN ${exact} * 1e-60 ELSE ${rounded} END)::text`,
    sign: `CASE WHEN c.rate IS NOT NULL OR ${hasEnd} THEN ' = ' ELSE ' ≈ ' END`,
  };
}

const AMOUNT = "trim_scale(a.amount)::text";

/** SQL for the activity of an arranged record `a` with the choice `c`; null without one. */
export const ACTIVITY = `c.stored || jsonb_build_object('amount', ${AMOUNT})`;

const { kg, sign } = kilogramsSql("a.amount");

/** SQL for the columns that only calculated records have, by column. */
export const CALCULATED_VALUES: Readonly<Record<string, string>> = {
  activity: ACTIVITY,
  factor_id: "c.factor_id",
  calculation: `c.calculation || jsonb_build_object('kg', ${kg}, 'tonnes', trim_scale(a.co2e_tonnes)::text,
    'formula', ${AMOUNT} || c.formula || ${sign} || ${kg} || ' kg CO2e')`,
};

/** A line whose activity results in more tonnes than a record can have. */
export interface ExcessiveLine {
  readonly line: number;
  readonly tonnes: string;
}

/** Counts the lines whose activity results in more than `max` tonnes, and lists the first ones. */
export async function findExcessiveLines(
  sql: SqlSession,
  max: string,
  maxListed: number,
): Promise<{ readonly count: number; readonly first: readonly ExcessiveLine[] }> {
  const rows = await sql.query<ExcessiveLine & { count: number }>(
    `SELECT line::float8, trim_scale(co2e_tonnes)::text AS tonnes, count(*) OVER ()::int AS count
     FROM arranged WHERE choice IS NOT NULL AND co2e_tonnes > $1::numeric ORDER BY line LIMIT $2`,
    [max, maxListed],
  );
  return { count: rows[0]?.count ?? 0, first: rows };
}
