import { addDecimals, percentOf, subtractDecimals } from "../decimals.js";
import type { EmissionScope } from "../enums.js";
import type { Steps } from "../steps.js";
import {
  createGap,
  listContradictedGaps,
  listMarketGaps,
  listMissingGaps,
  listTypedGaps,
  listUnmappedGaps,
} from "./gaps.js";
import type {
  Inventory,
  InventoryLineAmount,
  InventoryPolicy,
  LineJudgement,
  StreamMethod,
  UnmappedStream,
} from "./inventory.js";
import { type InventoryLine, LINES_OF_SCOPE } from "./lines.js";
import { type ComputedFacility, type ElectricityTotals, sumMarket } from "./scope-2-totals.js";
import { combineUncertainty } from "./uncertainty.js";
import { periodOfYear } from "./year.js";

/** Sums of a line's streams with the same method. Amounts are plain decimals, after shares. */
export interface StreamSum {
  readonly scope: EmissionScope;
  /** Null for streams without a line. */
  readonly line: InventoryLine | null;
  readonly method: StreamMethod | null;
  readonly tonnes: string;
  /** Tonnes before shares. */
  readonly ledgerTonnes: string;
  readonly biogenicTonnes: string;
  /** Number of records with a share above 0. */
  readonly recordCount: number;
  /** Tonnes of the streams that state an uncertainty. */
  readonly coveredTonnes: string;
  /** Sum of squares of these streams, as in `CoveredStreams`. */
  readonly squares: string;
}

/** Inputs of an inventory. */
export interface InventoryParts {
  readonly year: number;
  readonly policy: InventoryPolicy;
  readonly holdingsAsOf: string | null;
  /** Largest first. */
  readonly sums: readonly StreamSum[];
  /** Largest first. */
  readonly unmapped: readonly UnmappedStream[];
  readonly judgements: ReadonlyMap<InventoryLine, { readonly state: LineJudgement; readonly reason: string }>;
  readonly electricity: ElectricityTotals;
  /** The first facilities, and all others with claims or a residual mix. Sorted by code. */
  readonly facilities: readonly ComputedFacility[];
  /** Number of records with a market-based amount of their own. */
  readonly typedRecordCount: number;
}

/** Computes totals, lines and gaps of an inventory, with a pause before each step over all facilities. */
export function* composeInventory(parts: InventoryParts): Steps<Inventory> {
  const { year, policy, holdingsAsOf, sums, unmapped, judgements, electricity } = parts;
  const { marketBasedTonnesExact, renewableKwhExact, ...scope2 } = yield* sumMarket(
    parts.facilities,
    electricity,
  );
  yield;
  const inTotal = sumOf(sums);
  const byMarket = (location: string) =>
    marketBasedTonnesExact === null
      ? null
      : addDecimals([subtractDecimals(location, electricity.tonnes), marketBasedTonnesExact]);
  const scopes = policy.scopes.map((scope) => {
    const { tonnes, biogenicTonnes, uncertainty } = sumOf(sums.filter((sum) => sum.scope === scope));
    return {
      scope,
      co2eTonnesExact: tonnes,
      marketBasedCo2eTonnesExact: scope === "scope_2" ? byMarket(tonnes) : null,
      biogenicCo2TonnesExact: biogenicTonnes,
      uncertainty,
    };
  });
  const lines = policy.scopes.flatMap((scope) =>
    LINES_OF_SCOPE[scope].map((line) => lineOf(line, scope, sums, judgements)),
  );
  const marketGaps = listMarketGaps(parts.facilities);
  const gaps = [
    ...listUnmappedGaps(unmapped),
    ...listMissingGaps(lines),
    ...marketGaps.filter(({ blocking }) => blocking),
    ...marketGaps.filter(({ blocking }) => !blocking),
    ...listContradictedGaps(lines, new Set(judgements.keys())),
    ...listTypedGaps(parts.typedRecordCount),
    createGap(
      "GASES_NOT_SEPARATED",
      "Amounts are CO2 equivalents of all gases together; the amount of each gas is unknown.",
    ),
  ];
  const count = (state: string) => lines.filter((line) => line.state === state).length;
  return {
    year,
    period: periodOfYear(year, policy.yearStartsIn),
    policy,
    holdingsAsOf,
    total: {
      co2eTonnesExact: inTotal.tonnes,
      marketBasedCo2eTonnesExact: byMarket(inTotal.tonnes),
    },
    ledgerCo2eTonnesExact: inTotal.ledgerTonnes,
    scopes,
    lines,
    unmapped,
    scope2,
    renewableKwhExact,
    uncertainty: inTotal.uncertainty,
    completeness: {
      included: count("included"),
      notRelevant: count("not_relevant"),
      notEstimated: count("not_estimated"),
      missing: count("missing"),
      complete: !gaps.some(({ blocking }) => blocking),
    },
    gaps,
  };
}

function sumOf(sums: readonly StreamSum[]) {
  const add = (column: "tonnes" | "ledgerTonnes" | "biogenicTonnes" | "coveredTonnes" | "squares") =>
    addDecimals(sums.map((sum) => sum[column]));
  const tonnes = add("tonnes");
  return {
    tonnes,
    ledgerTonnes: add("ledgerTonnes"),
    biogenicTonnes: add("biogenicTonnes"),
    recordCount: sums.reduce((count, sum) => count + sum.recordCount, 0),
    uncertainty: combineUncertainty({ tonnes: add("coveredTonnes"), squares: add("squares") }, tonnes),
  };
}

function lineOf(
  line: InventoryLine,
  scope: EmissionScope,
  sums: readonly StreamSum[],
  judgements: InventoryParts["judgements"],
): InventoryLineAmount {
  const ofLine = sums.filter((sum) => sum.line === line && sum.recordCount > 0);
  const { tonnes, recordCount } = sumOf(ofLine);
  const judgement = ofLine.length > 0 ? undefined : judgements.get(line);
  return {
    line,
    scope,
    state: ofLine.length > 0 ? "included" : (judgement?.state ?? "missing"),
    reason: judgement?.reason ?? null,
    co2eTonnesExact: tonnes,
    recordCount,
    methods: ofLine.map(({ method, tonnes: part }) => ({
      method,
      co2eTonnesExact: part,
      percent: percentOf(part, tonnes, 2),
    })),
  };
}
