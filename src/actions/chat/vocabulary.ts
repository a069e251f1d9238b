import type { FacilityName, Vocabulary } from "../../domain/chat/names.js";
import { addDays, addMonths, isoDate } from "../../domain/window.js";
import { AppError } from "../../errors.js";
import type { Ask } from "./ask.js";

/** Maximum number of pages of 100 facilities that are read for one question. */
const MOST_PAGES = 10;
/** Number of months whose categories a question may name. */
const CATEGORY_MONTHS = 120;

/** Reads the names that a question may contain and the user may read. */
export async function readVocabulary(ask: Ask, now: Date): Promise<Vocabulary> {
  try {
    const from = addMonths(isoDate(now), -CATEGORY_MONTHS);
    const range = { from, to: addDays(now, 366) };
    const [facilities, { emissions }] = await Promise.all([
      readFacilities(ask),
      ask("getEmissionSummary", { ...range, step: "YEAR", most: 100 }),
    ]);
    const categories = emissions?.byCategory ?? [];
    return { facilities, categories: categories.flatMap(({ category }) => category ?? []) };
  } catch (error) {
    if (error instanceof AppError && error.code === "FORBIDDEN") return { facilities: [], categories: [] };
    throw error;
  }
}

async function readFacilities(ask: Ask): Promise<readonly FacilityName[]> {
  const names: FacilityName[] = [];
  const readPage = (after: string | null) =>
    ask("listFacilities", { includeArchived: true, first: 100, after });
  let { facilities: page } = await readPage(null);
  for (let count = 1; page; count += 1) {
    names.push(...page.nodes);
    if (!page.pageInfo.hasNextPage || count === MOST_PAGES) break;
    ({ facilities: page } = await readPage(page.pageInfo.endCursor));
  }
  return names;
}
