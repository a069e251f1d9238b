const short = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const exact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });
const signed = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, signDisplay: "exceptZero" });

/** A number with at most one decimal, for reading at a glance. */
export const shorten = (value: number): string => short.format(value);

/** A number's change in percent, with its sign. */
export const percent = (value: number): string => `${signed.format(value)} %`;

/** A number with every digit that the gateway gave, and its plain form for programs. */
export function Exact({ value }: { value: number | null }) {
  return value === null ? (
    <span class="quiet">–</span>
  ) : (
    <data value={String(value)}>{exact.format(value)}</data>
  );
}
