import { type Concepts, createConcepts } from "../../../domain/factor-search/concepts.js";
import { once } from "../../../domain/once.js";
import { readActivityWords } from "../../../files/reference/activity-words.js";
import { REFERENCE_FOLDER } from "../../../paths.js";

/** Activity words of the reference data, read once. */
export const readConcepts: () => Promise<Concepts> = once(async () =>
  createConcepts(await readActivityWords(REFERENCE_FOLDER)),
);
