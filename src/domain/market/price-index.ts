import {
  addFractions,
  divideFractions,
  type Fraction,
  multiplyFractions,
  readFraction,
  roundFraction,
} from "../fractions.js";
import { groupBy } from "../group-by.js";
import { addDays, type DateRange, type IsoDate } from "../window.js";
import { isStale } from "./freshness.js";

/** Starting point of an index, and the age at which its prices become stale. */
export interface IndexRules {
  readonly baseDate: IsoDate;
  /** A plain decimal. */
  readonly baseValue: string;
  readonly staleAfterDays: number;
}

interface InstrumentName {
  readonly creditType: string;
  readonly exchange: string;
}

/** Weight of an instrument as a plain decimal, valid until its next one. 0 removes the instrument from the index. */
export interface IndexWeight extends InstrumentName {
  readonly weight: string;
  readonly validFrom: IsoDate;
}

/** Price of an instrument from a day on, as a plain decimal. */
export interface IndexPrice extends InstrumentName {
  readonly asOf: IsoDate;
  readonly price: string;
  readonly currency: string;
  readonly statutoryUntil: IsoDate | null;
}

/**
 * Reasons to exclude an instrument on a day: it has no price yet; its price is stale; its price was stale or missing
 * the day before; or the previous price is zero or in a different currency.
 */
export const EXCLUSIONS = ["no_price", "stale", "new", "not_comparable"] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

/** An instrument on a day, with its latest price. `excluded` is null if it counts. */
export interface IndexInstrument extends InstrumentName {
  readonly weight: string;
  readonly price: IndexPrice | null;
  readonly excluded: Exclusion | null;
}

export interface IndexValue {
  readonly date: IsoDate;
  /** Rounded half away from zero to 2 decimals; null before the base date, and on days without a fresh price. */
  readonly value: string | null;
  /** Instruments with a weight on that day, ordered by credit type and exchange; empty before the base date. */
  readonly instruments: readonly IndexInstrument[];
}

const DECIMALS = 2;
const MAX_PARTS = 10n ** 100n;

/**
 * Computes an index for each day of a range: a chained, weighted arithmetic mean of price relatives, each in its own
 * currency. `I(t) = I(t-1) × Σ w p(t) / p(t-1) / Σ w`, over the instruments with fresh prices on t-1 and t and with the
 * weights of day t. The value on the base date is `baseValue`. On a day without any fresh price the index has no value,
 * and later continues from the last one. If no instrument is fresh on both days, the value is unchanged. Expects
 * `prices` by day, at most one per day and instrument. The arithmetic is exact to 100 decimals; docs/calculations.md
 * has examples. Yields null for the days before the range, which it must compute as well.
 */
export function* computeIndex(
  rules: IndexRules,
  weights: readonly IndexWeight[],
  prices: readonly IndexPrice[],
  { from, to }: DateRange,
): Generator<IndexValue | null> {
  const instruments = listInstruments(weights, prices);
  let level = readFraction(rules.baseValue);
  const first = from < rules.baseDate ? from : rules.baseDate;
  for (let day = first; day <= to; day = dayAfter(day)) {
    const states = instruments.map((instrument) => instrument.on(day, rules));
    if (day > rules.baseDate) level = move(level, states);
    if (day < from) {
      yield null;
      continue;
    }
    const hasBegun = day >= rules.baseDate;
    const isAssessed = hasBegun && states.some(({ isFresh, weight }) => isFresh && weight !== null);
    yield {
      date: day,
      value: isAssessed ? roundFraction(level, DECIMALS) : null,
      instruments: hasBegun ? states.flatMap((one) => describe(one, day === rules.baseDate)) : [],
    };
  }
}

/** State of an instrument on a day, with its price of the day before. */
interface InstrumentState extends InstrumentName {
  /** Null if the instrument is not in the index on that day. */
  readonly weight: string | null;
  readonly price: IndexPrice | null;
  readonly isFresh: boolean;
  /** Price of the day before; null if it was not fresh. */
  readonly before: IndexPrice | null;
}

