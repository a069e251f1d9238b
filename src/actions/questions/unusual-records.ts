import type { UnusualRecord } from "../../data/emissions/unusual-records.js";
import { MAX_FIRST_LINES, type Question, ratioOf, UNUSUAL_RATIO } from "../../domain/emissions/questions.js";

/**
 * Returns the question about unusual records, as a list. `place` is the word for a line of a file or a record of a
 * request.
 */
export function askAboutRecords(
  { count, first }: { readonly count: number; readonly first: readonly UnusualRecord[] },
  place: "line" | "record",
): Question[] {
  const shown = first.slice(0, MAX_FIRST_LINES).map(({ line, tonnes, median }) => {
    return { line, tonnes, median, ratio: ratioOf(tonnes, median) };
  });
  const [earliest] = shown;
  if (!earliest) return [];
  const { line, tonnes, median, ratio } = earliest;
  const isOne = count === 1;
  const subject = isOne ? "A record is" : `${count} records are`;
  const example = `${isOne ? `${place} ${line}` : `the first, ${place} ${line},`} has ${tonnes} t, which is ${ratio} times ${median} t`;
  return [
    {
      code: "RECORD_UNUSUAL",
      message: `${subject} at least ${UNUSUAL_RATIO} times the median of ${isOne ? "its" : "their"} facility and category: ${example}.`,
      rows: count,
      firstLines: shown.map((record) => record.line),
      figures: shown.map((record) => ({
        tonnes: Number(record.tonnes),
        medianTonnes: Number(record.median),
        ratio: record.ratio,
      })),
    },
  ];
}
