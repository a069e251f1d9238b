import { isLarger, multiplyDecimals } from "../decimals.js";
import type { EmissionScope } from "../enums.js";
import type { InventoryGap, InventoryGapCode, InventoryLineAmount, UnmappedStream } from "./inventory.js";
import type { ComputedFacility } from "./scope-2-totals.js";

/** Maximum number of gaps with one code. The last one counts the rest. */
const MAX_OF_CODE = 100;

const BLOCKING: ReadonlySet<InventoryGapCode> = new Set([
  "STREAM_UNMAPPED",
  "LINE_UNJUSTIFIED",
  "ENERGY_MISSING",
  "CLAIMS_EXCEED_CONSUMPTION",
]);

type Place = Partial<Pick<InventoryGap, "line" | "scope" | "category" | "facility">>;

/** Creates a gap. `place` names its line, stream or facility, if any. */
export function createGap(code: InventoryGapCode, message: string, place: Place = {}): InventoryGap {
  const nowhere = { line: null, scope: null, category: null, facility: null };
  return { code, blocking: BLOCKING.has(code), ...nowhere, ...place, message };
}

function limitGaps(gaps: readonly InventoryGap[]): readonly InventoryGap[] {
  const [first, ...rest] = gaps.slice(MAX_OF_CODE - 1);
  if (first === undefined || rest.length === 0) return gaps;
  const message = `There are ${rest.length + 1} more gaps of this kind.`;
  return [...gaps.slice(0, MAX_OF_CODE - 1), createGap(first.code, message)];
}

/** Returns the gaps of streams without a line. */
export const listUnmappedGaps = (unmapped: readonly UnmappedStream[]): readonly InventoryGap[] =>
  limitGaps(
    unmapped.map(({ scope, category }) => {
      const records = category === null ? "without a category" : `in the category "${category}"`;
      const message = `The records of ${nameOf(scope)} ${records} belong to no line. Map this stream to a line.`;
      return createGap("STREAM_UNMAPPED", message, { scope, category });
    }),
  );

/** Returns the gaps of lines that have neither records nor a reason. */
export const listMissingGaps = (lines: readonly InventoryLineAmount[]): readonly InventoryGap[] =>
  lines
    .filter(({ state }) => state === "missing")
    .map(({ line, scope }) =>
      createGap(
        "LINE_UNJUSTIFIED",
        `The line ${line} has neither records nor a reason. Enter records and map their stream to it, or state why it has none.`,
        { line, scope },
      ),
    );

/** Returns the gaps of lines that have records, although a judgement says that they have none. */
export const listContradictedGaps = (
  lines: readonly InventoryLineAmount[],
  judged: ReadonlySet<string>,
): readonly InventoryGap[] =>
  lines
    .filter(({ state, line }) => state === "included" && judged.has(line))
    .map(({ line, scope }) =>
      createGap(
        "JUDGEMENT_CONTRADICTED",
        `The line ${line} has records, but its judgement says that it has none. The records count. Delete the judgement, or map the streams to another line.`,
        { line, scope },
      ),
    );

/** Returns the gaps of market-based electricity: those that block an issue, then those that an issue discloses. */
export function listMarketGaps(facilities: readonly ComputedFacility[]): readonly InventoryGap[] {
  const missing = facilities.filter(({ market }) => market.tonnes === null);
  const exceeding = facilities.filter(({ market }) => isLarger(market.unusedKwh, "0"));
  const countedByLocation = facilities.filter(({ market }) => market.byLocation !== null);
  const at = (
    code: InventoryGapCode,
    found: readonly ComputedFacility[],
    messageOf: (facility: ComputedFacility) => string,
  ) =>
    limitGaps(
      found.map((facility) =>
        createGap(code, messageOf(facility), {
          scope: "scope_2",
          line: "purchased_electricity",
          facility: facility.electricity.code,
        }),
      ),
    );
  return [
    ...at("ENERGY_MISSING", missing, ({ electricity: { code, recordCount, kwhRecordCount } }) => {
      const count = recordCount - kwhRecordCount;
      return `${count} of ${recordCount} electricity records of facility ${code} have no kWh, but its claims or residual mix require kWh. Enter the missing kWh.`;
    }),
    ...at("CLAIMS_EXCEED_CONSUMPTION", exceeding, ({ electricity: { code, kwh }, market: { unusedKwh } }) => {
      const [unused, used] = [unusedKwh, kwh].map((amount) => multiplyDecimals([amount, "0.001"]));
      return `Facility ${code} used ${used} MWh of electricity, ${unused} MWh less than its claims. Withdraw claims, or enter the missing records.`;
    }),
    ...at("RESIDUAL_MIX_MISSING", countedByLocation, ({ electricity: { code, market } }) => {
      const place = code === null ? "records without a facility" : `facility ${code}`;
      const remedy =
        market === null
          ? "State the market of the electricity."
          : `If a residual mix is published for market ${market}, add it as a factor with the category residual_mix.`;
      return `Electricity of ${place} that no claim covers is counted by location, so other consumers may claim the same energy. ${remedy}`;
    }),
  ];
}

const nameOf = (scope: EmissionScope) => scope.replace("_", " ");

/** Returns the gap of records with a market-based amount of their own, if there are any. */
export function listTypedGaps(recordCount: number): readonly InventoryGap[] {
  if (recordCount === 0) return [];
  const message = `${recordCount} records have a market-based amount of their own, which the inventory ignores. Enter energy instruments and claims instead.`;
  return [createGap("TYPED_MARKET_BASED", message, { scope: "scope_2" })];
}
