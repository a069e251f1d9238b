import type { Access } from "../../../access/context.js";
import { findOnlyCountry } from "../../../data/facilities/facilities.js";
import { createFactorFilter, type FactorFilter } from "../../../data/factors/factors.js";
import type { IsoDate } from "../../../domain/window.js";
import type { RequestInfo } from "../../../http/request-info.js";
import { regionKeyOf } from "../../../regions/regions.js";
import { runInTurns } from "../../../turns.js";
import { readConcepts } from "../selection/activity-words.js";
import { findIndexes } from "./find-indexes.js";
import { type Ranking, rankInSteps } from "./search-factors.js";

export interface FactorQuery extends FactorFilter {
  readonly search: string;
  /** Day of the activity; today if omitted. */
  readonly on?: IsoDate | null | undefined;
  /** Region to prefer; by default, the country of all facilities if they share one. */
  readonly preferRegion?: string | null | undefined;
}

/** Ranks the factors visible to a caller by how well they match a query. */
export async function findFactorsBySearch(
  access: Pick<Access, "resources" | "tenant" | "loaders">,
  request: Pick<RequestInfo, "now" | "inTime" | "place">,
  { search, on, preferRegion, ...filter }: FactorQuery,
): Promise<Ranking> {
  const indexes = await findIndexes(access, request);
  const preferred = preferRegion ?? (await findOnlyCountry(access.tenant));
  const thisYear = request.now.getUTCFullYear();
  if (!on) access.tenant.noteValidUntil(new Date(Date.UTC(thisYear + 1, 0, 1)));
  const wanted = {
    text: search,
    filter: createFactorFilter(filter),
    year: on ? Number(on.slice(0, 4)) : thisYear,
    preferRegion: preferred === null ? null : regionKeyOf(preferred),
  };
  return runInTurns(rankInSteps(indexes, await readConcepts(), wanted), request);
}
