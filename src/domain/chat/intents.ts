import { EMISSION_SCOPES, type EmissionScope } from "../enums.js";
import { PARTS, type Part, type Step } from "./question.js";
import type { OpenText } from "./text.js";
import { BREAKDOWN, PART_WORDS, STEP_WORDS, TREND, word } from "./words.js";

const SCOPE_NUMBERS: Readonly<Record<string, EmissionScope>> = {
  "1": "scope_1",
  "2": "scope_2",
  "3": "scope_3",
  one: "scope_1",
  two: "scope_2",
  three: "scope_3",
};
const SCOPE = "[123]|one|two|three";
const MOST_TOP = 20;
const COUNTS = "one two three four five six seven eight nine ten".split(" ");

const ALL_SCOPES = word("all (?:three |3 )?scopes");
const SCOPE_LIST = word(`scopes?[ _-]?(${SCOPE})((?: ?(?:,|and|&|/|\\+|, and) ?(?:${SCOPE}))*)`);

/** Takes the named scopes, such as `scope 1 and 2`, and returns them in order. */
export function takeScopes(text: OpenText): readonly EmissionScope[] {
  text.take(ALL_SCOPES);
  const found = new Set<EmissionScope>();
  for (let match = text.take(SCOPE_LIST); match; match = text.take(SCOPE_LIST)) {
    for (const [number] of match[0].matchAll(new RegExp(SCOPE, "g"))) {
      const scope = SCOPE_NUMBERS[number];
      if (scope) found.add(scope);
    }
  }
  return EMISSION_SCOPES.filter((scope) => found.has(scope));
}

/** The split of amounts that a question asks for. */
export type Split =
  | { readonly kind: "top"; readonly by: Part; readonly count: number }
  | { readonly kind: "breakdown"; readonly by: Part }
  | { readonly kind: "trend"; readonly step: Step };

const LARGEST = "largest|biggest|highest|top|worst|main|most";
const ASKED_OF = "emits?|emitted|emitting|has|had|have|causes?|caused|produces?|produced|are|is|were|was";

function takeTop(text: OpenText): Split | null {
  for (const by of PARTS) {
    const parts = `(?<part>${PART_WORDS[by]})`;
    const count = `(?:(?<count>\\d{1,2}|${COUNTS.join("|")}) )?`;
    const match =
      text.take(word(`(?:the )?(?:top|largest|biggest|highest|worst|main) ${count}(?:emitting )?${parts}`)) ??
      text.take(word(`(?:the )?${count}(?:${LARGEST})(?: emitting)? ${parts}`)) ??
      text.take(
        word(
          `(?:which|what) ${count}${parts} (?:${ASKED_OF}) (?:the )?(?:${LARGEST})(?: emissions)?(?: of (?:all|our) emissions)?`,
        ),
      );
    if (!match) continue;
    const { count: given, part = "" } = match.groups ?? {};
    // "The largest facility" asks for one, "the largest facilities" for several.
    const several = /s$/.test(part) ? 5 : 1;
    const asked = given === undefined ? several : COUNTS.indexOf(given) + 1 || Number(given);
    if (asked < 1 || asked > MOST_TOP) return { kind: "top", by, count: MOST_TOP };
    return { kind: "top", by, count: asked };
  }
  return null;
}

/** Takes the words for a split; null if the question does not ask for one. */
export function takeSplit(text: OpenText): Split | null {
  const top = takeTop(text);
  if (top) return top;
  for (const step of ["month", "quarter", "year"] as const) {
    if (text.take(word(STEP_WORDS[step]))) {
      text.take(TREND);
      text.take(BREAKDOWN);
      return { kind: "trend", step };
    }
  }
  const isBroken = text.take(BREAKDOWN) !== null;
  for (const by of PARTS) {
    const each = text.take(
      word(
        `(?:by|per|for each|each|for every|every|across|between|into|which) (?:our |the |all )?(?:${PART_WORDS[by]})`,
      ),
    );
    if (each) return { kind: "breakdown", by };
    if (isBroken && text.take(word(PART_WORDS[by]))) return { kind: "breakdown", by };
  }
  if (isBroken) return { kind: "breakdown", by: "scope" };
  return text.take(TREND) ? { kind: "trend", step: "month" } : null;
}
