import { changeInPercent, roundNumber } from "../../domain/decimals.js";
import {
  anomalyId,
  describeSeries,
  readAnomalyId,
  type SeriesKey,
} from "../../domain/foresight/anomaly-id.js";
import {
  ANOMALY_TYPES,
  type AnomalyType,
  describeAnomaly,
  type FoundAnomaly,
  findAnomalies,
  SEVERITIES,
  type Severity,
  type Thresholds,
} from "../../domain/foresight/find-anomalies.js";
import { monthNumber } from "../../domain/window.js";
import type { InTime } from "../../time-limit.js";
import { mapInTurns } from "../../turns.js";
import type { Series } from "./examine-series.js";
import { explainAnomaly } from "./explain.js";

/** An anomaly with its series. Figures are rounded to 3 decimals, percentages to 2. */
export interface Anomaly extends FoundAnomaly {
  /** Constant as long as the anomaly is found. */
  readonly id: string;
  readonly series: SeriesKey;
  readonly explanation: string;
}

/** The number of an anomaly in its report, by month, type and series. A report may have a million anomalies. */
export type Place = number;

export interface OrderedPlaces {
  readonly places: readonly Place[];
  /** Returns the index of a place, or -1. */
  readonly positionOf: (place: Place) => number;
}

/** The scored series and their anomalies. */
export interface AnomalyReport {
  /** Ascending: latest month first, then by id. */
  readonly found: readonly Place[];
  /** Anomalies of the last examined month. */
  readonly latest: readonly Place[];
  /** Describes the anomaly at a place. */
  readonly at: (place: Place) => Anomaly;
  /**
   * Returns the place of an anomaly by its id, even if the report lacks the anomaly; undefined if no series has the id.
   */
  readonly placeOf: (id: string) => Place | undefined;
  /** Selects the anomalies of these severities, in the given order. */
  readonly ofSeverity: (places: readonly Place[], severities: readonly Severity[]) => Promise<Place[]>;
  /** Orders ascending places by severity, the most serious first. */
  readonly bySeverity: (places: readonly Place[]) => Promise<OrderedPlaces>;
  /** Finds the most serious anomaly of some places; the first one if several are equally serious. */
  readonly mostSerious: (places: readonly Place[]) => Promise<Place | undefined>;
  /** Number of examined series. */
  readonly evaluated: number;
  /** Series with too few months of data. */
  readonly notEvaluated: readonly SeriesKey[];
}

/** In the order of ids. */
const TYPES = [...ANOMALY_TYPES].sort();

/** Finds the anomalies of series that cover the same months and are ordered by name. */
export async function reportAnomalies(
  allSeries: readonly Series[],
  thresholds: Thresholds,
  time: { readonly inTime: InTime },
): Promise<AnomalyReport> {
  const last = allSeries[0]?.scored.last ?? 0;
  const count = allSeries.length;
  /** Indexes of series by slot: month, counted back from the last one, and type. */
  const bySlot: number[][] = [];
  const slotOf = (month: number, type: AnomalyType) => (last - month) * TYPES.length + TYPES.indexOf(type);
  const notEvaluated: SeriesKey[] = [];
  await mapInTurns(allSeries.entries(), time, ([index, { key, scored }]) => {
    const found = findAnomalies(scored, thresholds);
    if (found === null) notEvaluated.push(key);
    for (const { month, type } of found ?? []) {
      const slot = slotOf(month, type);
      bySlot[slot] ??= [];
      bySlot[slot].push(index);
    }
  });
  const found: Place[] = [];
  await mapInTurns(bySlot.entries(), time, ([slot, indexes]) => {
    for (const index of indexes ?? []) found.push(slot * count + index);
  });
  const anomalyAt = (place: Place) => {
    const slot = Math.floor(place / count);
    const type = TYPES[slot % TYPES.length];
    const series = allSeries[place % count];
    if (!series || !type) throw new Error("no anomaly has this place");
    const month = last - Math.floor(slot / TYPES.length);
    return { series, anomaly: describeAnomaly(series.scored, { type, month }) };
  };
  const severityAt = (place: Place) => anomalyAt(place).anomaly.severity;
  let indexes: ReadonlyMap<string, number> | undefined;
  return {
    found,
    latest: found.slice(0, countBelow(found, TYPES.length * count)),
    at(place) {
      const { series, anomaly } = anomalyAt(place);
      return describe(series, anomaly);
    },
    async ofSeverity(places, severities) {
      const kept: Place[] = [];
      await mapInTurns(places, time, (place) => {
        if (severities.includes(severityAt(place))) kept.push(place);
      });
      return kept;
    },
    async bySeverity(places) {
      const groups: Record<Severity, Place[]> = { high: [], medium: [], low: [] };
      await mapInTurns(places, time, (place) => groups[severityAt(place)].push(place));
      const { high, medium, low } = groups;
      const starts = { high: 0, medium: high.length, low: high.length + medium.length };
      return {
        places: high.concat(medium, low),
        positionOf(place) {
          const severity = severityAt(place);
          const index = positionOf(groups[severity], place);
          return index < 0 ? index : starts[severity] + index;
        },
      };
    },
    async mostSerious(places) {
      let [worst] = places;
      let rank = -1;
      await mapInTurns(places, time, (place) => {
        if (rank === SEVERITIES.length - 1) return;
        const found = SEVERITIES.indexOf(severityAt(place));
        if (found > rank) [worst, rank] = [place, found];
      });
      return worst;
    },
    placeOf(id) {
      indexes ??= new Map(allSeries.map(({ key }, index) => [describeSeries(key), index]));
      const read = readAnomalyId(id);
      const type = TYPES.find((known) => known === read?.type);
      const index = read && indexes.get(describeSeries(read.series));
      if (!read || type === undefined || index === undefined) return undefined;
      return slotOf(monthNumber(read.month), type) * count + index;
    },
    evaluated: count - notEvaluated.length,
    notEvaluated,
  };
}

/** Returns the index of a place in an ascending list, or -1. */
export function positionOf(places: readonly Place[], place: Place): number {
  const index = countBelow(places, place);
  return places[index] === place ? index : -1;
}

/** Counts the places of an ascending list that are below a given place. */
function countBelow(places: readonly Place[], place: Place): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function describe({ key, unit }: Series, anomaly: FoundAnomaly): Anomaly {
  const { value, expected, zScore, robustZ } = anomaly;
  const rounded = {
    ...anomaly,
    value: round(value, 3),
    expected: round(expected, 3),
    changePercent: anomaly.changePercent === null ? null : changeInPercent(expected ?? 0, value ?? 0, 2),
    zScore: round(zScore, 3),
    robustZ: round(robustZ, 3),
  };
  return { ...rounded, id: anomalyId(key, anomaly), series: key, explanation: explainAnomaly(rounded, unit) };
}

const round = (value: number | null, decimals: number): number | null =>
  value === null ? null : roundNumber(value, decimals);
