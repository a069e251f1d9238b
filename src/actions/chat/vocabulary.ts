import type { Vocabulary } from "../../domain/chat/names.js";
import { addDays, addMonths, isoDate } from "../../domain/window.js";
import { AppError } from "../../errors.js";
import { readPages, type Tools } from "./tools.js";

/** Maximum number of pages of 100 facilities that are read for one question. */
const MOST_PAGES = 10;
/** Number of months whose categories a question may name. */
const CATEGORY_MONTHS = 120;

/** Reads the names that a question may contain and the user may read. */
export async function readVocabulary({ read }: Tools, now: Date): Promise<Vocabulary> {
  const range = { from: addMonths(isoDate(now), -CATEGORY_MONTHS), to: addDays(now, 366) };
  const page = { includeArchived: true, first: 100 };
  try {
    const [facilities, ranked] = await Promise.all([
      readPages(
        MOST_PAGES,
        async (after) => (await read("findFacilities", { ...page, after })).data.facilities,
      ),
      read("rankEmissionSources", { by: "CATEGORY", range, first: 100 }),
    ]);
    const categories = ranked.data.emissions.largestParts.flatMap(({ part }) => part ?? []);
    return { facilities: facilities.items, categories };
  } catch (error) {
    if (error instanceof AppError && error.code === "FORBIDDEN") return { facilities: [], categories: [] };
    throw error;
  }
}
