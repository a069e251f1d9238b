/** Locale in which the page writes and reads numbers. */
export const LOCALE = new Intl.NumberFormat().resolvedOptions().locale;

const every = new Intl.NumberFormat(undefined, { maximumFractionDigits: 40 });

/** Writes a plain decimal with every digit. */
export const writeDecimal = (decimal: string): string => every.format(decimal as Intl.StringNumericLiteral);

const ungrouped = new Intl.NumberFormat(undefined, { maximumFractionDigits: 40, useGrouping: false });

/**
 * Writes the decimals of a formula in the page's locale, without grouping. Leaves digits in names such as `CO2e`
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

/** Writes a number with at most one decimal place. */
export const shorten = (value: number): string => short.format(value);

/** Writes a sum with at most one decimal place. Never writes a nonzero sum as zero. */
export const writeSum = (value: number): string =>
  value !== 0 && Math.abs(value) < 0.05 ? `< ${short.format(0.1)}` : short.format(value);

/** Writes a change with its sign. Locales such as English would write a hyphen for the minus. */
const signed = ({ format }: Pick<Intl.NumberFormat, "format">) => ({
  format: (value: number) => `${value < 0 ? "−" : value > 0 ? "+" : ""}${format(Math.abs(value))}`,
});

/** Writes a change in percent with its sign. */
export const percent = (value: number): string => `${signed({ format: writeSum }).format(value)} %`;

interface NumberProps {
  readonly value: number | null;
  /** True for a change, which has a sign. */
  readonly isChange?: boolean;
  /** Unit after the number. */
  readonly unit?: string;
}

/** Renders a formatted number with its unit. The `data` element has the plain number, for programs. */
const show = (format: Pick<Intl.NumberFormat, "format">, { value, unit, isChange }: NumberProps) => (
  <>
    {value === null ? (
      <span class="quiet">–</span>
    ) : (
      <data value={String(value)}>{(isChange ? signed(format) : format).format(value)}</data>
    )}
    {unit && ` ${unit}`}
  </>
);

/** A number with at most 6 decimal places. */
export const Exact = (props: NumberProps) => show(exact, props);

/** A price with at least two decimal places. */
export const Money = (props: NumberProps) => show(money, props);

/** An amount in tonnes to the kilogram, so that amounts in a column align. */
export const Tonnes = (props: NumberProps) => show(tonnes, props);

/** A sum with at most one decimal place. */
export const Sum = (props: NumberProps) => show({ format: writeSum }, props);
