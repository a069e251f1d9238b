import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../../data/database/types.js";
import { multiplyDecimals } from "../../domain/amounts.js";
import { addDays, endOfMonth, type IsoDate, isoDate } from "../../domain/window.js";
import { type CataloguedDeadline, readDeadlineCatalogue } from "../../files/reference/deadlines.js";
import { REFERENCE_FOLDER } from "../../paths.js";
import { type LoadedFile, loadText } from "./load.js";

/** `prisma/sample/demonstration.json`: a bundle with dates relative to today. */
interface Recipe {
  readonly organization: object;
  readonly facilities: readonly object[];
  readonly factors: Readonly<Record<string, Factor>>;
  readonly activities: readonly Activity[];
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

interface Factor {
  /** Kilograms of CO2 or CO2 equivalent per unit of the activity. */
  readonly factor: string;
  readonly unit: string;
  readonly source: string;
}

interface Activity {
  readonly facility: string;
  readonly scope: string;
  readonly category: string;
  readonly factor: string;
  readonly quantity_unit: string;
  /** Quantities from January to December, in the latest 12 months. */
  readonly monthly: readonly number[];
  /** Change from one year to the next, such as -0.03. */
  readonly yearly_change: number;
}

const MONTHS = 24;

/** The last days of the latest 24 calendar months that have ended, latest first; a month ends on its last day. */
function listMonthEnds(today: Date): IsoDate[] {
  const latest = endOfMonth(today, 0) === isoDate(today) ? 0 : -1;
  return Array.from({ length: MONTHS }, (_, index) => endOfMonth(today, latest - index));
}

function describeRecords(activity: Activity, factor: Factor, monthEnds: readonly IsoDate[]): object[] {
  return monthEnds.flatMap((monthEnd, index) => {
    const base = activity.monthly[Number(monthEnd.slice(5, 7)) - 1] ?? 0;
    const yearsBack = Math.floor(index / 12);
    const quantity = Math.round((base / (1 + activity.yearly_change) ** yearsBack) * 10) / 10;
    if (quantity === 0) return [];
    return [
      {
        reference: `${activity.facility}-${activity.category}-${activity.factor}-${monthEnd.slice(0, 7)}`,
        recorded_on: monthEnd,
        scope: activity.scope,
        co2e_tonnes: multiplyDecimals([String(quantity), factor.factor, "0.001"], 6),
        facility: activity.facility,
        category: activity.category,
        source: `${factor.source} (${factor.factor} ${factor.unit} × ${quantity} ${activity.quantity_unit})`,
      },
    ];
  });
}

function followRecipe(recipe: Recipe, catalogue: readonly CataloguedDeadline[], today: Date): object {
  const monthEnds = listMonthEnds(today);
  return {
    organization: recipe.organization,
    facilities: recipe.facilities,
    emission_records: recipe.activities.flatMap((activity) => {
      const factor = recipe.factors[activity.factor];
      if (!factor) throw new Error(`The sample has no factor ${activity.factor}.`);
      return describeRecords(activity, factor, monthEnds);
    }),
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
 * Loads the cited data of `folder` (`prisma/sample`): reference data, and a demonstration organization with records for
 * the 24 calendar months before `today` and the deadlines of the catalogue. They pass the same checks as any bundle.
 */
export async function loadSample(database: Database, folder: string, today: Date): Promise<LoadedFile[]> {
  const reference = await readFile(join(folder, "reference.json"), "utf8");
  const recipe = JSON.parse(await readFile(join(folder, "demonstration.json"), "utf8")) as Recipe;
  const catalogue = await readDeadlineCatalogue(REFERENCE_FOLDER);
  const demonstration = JSON.stringify(followRecipe(recipe, catalogue, today));
  return [
    await loadText(database, "reference.json", reference, today),
    await loadText(database, "demonstration.json", demonstration, today),
  ];
}
