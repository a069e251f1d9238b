import type { MatchProblem } from "../../../domain/emissions/activity-report.js";

/** Maximum number of words of an activity that a search considers. Searching a misspelt word takes milliseconds. */
export const MAX_WORDS = 20;

/** Maximum CPU time in milliseconds for matching the activities of one file. */
export const MAX_CPU_MS = 30_000;

const WORD = /[\p{L}\p{N}&]+/gu;

/** Cuts a text after its 20th word. `problem` describes a longer one. */
export function limitWords(text: string): { readonly text: string; readonly problem?: MatchProblem } {
  const words = [...text.matchAll(WORD)];
  const last = words[MAX_WORDS - 1];
  if (words.length <= MAX_WORDS || !last) return { text };
  return {
    text: text.slice(0, last.index + last[0].length),
    problem: {
      expected: `at most ${MAX_WORDS} words to search for`,
      got: `${words.length} words, of which only the first ${MAX_WORDS} were searched for`,
    },
  };
}

/** Returns the problem of an activity that is not matched, because the others of its file took too long. */
export const outOfTime = (maxCpuMs: number): MatchProblem => ({
  expected: `a file whose activities can be matched within ${maxCpuMs / 1_000} seconds of CPU time`,
  got: "more activities, of which this one was not searched for: map it to a factor, or split the file",
});
