import { takeScopes, takeSplit } from "../intents.js";
import type { Vocabulary } from "../names.js";
import { type FoundPeriod, type PeriodOrFault, type ReadPeriod, takeAhead, takePeriods } from "../periods.js";
import { type EmissionQuestion, type EmissionSubject, MOST_QUERIES, type Question } from "../question.js";
import { openText } from "../text.js";
import * as words from "../words.js";
import { type Open, refuse, requireNames, takeAll } from "./leftovers.js";

const noSuchFacility =
  ({ hasAllFacilities }: Vocabulary) =>
  (name: string) =>
    hasAllFacilities
      ? `There is no facility "${name}" in your organization, and no category of emissions of this name.`
      : `There is no facility "${name}" among those that I know: the first of your facilities by code.`;

/** Reads a question about emissions. Throws Unanswerable. */
export function readEmissions(open: Open<EmissionQuestion>): Question {
  const { text, now, previous } = open;
  const counts = text.take(words.COUNT) !== null;
  if (counts && text.take(words.word(`(?:${words.PART_WORDS.facility})`))) {
    takeAll(text, words.TOTAL);
    requireNames(open, [], noSuchFacility(open.vocabulary));
    return { subject: "facilities", intent: "count" };
  }
  const isSince = text.has(words.word("since"));
  const saysYearOnYear = takeAll(text, words.YEAR_ON_YEAR);
  const isBefore = takeAll(text, words.PERIOD_BEFORE);
  const ahead = takeAhead(text, now);
  const comparing = text.has(words.COMPARE);
  if (text.has(BASELINE)) takeAll(text, words.MORE);
  takeAll(text, words.word("by (?:their )?(?:total )?emissions"));
  const baselineAt = text.find(BASELINE);
  if (comparing) takeAll(text, words.word("between"));
  const found = takePeriods(text, now, comparing);
  const scopes = takeScopes(text);
  const split = takeSplit(text);
  const isCompared = takeAll(text, words.COMPARE) || saysYearOnYear || isBefore;
  if (isCompared) takeAll(text, words.word("with|against|by|relative"));
  const isForecast = takeAll(text, words.FORECAST) || ahead !== null;
  const isRecords = counts && takeAll(text, words.RECORDS);
  const hasTotal = [takeAll(text, words.EMISSIONS), takeAll(text, words.TOTAL)].some(Boolean);
  const names = requireNames(open, ["facility", "category"], noSuchFacility(open.vocabulary));

  const facilities = names.flatMap(({ kind, value, label }) =>
    kind === "facility" ? [{ code: value, name: label, label }] : [],
  );
  const categories = names.flatMap(({ kind, value }) => (kind === "category" ? [value] : []));
  const [only, ...furtherPeriods] = found;
  const isBaseline = only && furtherPeriods.length === 0 && baselineAt !== null && baselineAt < only.at;
  const isOfParts = scopes.length > 1 || facilities.length > 1 || categories.length > 1;
  const { periods, isYearOnYear } =
    isBaseline && !isOfParts
      ? besideBaseline(only, previous, now)
      : { periods: found.map(({ period }) => requirePeriod(period)), isYearOnYear: saysYearOnYear };
  const isEmpty =
    !hasTotal &&
    !counts &&
    !isForecast &&
    !isCompared &&
    !split &&
    periods.length + scopes.length + names.length === 0;
  if (isEmpty) refuse("");
  if (periods.length > 2) refuse("I can answer for one period, or compare two.");
  const subject: EmissionSubject & { subject: "emissions" } = {
    subject: "emissions",
    periods: periods.length > 0 ? periods : (previous?.periods ?? []),
    scopes: scopes.length > 0 ? scopes : (previous?.scopes ?? []),
    facilities: facilities.length > 0 ? facilities : (previous?.facilities ?? []),
    categories: categories.length > 0 ? categories : (previous?.categories ?? []),
  };
  if (isForecast) {
    if (isCompared || split || isRecords)
      refuse("I forecast totals, and cannot split or compare a forecast.");
    if (periods.length > 0)
      refuse('A forecast is of months ahead. Ask for "the next 3 months", for example.');
    return { ...subject, periods: [], intent: "forecast", ahead };
  }
  if (isRecords) {
    if (isCompared || split) refuse("I count records as a whole, and cannot split or compare their number.");
    return { ...subject, intent: "count" };
  }
  if (split) {
    if (isCompared && split.kind !== "trend")
      refuse("I compare totals, and cannot compare their parts. Ask for one of them.");
    if (isYearOnYear || isBefore || subject.periods.length > 1)
      refuse("I can split the emissions of one period, not of two.");
    if (split.kind === "trend") return { ...subject, intent: "trend", step: split.step };
    if (split.kind === "top") return { ...subject, intent: "top", by: split.by, count: split.count };
    return { ...subject, intent: "breakdown", by: split.by };
  }
  if (isYearOnYear) {
    if (subject.periods.length > 1) refuse("I compare one period with the year before it, or two periods.");
    return { ...subject, intent: "year_on_year" };
  }
  if (isCompared || periods.length === 2) {
    if (periods.length < 2 && isSince) return { ...subject, intent: "trend", step: "month" };
    const several = [periods.length, scopes.length, facilities.length, categories.length].filter(
      (count) => count > 1,
    );
    if ([scopes, facilities, categories].some(({ length }) => length > MOST_QUERIES)) {
      refuse(`I compare at most ${MOST_QUERIES} things.`);
    }
    if (several.length > 1)
      refuse("I compare two periods, or two scopes or facilities, but not both at once.");
    return { ...subject, intent: "compare" };
  }
  return continuing(previous, subject);
}

/** Applies the changes of this question to the previous one; without one, asks for the total. */
function continuing(
  previous: EmissionQuestion | null,
  subject: EmissionSubject & { subject: "emissions" },
): EmissionQuestion {
  return previous ? { ...previous, ...subject } : { ...subject, intent: "total" };
}

/** Words that introduce the baseline of a comparison. */
const BASELINE = words.word("than|versus|vs\\.?|(?:compared?|relative) (?:to|with)|against");

/**
 * Returns the periods of a comparison that names only its baseline, such as "than last month". The other period is that
 * of the conversation, or the current one. An unfinished year is compared with the same days of the previous year, not
 * with all of it.
 */
function besideBaseline(
  { text, period }: FoundPeriod,
  previous: EmissionQuestion | null,
  now: Date,
): { readonly periods: readonly ReadPeriod[]; readonly isYearOnYear: boolean } {
  const [before, ...others] = previous?.periods ?? [];
  if (before && others.length === 0) return { periods: [before, requirePeriod(period)], isYearOnYear: false };
  const unit = /^(?:last|previous|past) (month|quarter|year)$/.exec(text)?.[1];
  if (unit === undefined) return refuse('I need both periods. Ask "compare 2025 with 2024", for example.');
  const running = takePeriods(openText(`this ${unit}`), now, false).map(({ period }) =>
    requirePeriod(period),
  );
  if (unit === "year") return { periods: running, isYearOnYear: true };
  return { periods: [...running, requirePeriod(period)], isYearOnYear: false };
}

const requirePeriod = (period: PeriodOrFault): ReadPeriod =>
  "fault" in period ? refuse(period.fault) : period;
