import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import { addDays, endOfMonth, type IsoDate, isoDate } from "../../domain/window.js";
import { type CataloguedDeadline, readDeadlineCatalogue } from "../../files/reference/deadlines.js";
import { REFERENCE_FOLDER } from "../../paths.js";
import { type LoadedFile, loadText } from "./load.js";
import { calculateSample, insertSample, type SampleActivity, type SampleFactors } from "./sample-records.js";

/** `prisma/sample/demonstration.json`: a bundle with dates relative to today. */
interface Recipe {
  readonly organization: { readonly slug: string };
  readonly facilities: readonly object[];
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

const MONTHS = 24;

/**
 * Returns the last days of the latest 24 complete calendar months, latest first. A month is complete on its last day.
 */
function listMonthEnds(today: Date): IsoDate[] {
  const latest = endOfMonth(today, 0) === isoDate(today) ? 0 : -1;
  return Array.from({ length: MONTHS }, (_, index) => endOfMonth(today, latest - index));
}

function followRecipe(recipe: Recipe, catalogue: readonly CataloguedDeadline[], today: Date): object {
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

/**
 * Loads the cited data of `folder` (`prisma/sample`): the reference data and a demonstration organization. The
 * organization has the deadlines of the catalogue, which pass the same checks as any bundle, and records for the 24
 * calendar months before `today`, calculated with factors of `prisma/reference`.
 */
export async function loadSample(database: Database, folder: string, today: Date): Promise<LoadedFile[]> {
  const reference = await readFile(join(folder, "reference.json"), "utf8");
  const recipe = JSON.parse(await readFile(join(folder, "demonstration.json"), "utf8")) as Recipe;
  const catalogue = await readDeadlineCatalogue(REFERENCE_FOLDER);
  const demonstration = JSON.stringify(followRecipe(recipe, catalogue, today));
  const records = await calculateSample(recipe, listMonthEnds(today));
  const shared = await loadText(database, "reference.json", reference, today);
  const { sections, ...loaded } = await loadText(database, "demonstration.json", demonstration, today);
  const emission_records = await write(database, "load", (sql) =>
    insertSample(sql, recipe.organization.slug, records),
  );
  return [shared, { ...loaded, sections: { ...sections, emission_records } }];
}
