import type { EmissionScope } from "../../domain/enums.js";
import type { SqlSession } from "../database/types.js";

/** Calculation of the rows of one activity of a file, in a range of years. */
export interface Choice {
  /** Number of the activity in the file. */
  readonly activity: number;
  /** First and last year of the records. */
  readonly from: number;
  readonly to: number;
  /** Scope and category of the factor, for rows without their own; null for a gas. */
  readonly scope: EmissionScope | null;
  readonly category: string | null;
  readonly factorId: string | null;
  /** Kilograms of CO2e per unit as a fraction of whole numbers, and as a decimal if that is finite. */
  readonly numerator: string;
  readonly denominator: string;
  readonly rate: string | null;
  /** Kilowatt-hours per unit as a fraction of whole numbers; null if the unit is no unit of energy. */
  readonly kwhNumerator: string | null;
  readonly kwhDenominator: string | null;
  /** The activity and calculation that a record stores, without its amounts. */
  readonly stored: object;
  readonly calculation: object;
  /** The formula between the amount and the kilograms. */
  readonly formula: string;
}

/** Creates the table of choices, which ends with the transaction. */
export const CREATE_CHOICES = `CREATE TEMP TABLE choices (
    choice int PRIMARY KEY, activity int NOT NULL, from_year int NOT NULL, to_year int NOT NULL, scope emission_scope, category text,
    factor_id uuid, numerator numeric NOT NULL, denominator numeric NOT NULL, rate numeric, kwh_numerator numeric, kwh_denominator numeric,
    stored jsonb NOT NULL, calculation jsonb NOT NULL, formula text NOT NULL
  ) ON COMMIT DROP;`;

/** Maximum number of choices in a statement, with some 2 kB each. */
const AT_ONCE = 200;

/** Adds the choices of a file, in parts. */
export async function addChoices(sql: SqlSession, choices: readonly Choice[]): Promise<void> {
  for (let start = 0; start < choices.length; start += AT_ONCE) {
    const rows = choices
      .slice(start, start + AT_ONCE)
      .map((choice, at) => ({ ...choice, choice: start + at }));
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

/** Joins a staged record `i` to the choice `c` of its activity and year. */
export const JOIN_CHOICE = `choices AS c ON c.activity = i.activity
  AND date_part('year', i.recorded_on)::int BETWEEN c.from_year AND c.to_year`;

/** A staged line without a choice, and the number of its activity. */
export interface UnresolvedLine {
  readonly line: number;
  readonly activity: number;
}

/** Finds the staged lines whose activity has no choice: the first of them, and their number. */
export async function findUnresolvedLines(
  sql: SqlSession,
  mostListed: number,
): Promise<{ count: number; first: readonly UnresolvedLine[] }> {
  const rows = await sql.query<UnresolvedLine & { count: number }>(
    `SELECT i.line::float8, i.activity, count(*) OVER ()::int AS count FROM incoming AS i LEFT JOIN ${JOIN_CHOICE}
     WHERE i.activity IS NOT NULL AND c.choice IS NULL
     ORDER BY i.line LIMIT $1`,
    [mostListed],
  );
  return { count: rows[0]?.count ?? 0, first: rows };
}

/** Returns SQL for the tonnes of an amount, rounded half up to 6 decimals: `div` is exact where `/` is not. */
export const tonnesSql = (
  amount: string,
): string => `CASE WHEN c.rate IS NOT NULL THEN round(${amount} * c.rate * 0.001, 6)
  ELSE div(2e6 * ${amount} * c.numerator + 1000 * c.denominator, 2000 * c.denominator) * 0.000001 END`;

/** SQL for the kWh of an amount, by the rules of kwhOf in domain/ghg/energy.ts; null if the choice's unit has none. */
export const kwhSql = (
  amount: string,
): string => `CASE WHEN ${amount} * c.kwh_numerator <= 1e15 * c.kwh_denominator
  THEN div(2e6 * ${amount} * c.kwh_numerator + c.kwh_denominator, 2 * c.kwh_denominator) * 0.000001 END`;

/**
 * Returns SQL for the kilograms of a record, and for ` = ` or ` ≈ `, by the rules of computeCo2e in domain/ghg/ghg.ts.
 */
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

/** SQL for the activity that an arranged record `a` stores, by its choice `c`; null without one. */
export const ACTIVITY = `c.stored || jsonb_build_object('amount', ${AMOUNT})`;

const { kg, sign } = kilogramsSql("a.amount");

/** SQL for each column that a record of an activity has and one in tonnes does not. */
export const CALCULATED_BY: Readonly<Record<string, string>> = {
  activity: ACTIVITY,
  factor_id: "c.factor_id",
  calculation: `c.calculation || jsonb_build_object('kg', ${kg}, 'tonnes', trim_scale(a.co2e_tonnes)::text,
    'formula', ${AMOUNT} || c.formula || ${sign} || ${kg} || ' kg CO2e')`,
};

/** A line whose activity results in more tonnes than a record may have. */
export interface ExcessiveLine {
  readonly line: number;
  readonly tonnes: string;
}

/** Finds the lines of activities of more than `most` tonnes: the first of them, and their number. */
export async function findExcessive(
  sql: SqlSession,
  most: string,
  mostListed: number,
): Promise<{ readonly count: number; readonly first: readonly ExcessiveLine[] }> {
  const rows = await sql.query<ExcessiveLine & { count: number }>(
    `SELECT line::float8, trim_scale(co2e_tonnes)::text AS tonnes, count(*) OVER ()::int AS count
     FROM arranged WHERE choice IS NOT NULL AND co2e_tonnes > $1::numeric ORDER BY line LIMIT $2`,
    [most, mostListed],
  );
  return { count: rows[0]?.count ?? 0, first: rows };
}
