import type { CbamQuarter } from "../../../generated/console.js";
import { todayInUtc } from "../../parts/days.js";

/** The years that the phase-out of free allocation is laid down for. */
export const YEARS: readonly number[] = Array.from({ length: 9 }, (_, index) => 2026 + index);

/** The present year, or the last one of the phase-out. */
export const presentYear = (): number =>
  Math.min(Number(todayInUtc().slice(0, 4)), YEARS.at(-1) ?? Number.NaN);

/** Quarters of the year, and what people call them. */
export const QUARTERS: Readonly<Record<CbamQuarter, string>> = {
  Q1: "Q1, January to March",
  Q2: "Q2, April to June",
  Q3: "Q3, July to September",
  Q4: "Q4, October to December",
};
