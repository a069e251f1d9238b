import type { RecordValues } from "../../data/emissions/record-rows.js";
import { RECORD_TEXTS, type RecordText } from "../../domain/emissions/record-parts.js";
import { RECORD_AMOUNT, readTonnes, recordedDays } from "../../domain/emissions/record-rules.js";
import type { EmissionScope } from "../../domain/enums.js";
import { kwhOf, RECORD_ENERGY, readKwh } from "../../domain/ghg/energy.js";
import type { IsoDate } from "../../domain/window.js";
import { type InputReader, InvalidInput } from "../action-error.js";
import type { Activity } from "../factors/activity.js";
import { readLines, readText } from "../read-text.js";

type Given<T> = T | null | undefined;

/** Parts of a record as the caller sends them. Null clears an optional part; for a required one, it means omitted. */
export interface RecordInput extends Readonly<Partial<Record<RecordText, Given<string>>>> {
  readonly recordedOn?: Given<IsoDate>;
  readonly scope?: Given<EmissionScope>;
  /** Unchecked decimal, like the other amounts. */
  readonly co2eTonnes?: Given<string>;
  readonly activity?: Given<Activity>;
  /** The facility's code. */
  readonly facility?: Given<string>;
  readonly marketBasedTonnes?: Given<string>;
  readonly energyKwh?: Given<string>;
  readonly biogenicCo2Tonnes?: Given<string>;
}

/** Returns the path of an input part, such as `input[3].category`. */
export type PathTo = (part: string) => string;

/** A sent record with its day and the paths of its parts. */
export interface SentRecord {
  readonly given: RecordInput;
  readonly at: PathTo;
  readonly recordedOn: IsoDate;
}

/** The sent amounts and texts of a record, ready to store. */
export type ReadParts = Partial<Omit<RecordValues, "facilityId" | "activity" | "calculation" | "factorId">>;

/** Reads the parts that do not depend on others. */
export function readParts(given: RecordInput, at: PathTo, now: Date, input: InputReader): ReadParts {
  const { recordedOn, scope, co2eTonnes, marketBasedTonnes, energyKwh, biogenicCo2Tonnes } = given;
  const part = <Value>(
    name: keyof RecordInput,
    text: Given<string>,
    read: (field: string, text: string) => Value,
  ) => {
    if (text == null) return text === null ? { [name]: null } : {};
    return { [name]: input.read(() => read(at(name), text)) };
  };
  const readTexts = () =>
    RECORD_TEXTS.map(([name, { max, hasLines }]) =>
      part(name, given[name], (field, text) => (hasLines ? readLines : readText)("record", field, text, max)),
    );
  return {
    ...(recordedOn != null && part("recordedOn", recordedOn, (field, day) => requireDay(field, day, now))),
    ...(scope != null && { scope }),
    ...(co2eTonnes != null && part("co2eTonnes", co2eTonnes, requireTonnes)),
    ...part("marketBasedTonnes", marketBasedTonnes, requireTonnes),
    ...part("energyKwh", energyKwh, requireKwh),
    ...part("biogenicCo2Tonnes", biogenicCo2Tonnes, requireTonnes),
    ...Object.assign({}, ...readTexts()),
  };
}

function requireDay(field: string, day: IsoDate, now: Date): IsoDate {
  const { from, to } = recordedDays(now);
  if (day >= from && day <= to) return day;
  throw new InvalidInput("record", field, `must be from ${from} to ${to} (got ${day})`);
}

function requireTonnes(field: string, text: string): string {
  const tonnes = readTonnes(text);
  if (tonnes !== undefined) return tonnes;
  throw new InvalidInput("record", field, `must be ${RECORD_AMOUNT} (got ${text})`);
}

function requireKwh(field: string, text: string): string {
  const kwh = readKwh(text);
  if (kwh !== undefined) return kwh;
  throw new InvalidInput("record", field, `must be ${RECORD_ENERGY} (got ${text})`);
}

/**
 * Returns the energy to store: that of the activity, or the given one if the activity's unit is not an energy unit.
 * Throws InvalidInput if the given energy differs from that of the activity.
 */
export function energyOf<Sent extends Given<string>>(
  activity: Given<Activity>,
  energyKwh: Sent,
  at: PathTo,
): Sent | string {
  const derived = activity ? kwhOf(activity) : null;
  if (derived === null) return energyKwh;
  if (energyKwh == null || energyKwh === derived) return derived;
  const expected = `must be ${derived}, the energy of the activity, or omitted (got ${energyKwh})`;
  throw new InvalidInput("record", at("energyKwh"), expected);
}

/** Throws InvalidInput if a record has both an amount and an activity. */
export function requireOneAmount({ co2eTonnes, activity }: RecordInput, at: PathTo): void {
  if (co2eTonnes == null || activity == null) return;
  throw new InvalidInput("record", at("activity"), "must be omitted if the amount is given");
}

/** Throws InvalidInput if a record outside scope 2 has a market-based amount. */
export function requireScope2(
  { scope, marketBasedTonnes }: Pick<RecordInput, "scope" | "marketBasedTonnes">,
  at: PathTo,
): void {
  if (marketBasedTonnes == null || scope == null || scope === "scope_2") return;
  throw new InvalidInput(
    "record",
    at("marketBasedTonnes"),
    `must be empty unless the scope is scope_2 (got ${scope})`,
  );
}
