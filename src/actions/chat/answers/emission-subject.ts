import type { EmissionSubject } from "../../../domain/chat/question.js";
import { listed } from "../../../domain/chat/reading/leftovers.js";
import type { DateRange } from "../../../domain/window.js";
import type { Ask } from "../ask.js";
import { emissionsQuery } from "../queries.js";
import { ofDays, type Reply, saying } from "../reply.js";

export const UNIT = "tCO2e";

/** Returns the variables of a query about these emissions; the last 12 months if the question names no days. */
export function variablesOf({ periods: [period], scopes, facilities, categories }: EmissionSubject) {
  return {
    range: period ? { from: period.from, to: period.to } : null,
    filter: {
      ...(scopes.length > 0 && { scopes: scopes.map((scope) => scope.toUpperCase() as "SCOPE_1") }),
      ...(facilities.length > 0 && { facilityCodes: facilities.map(({ code }) => code) }),
      ...(categories.length > 0 && { categories }),
    },
  };
}

/** Describes these emissions, such as `Emissions of scope 2 at Pune works (PUNE)`. */
export function describe({ scopes, facilities, categories }: EmissionSubject): string {
  const together = (count: number) => (count > 1 ? " together" : "");
  return [
    "Emissions",
    ...(scopes.length > 0
      ? [`of ${listed(scopes.map((scope) => scope.replace("_", " ")))}${together(scopes.length)}`]
      : []),
    ...(categories.length > 0
      ? [`in the category ${listed(categories.map((name) => `"${name}"`))}${together(categories.length)}`]
      : []),
    ...(facilities.length > 0
      ? [`at ${listed(facilities.map(({ label }) => label))}${together(facilities.length)}`]
      : []),
  ].join(" ");
}

/** Creates the reply for days without records, which do not have an amount of zero. */
export const nothingRecorded = (subject: EmissionSubject, days: DateRange): Reply =>
  saying(`${describe(subject)} ${ofDays(days)}: there are no records, so I have no figure.`);

/** Reads the total of these emissions. */
export async function readTotal(subject: EmissionSubject, ask: Ask) {
  const { emissions } = await ask(emissionsQuery, variablesOf(subject));
  return required(emissions);
}

/** Returns the value of a root field. It is null only together with an error. */
export function required<Value>(value: Value | null | undefined): Value {
  if (value == null) throw new Error("a query of the chat answered nothing");
  return value;
}
