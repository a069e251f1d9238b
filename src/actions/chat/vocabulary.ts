import type { Vocabulary } from "../../domain/chat/names.js";
import { addDays, isoDate } from "../../domain/window.js";
import { AppError } from "../../errors.js";
import type { Ask } from "./ask.js";
import { categoryNamesQuery, creditNamesQuery, facilityNamesQuery, instrumentNamesQuery } from "./queries.js";

/** Maximum number of pages of 100 names that are read for one question. */
const MOST_PAGES = 10;
const EARLIEST = "1990-01-01";

/** Reads the names that a question may contain and the user may read. */
export async function readVocabulary(ask: Ask, now: Date): Promise<Vocabulary> {
  const range = { from: EARLIEST, to: addDays(new Date(isoDate(now)), 366) };
  const [facilities, categories, creditTypes, instruments] = await Promise.all([
    ifAllowed(
      () => readPages(async (after) => (await ask(facilityNamesQuery, { after })).facilities),
      NO_NAMES,
    ),
    ifAllowed(async () => (await ask(categoryNamesQuery, { range })).emissions?.byCategory ?? [], []),
    ifAllowed(async () => (await ask(creditNamesQuery, {})).credits?.byTypeAndVintage ?? [], []),
    ifAllowed(
      () => readPages(async (after) => (await ask(instrumentNamesQuery, { after })).market?.instruments),
      NO_NAMES,
    ),
  ]);
  return {
    facilities: facilities.names,
    hasAllFacilities: facilities.isAll,
    categories: categories.flatMap(({ category }) => category ?? []),
    creditTypes: creditTypes.map(({ creditType }) => creditType),
    instruments: instruments.names,
  };
}

const NO_NAMES = { names: [], isAll: true };

interface NamePage<Name> {
  readonly nodes: readonly Name[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

async function readPages<Name>(read: (after: string | null) => Promise<NamePage<Name> | null | undefined>) {
  const names: Name[] = [];
  let after: string | null = null;
  for (let count = 0; count < MOST_PAGES; count += 1) {
    const page: NamePage<Name> | null | undefined = await read(after);
    names.push(...(page?.nodes ?? []));
    if (!page?.pageInfo.hasNextPage) return { names, isAll: true };
    after = page.pageInfo.endCursor ?? null;
  }
  return { names, isAll: false };
}

/** Returns the result of `read`, or `none` if the user lacks the scope. */
async function ifAllowed<Value>(read: () => Promise<Value>, none: Value): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && error.code === "FORBIDDEN") return none;
    throw error;
  }
}
