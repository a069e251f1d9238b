import type { RecordValues } from "../../data/emissions/record-rows.js";
import { RECORD_TEXTS, type RecordText } from "../../domain/emissions/record-parts.js";
import { RECORD_AMOUNT, readTonnes, recordedDays } from "../../domain/emissions/record-rules.js";
import type { EmissionScope } from "../../domain/enums.js";
import type { IsoDate } from "../../domain/window.js";
import { type InputReader, InvalidInput } from "../action-error.js";
import type { Activity } from "../factors/activity.js";
import { readLines, readText } from "../names.js";

type Given<T> = T | null | undefined;

/** What people send of a record. What is absent, or null and may not be empty, was not sent; any other null empties a part. */
export interface RecordInput extends Readonly<Partial<Record<RecordText, Given<string>>>> {
  readonly recordedOn?: Given<IsoDate>;
  readonly scope?: Given<EmissionScope>;
  /** A decimal of any form, as the other amount. */
  readonly co2eTonnes?: Given<string>;
  readonly activity?: Given<Activity>;
  /** The facility's code. */
  readonly facility?: Given<string>;
  readonly marketBasedTonnes?: Given<string>;
}

/** A part of an input by its name: `input[3].category`. */
export type PathTo = (part: string) => string;

/** What was sent of a record, with the paths of its parts, and the day of the record. */
export interface SentRecord {
  readonly given: RecordInput;
  readonly at: PathTo;
  readonly recordedOn: IsoDate;
}

/** What a reader finds of the amounts and texts of a record: the parts that were sent, as they are to be stored. */
export type ReadParts = Partial<Omit<RecordValues, "facilityId" | "activity" | "calculation" | "factorId">>;

/** Reads the parts that stand for themselves. */
export function readParts(given: RecordInput, at: PathTo, now: Date, input: InputReader): ReadParts {
  const { recordedOn, scope, co2eTonnes, marketBasedTonnes } = given;
  const part = <Value>(
    name: keyof RecordInput,
    text: Given<string>,
    read: (field: string, text: string) => Value,
  ) => {
    if (text == null) return text === null ? { [name]: null } : {};
    return { [name]: input.read(() => read(at(name), text)) };
  };
  const readTexts = () =>
    RECORD_TEXTS.map(([name, { most, hasLines }]) =>
      part(name, given[name], (field, text) =>
        (hasLines ? readLines : readText)("record", field, text, most),
      ),
    );
  return {
    ...(recordedOn != null && part("recordedOn", recordedOn, (field, day) => requireDay(field, day, now))),
    ...(scope != null && { scope }),
    ...(co2eTonnes != null && part("co2eTonnes", co2eTonnes, requireTonnes)),
    ...part("marketBasedTonnes", marketBasedTonnes, requireTonnes),
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

/** Throws InvalidInput if an amount is given and is to be calculated, too. */
export function requireOneAmount({ co2eTonnes, activity }: RecordInput, at: PathTo): void {
  if (co2eTonnes == null || activity == null) return;
  throw new InvalidInput("record", at("activity"), "must be empty if the amount is given by itself");
}

/** Throws InvalidInput if a record has an amount by contracts, and is not of scope 2. */
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
