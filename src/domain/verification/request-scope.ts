import { EMISSION_SCOPES, type EmissionScope } from "../enums.js";
import { type DateRange, daysBetween, type IsoDate } from "../window.js";

/** Maximum length of a verified period in days. A financial year of 53 weeks fits; two years do not. */
export const MAX_PERIOD_DAYS = 400;

/** A reason why a period cannot be verified. */
export interface PeriodFault {
  /** Empty for the period as a whole. */
  readonly part: "" | ".to";
  /** Worded to follow the name of the part. */
  readonly fault: string;
}

/** Returns the fault of a period; undefined if it can be verified. */
export function findPeriodFault({ from, to }: DateRange, today: IsoDate): PeriodFault | undefined {
  if (to < from) return { part: ".to", fault: `must be ${from} or later (got ${to})` };
  if (to >= today) return { part: ".to", fault: `must be in the past (got ${to})` };
  const days = daysBetween(from, to) + 1;
  if (days <= MAX_PERIOD_DAYS) return undefined;
  return { part: "", fault: `must have at most ${MAX_PERIOD_DAYS} days (got ${days})` };
}

/** Returns the fault of a list of scopes, worded to follow the list's name; undefined if they can be verified. */
export function findScopesFault(scopes: readonly EmissionScope[]): string | undefined {
  if (scopes.length === 0) return "must have at least one scope";
  const repeated = scopes.find((scope, index) => scopes.indexOf(scope) !== index);
  return repeated && `must list each scope once (got ${repeated} twice)`;
}

/** Returns scopes in the order of EMISSION_SCOPES, without repetitions. */
export const sortScopes = (scopes: readonly EmissionScope[]): EmissionScope[] =>
  EMISSION_SCOPES.filter((scope) => scopes.includes(scope));
