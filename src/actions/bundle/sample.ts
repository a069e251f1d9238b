import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import { findOrganizationId } from "../../data/organizations/organizations.js";
import { addDays, endOfMonth, type IsoDate, isoDate } from "../../domain/window.js";
import { type CataloguedDeadline, readDeadlineCatalogue } from "../../files/reference/deadline-catalogue.js";
import { REFERENCE_FOLDER } from "../../paths.js";
import { type LoadedFile, loadText } from "./load.js";
import {
  calculateSample,
  insertSample,
  readCitedFactors,
  type SampleActivity,
  type SampleFactors,
} from "./sample-records.js";

/** `prisma/sample/demonstration.json`: a bundle with dates relative to today. */
interface Recipe {
  readonly organization: { readonly slug: string };
  readonly facilities: readonly { readonly code: string; readonly name: string; readonly country: string }[];
  readonly factors: SampleFactors;
  readonly activities: readonly SampleActivity[];
  readonly frameworks: readonly { framework: string; status: string; updated_days_ago: number }[];
  readonly credit_batches: readonly {
    reference: string;
    credit_type: string;
    quantity: number;
    vintage_years_ago: number;
    sold?: number;
    retirements?: readonly {
      reference: string;
      quantity: number;
      retired_days_ago: number;
      beneficiary?: string;
    }[];
  }[];
}

/** Number of months with records. */
export const SAMPLE_MONTHS = 24;

/**
 * Lists the last days of the latest complete calendar months, latest first. A month is complete on its last day.
 */
export function listMonthEnds(today: Date, months = SAMPLE_MONTHS): IsoDate[] {
  const latest = endOfMonth(today, 0) === isoDate(today) ? 0 : -1;
  return Array.from({ length: months }, (_, index) => endOfMonth(today, latest - index));
}

function buildBundle(recipe: Recipe, catalogue: readonly CataloguedDeadline[], today: Date): object {
  return {
    organization: recipe.organization,
    facilities: recipe.facilities,
    frameworks: recipe.frameworks.map(({ framework, status, updated_days_ago }) => ({
      framework,
      status,
      last_updated: `${addDays(today, -updated_days_ago)}T09:00:00Z`,
    })),
    deadlines: catalogue.map(({ framework, title, due_date, recurrence, source, source_url }) => ({
      framework,
      title,
      due_date,
      recurrence,
      source,
      source_url,
      status: "pending",
    })),
    credit_batches: recipe.credit_batches.map(({ vintage_years_ago, retirements = [], ...batch }) => ({
      ...batch,
      vintage: today.getUTCFullYear() - vintage_years_ago,
      retirements: retirements.map(({ retired_days_ago, ...retirement }) => ({
        ...retirement,
        retired_on: addDays(today, -retired_days_ago),
      })),
    })),
  };
}

export const readRecipe = async (folder: string): Promise<Recipe> =>
  JSON.parse(await readFile(join(folder, "demonstration.json"), "utf8"));

/**
 * Loads the reference data and the demonstration organization of `folder` (`prisma/sample`). The organization gets the
 * deadlines of the catalogue, checked like those of any bundle, and records for the latest 24 complete months,
 * calculated with factors of `prisma/reference`.
 */
export async function loadSample(database: Database, folder: string, today: Date): Promise<LoadedFile[]> {
  const reference = await readFile(join(folder, "reference.json"), "utf8");
  const recipe = await readRecipe(folder);
  const catalogue = await readDeadlineCatalogue(REFERENCE_FOLDER);
  const demonstration = JSON.stringify(buildBundle(recipe, catalogue, today));
  const records = await calculateSample(recipe, listMonthEnds(today), await readCitedFactors());
  const shared = await loadText(database, "reference.json", reference, today);
  const { sections, ...loaded } = await loadText(database, "demonstration.json", demonstration, today);
  const emission_records = await write(database, "load", async (sql) => {
    const { slug } = recipe.organization;
    const organizationId = await findOrganizationId(sql, slug);
    if (organizationId === undefined)
      throw new Error(`The organization ${slug} was deleted while it was loaded.`);
    return insertSample(sql, { organizationId, createdBy: null }, records);
  });
  return [shared, { ...loaded, sections: { ...sections, emission_records } }];
}
