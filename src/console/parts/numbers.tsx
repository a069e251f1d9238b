/** The locale of the numbers on the page. Fields read numbers in the same locale. */
export const LOCALE = new Intl.NumberFormat().resolvedOptions().locale;

const every = new Intl.NumberFormat(undefined, { maximumFractionDigits: 40 });

/** Writes a plain decimal with every digit. */
export const writeDecimal = (decimal: string): string => every.format(decimal as Intl.StringNumericLiteral);

const ungrouped = new Intl.NumberFormat(undefined, { maximumFractionDigits: 40, useGrouping: false });

/**
 * Writes the plain decimals of a formula as the page does, without groups. Digits in names such as `CO2e` are
 * unchanged.
 */
export const writeFormula = (formula: string): string =>
  formula.replace(/(?<![\w.-])\d+(\.\d+)?(?![\w-])/g, (decimal) =>
    ungrouped.format(decimal as Intl.StringNumericLiteral),
  );

const short = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const exact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });
const money = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 6 });
const tonnes = new Intl.NumberFormat(undefined, { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const signed = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, signDisplay: "exceptZero" });

/** Writes a number with at most one decimal, for reading at a glance. */
export const shorten = (value: number): string => short.format(value);

/** Writes a number's change in percent, with its sign. */
export const percent = (value: number): string => `${signed.format(value)} %`;

/** Writes a sum with at most one decimal. A sum that is not zero is never written as zero. */
export const writeSum = (value: number): string =>
  value !== 0 && Math.abs(value) < 0.05 ? `< ${short.format(0.1)}` : short.format(value);

interface NumberProps {
  readonly value: number | null;
  /** Unit after the number. */
  readonly unit?: string;
}

const show = (format: Pick<Intl.NumberFormat, "format">, { value, unit }: NumberProps) => (
  <>
    {value === null ? (
      <span class="quiet">–</span>
    ) : (
      <data value={String(value)}>{format.format(value)}</data>
    )}
    {unit && ` ${unit}`}
  </>
);

/** A number with every digit from the gateway, and its plain form for programs. */
export const Exact = (props: NumberProps) => show(exact, props);

/** A price with at least two decimals, and its plain form for programs. */
export const Money = (props: NumberProps) => show(money, props);

/** An amount to the kilogram, so that the decimals of a list are aligned; its plain form has every digit. */
export const Tonnes = (props: NumberProps) => show(tonnes, props);

/** A sum with at most one decimal; its plain form has every digit. */
export const Sum = (props: NumberProps) => show({ format: writeSum }, props);
