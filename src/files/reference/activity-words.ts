import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import type { ConceptWords } from "../../domain/factor-search/concepts.js";

/** Reads the table of activity words in `folder` (`prisma/reference`). Each line has a concept, then its words. */
export async function readActivityWords(folder: string): Promise<ConceptWords[]> {
  const text = await readFile(join(folder, "activity-words.csv"), "utf8");
  const lines: string[][] = parse(text, { relaxColumnCount: true, trim: true });
  return lines.map(([concept = "", ...words]) => ({ concept, words: words.filter(Boolean) }));
}
