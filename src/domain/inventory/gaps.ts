import { isLarger, multiplyDecimals } from "../decimals.js";
import type { EmissionScope } from "../enums.js";
import type { InventoryGap, InventoryGapCode, InventoryLineAmount, UnmappedStream } from "./inventory.js";
import type { ComputedFacility } from "./scope-2-totals.js";

/** Most gaps with one code; the last of them counts the others. */
const MOST_OF_CODE = 100;

const BLOCKING: ReadonlySet<InventoryGapCode> = new Set([
  "STREAM_UNMAPPED",
  "LINE_UNJUSTIFIED",
  "ENERGY_MISSING",
  "CLAIMS_EXCEED_CONSUMPTION",
]);

type Place = Partial<Pick<InventoryGap, "line" | "scope" | "category" | "facility">>;

/** Creates a gap, which is of no line, stream and facility unless `place` names them. */
export function createGap(code: InventoryGapCode, message: string, place: Place = {}): InventoryGap {
  const nowhere = { line: null, scope: null, category: null, facility: null };
  return { code, blocking: BLOCKING.has(code), ...nowhere, ...place, message };
}

/** Limits the gaps of a code. */
const limitGaps = (gaps: readonly InventoryGap[]): readonly InventoryGap[] =>
  gaps.length <= MOST_OF_CODE
    ? gaps
    : [
        ...gaps.slice(0, MOST_OF_CODE - 1),
        ...gaps
          .slice(MOST_OF_CODE - 1, MOST_OF_CODE)
          .map(({ code }) =>
            createGap(code, `The same is the case ${gaps.length - MOST_OF_CODE + 1} more times.`),
          ),
      ];

/** Returns the gaps of streams without a line. */
export const listUnmappedGaps = (unmapped: readonly UnmappedStream[]): readonly InventoryGap[] =>
  limitGaps(
    unmapped.map(({ scope, category }) => {
      const records = category === null ? "without a category" : `of the category "${category}"`;
      const message = `The records of ${nameOf(scope)} ${records} count in no line. Map this stream to a line.`;
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

/** Returns the gaps of lines that were judged and have records. */
export const listContradictedGaps = (
  lines: readonly InventoryLineAmount[],
  judged: ReadonlySet<string>,
): readonly InventoryGap[] =>
  lines
    .filter(({ state, line }) => state === "included" && judged.has(line))
    .map(({ line, scope }) =>
      createGap(
        "JUDGEMENT_CONTRADICTED",
        `The line ${line} has records although it was judged to have none. The records count. Delete the judgement, or map the streams to another line.`,
        { line, scope },
      ),
    );

/** Returns the gaps of electricity by the market: those that block an issue, then those that it discloses. */
export function listMarketGaps(facilities: readonly ComputedFacility[]): readonly InventoryGap[] {
  const missing = facilities.filter(({ market }) => market.tonnes === null);
  const exceeding = facilities.filter(({ market }) => isLarger(market.unusedKwh, "0"));
  const without = facilities.filter(({ market }) => market.byLocation !== null);
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
      return `${count} of ${recordCount} electricity records of the facility ${code} state no kWh, which its claims or its residual mix need. Enter their kWh.`;
    }),
    ...at("CLAIMS_EXCEED_CONSUMPTION", exceeding, ({ electricity: { code, kwh }, market: { unusedKwh } }) => {
      const [unused, used] = [unusedKwh, kwh].map((amount) => multiplyDecimals([amount, "0.001"]));
      return `The facility ${code} used ${used} MWh of electricity, ${unused} MWh less than was claimed for it. Withdraw claims, or enter the missing records.`;
    }),
    ...at("RESIDUAL_MIX_MISSING", without, ({ electricity: { code, market } }) => {
      const place = code === null ? "records without a facility" : `the facility ${code}`;
      const remedy =
        market === null
          ? "State the market of the electricity."
          : `If a residual mix is published for the market ${market}, add it as a factor of the category residual_mix.`;
      return `The electricity of ${place} that no claim covers counts by location, so that other consumers may claim the same energy. ${remedy}`;
    }),
  ];
}

const nameOf = (scope: EmissionScope) => scope.replace("_", " ");

/** Returns the gap of records with a market-based amount of their own; empty without such records. */
export function listTypedGaps(recordCount: number): readonly InventoryGap[] {
  if (recordCount === 0) return [];
  const message = `${recordCount} records have a market-based amount of their own, which the inventory does not read. Enter energy instruments with their claims instead.`;
  return [createGap("TYPED_MARKET_BASED", message, { scope: "scope_2" })];
}
