import type { Vocabulary } from "../../domain/chat/names.js";
import type { ChatModule } from "../../domain/chat/question.js";
import { addDays, addMonths, isoDate } from "../../domain/window.js";
import { AppError } from "../../errors.js";
import type { Ask } from "./ask.js";

/** Maximum number of pages of 100 names that are read for one question. */
const MOST_PAGES = 10;
/** Number of months whose categories a question may name. */
const CATEGORY_MONTHS = 120;
const OF_MARKETS = /credit|offset|price|pricing|cost|worth|trad|quot|retire|portfolio|allowance|certificate/i;

/** Reads the names that a question may contain and the user may read. */
export async function readVocabulary(
  { message, module, now }: { readonly message: string; readonly module: ChatModule; readonly now: Date },
  ask: Ask,
): Promise<Vocabulary> {
  const to = addDays(new Date(isoDate(now)), 366);
  const isOfMarkets = module === "credits" || module === "market" || OF_MARKETS.test(message);
  const [facilities, categories, creditTypes, instruments] = await Promise.all([
    ifAllowed(
      () =>
        readPages(
          async (after) =>
            (await ask("listFacilities", { includeArchived: true, first: 100, after })).facilities,
        ),
      NO_NAMES,
    ),
    ifAllowed(async () => {
      const range = { from: addMonths(isoDate(now), -CATEGORY_MONTHS), to };
      const { emissions } = await ask("getEmissionSummary", { ...range, step: "YEAR", most: 100 });
      return emissions?.byCategory ?? [];
    }, []),
    isOfMarkets
      ? ifAllowed(async () => (await ask("getCreditPortfolio", {})).credits?.byTypeAndVintage ?? [], [])
      : [],
    isOfMarkets
      ? ifAllowed(
          () =>
            readPages(
              async (after) => (await ask("listInstruments", { first: 100, after })).market?.instruments,
            ),
          NO_NAMES,
        )
      : NO_NAMES,
  ]);
  return {
    facilities: facilities.names,
    categories: categories.flatMap(({ category }) => category ?? []),
    creditTypes: creditTypes.map(({ creditType }) => creditType),
    instruments: instruments.names,
  };
}

const NO_NAMES = { names: [] };

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
    if (!page?.pageInfo.hasNextPage) break;
    after = page.pageInfo.endCursor ?? null;
  }
  return { names };
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
