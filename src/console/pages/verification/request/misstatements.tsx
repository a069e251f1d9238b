import { Exact, writeDecimal } from "../../../parts/numbers.js";
import type { Request } from "../read-requests.js";

/** The misstatements in the latest snapshot, compared with the materiality. */
export function Misstatements({ request }: { request: Request }) {
  const { tonnes, percent, isMaterial } = sumMisstatements(request);
  const { snapshot, materialityPercentExact } = request;
  return (
    <p class={isMaterial ? "complaint" : undefined}>
      Misstatements: <Exact value={tonnes} /> t of <Exact value={snapshot?.totalCo2eTonnes ?? 0} /> t
      {percent !== null && (
        <>
          , <Exact value={percent} />
          {"\u00a0%"}
        </>
      )}
      .{" "}
      {isMaterial
        ? `This reaches the materiality of ${writeDecimal(materialityPercentExact)}\u00a0%, so an unmodified opinion is not possible.`
        : `The materiality is ${writeDecimal(materialityPercentExact)}\u00a0%.`}
    </p>
  );
}

/** Total misstatement of the findings about the latest snapshot. */
export interface Misstatement {
  readonly tonnes: number;
  /** Percent of the total, rounded to 4 decimals; null if the total is zero. */
  readonly percent: number | null;
  /** True if it reaches the materiality, compared exactly. If the total is zero, any misstatement does. */
  readonly isMaterial: boolean;
}

/** Adds up the absolute misstatements and compares them with the materiality. */
export function sumMisstatements({
  findings,
  snapshot,
  materialityPercentExact,
}: Pick<Request, "findings" | "snapshot" | "materialityPercentExact">): Misstatement {
  const total = inMillionths(snapshot?.totalCo2eTonnesExact ?? "0");
  const sum = findings
    .filter(({ snapshotNumber }) => snapshotNumber === snapshot?.number)
    .reduce(
      (before, { misstatementTonnesExact }) => before + inMillionths(misstatementTonnesExact ?? "0"),
      0n,
    );
  return {
    tonnes: Number(sum) / 1e6,
    percent: total === 0n ? null : Math.round((Number(sum) / Number(total)) * 1e6) / 1e4,
    isMaterial: sum > 0n && sum * 100n * MILLION >= total * inMillionths(materialityPercentExact),
  };
}

const MILLION = 1_000_000n;

/** Converts a decimal with at most 6 decimal places to millionths, without its sign. */
function inMillionths(decimal: string): bigint {
  const [whole = "", fraction = ""] = decimal.replace("-", "").split(".");
  return BigInt(whole + fraction.padEnd(6, "0"));
}