const keyOf = ({ creditType, exchange }: InstrumentName) => JSON.stringify([creditType, exchange]);
const isZero = (decimal: string) => /^[0.]+$/.test(decimal);
const dayAfter = (day: IsoDate) => addDays(new Date(day), 1);

/** Lists the instruments with weights, in order. `on` must be called for consecutive days. */
function listInstruments(weights: readonly IndexWeight[], prices: readonly IndexPrice[]) {
  const histories = groupBy(prices, keyOf);
  const names = new Map(
    weights.map(({ creditType, exchange }) => [keyOf({ creditType, exchange }), { creditType, exchange }]),
  );
  const changes = groupBy(
    weights.toSorted((one, other) => (one.validFrom < other.validFrom ? -1 : 1)),
    keyOf,
  );
  return [...names]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, name]) => {
      const history = histories.get(key) ?? [];
      let next = 0;
      let price: IndexPrice | null = null;
      let isFresh = false;
      return {
        on(day: IsoDate, { staleAfterDays }: IndexRules): InstrumentState {
          const before = isFresh ? price : null;
          for (let later = history[next]; later && later.asOf <= day; later = history[next]) {
            price = later;
            next += 1;
          }
          isFresh = price !== null && !isStale(price, day, staleAfterDays);
          const weight = changes.get(key)?.findLast(({ validFrom }) => validFrom <= day)?.weight ?? "0";
          return { ...name, weight: isZero(weight) ? null : weight, price, isFresh, before };
        },
      };
    });
}

/** Returns why an instrument is excluded; null if it counts. */
function findExclusion({ price, isFresh, before }: InstrumentState, isBase: boolean): Exclusion | null {
  if (price === null) return "no_price";
  if (!isFresh) return "stale";
  if (isBase) return null;
  if (before === null) return "new";
  return before.currency === price.currency && !isZero(before.price) ? null : "not_comparable";
}

function describe(state: InstrumentState, isBase: boolean): IndexInstrument[] {
  const { creditType, exchange, weight, price } = state;
  return weight === null
    ? []
    : [{ creditType, exchange, weight, price, excluded: findExclusion(state, isBase) }];
}

/** Multiplies the level by the weighted mean of the price relatives of the instruments that count. */
function move(level: Fraction, states: readonly InstrumentState[]): Fraction {
  let sum: Fraction = { numerator: 0n, denominator: 1n };
  let weights = sum;
  for (const one of states) {
    const { weight, price, before } = one;
    if (weight === null || price === null || before === null || findExclusion(one, false)) continue;
    const share = readFraction(weight);
    weights = addFractions([weights, share]);
    const relative = divideFractions(readFraction(price.price), readFraction(before.price));
    sum = addFractions([sum, before.price === price.price ? share : multiplyFractions([share, relative])]);
  }
  if (weights.numerator === 0n || isEqual(sum, weights)) return level;
  return shorten({
    numerator: level.numerator * sum.numerator * weights.denominator,
    denominator: level.denominator * sum.denominator * weights.numerator,
  });
}

/** Reduces a fraction to lowest terms. Rounds it to 100 decimals if longer: it would otherwise grow every day. */
function shorten({ numerator, denominator }: Fraction): Fraction {
  let [divisor, rest] = [numerator, denominator];
  while (rest > 0n) [divisor, rest] = [rest, divisor % rest];
  if (denominator / divisor <= MAX_PARTS) {
    return { numerator: numerator / divisor, denominator: denominator / divisor };
  }
  return {
    numerator: (2n * numerator * MAX_PARTS + denominator) / (2n * denominator),
    denominator: MAX_PARTS,
  };
}

const isEqual = (one: Fraction, other: Fraction): boolean =>
  one.numerator * other.denominator === other.numerator * one.denominator;
