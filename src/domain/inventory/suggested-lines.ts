import type { EmissionScope } from "../enums.js";
import { type InventoryLine, isOfScope } from "./lines.js";

/**
 * Lines by category of the built-in factors. A name without a colon also applies to categories that start with it and a
 * colon. Lists only categories that fit a single line: `Fuels` may be burned in a boiler or a vehicle, and
 * `Freighting goods` may be upstream or downstream.
 */
const LINES: Readonly<Record<EmissionScope, Readonly<Record<string, InventoryLine>>>> = {
  scope_1: {
    stationary_combustion: "stationary_combustion",
    stationary_combustion_bio: "stationary_combustion",
    mobile_combustion: "mobile_combustion",
    mobile_combustion_bio: "mobile_combustion",
    "Passenger vehicles": "mobile_combustion",
    "Delivery vehicles": "mobile_combustion",
    process: "process",
    fugitive_refrigerants: "fugitive",
    "Refrigerant & other: Blends": "fugitive",
  },
  scope_2: {
    purchased_electricity: "purchased_electricity",
    purchased_electricity_reference: "purchased_electricity",
    "UK electricity for EVs": "purchased_electricity",
    purchased_heat_steam: "purchased_heat",
  },
  scope_3: {
    purchased_goods: "purchased_goods_and_services",
    electricity_t_and_d: "fuel_and_energy",
    "Transmission and distribution": "fuel_and_energy",
    "UK electricity T&D for EVs": "fuel_and_energy",
    "WTT- UK electricity": "fuel_and_energy",
    "WTT- fuels": "fuel_and_energy",
    "WTT- bioenergy": "fuel_and_energy",
    "WTT- heat and steam": "fuel_and_energy",
    waste_disposal: "waste",
    business_travel: "business_travel",
    "Business travel- air": "business_travel",
    "Business travel- land": "business_travel",
    "Business travel- sea": "business_travel",
    "Hotel stay": "business_travel",
    homeworking: "commuting",
    Homeworking: "commuting",
  },
};

/** Returns the line that a factor's category suggests. The category of an organization's own factor may be a line. */
function lineOf(scope: EmissionScope, category: string): InventoryLine | undefined {
  const [group = category] = category.split(":");
  const known = LINES[scope];
  const named = [category, group].find((name) => Object.hasOwn(known, name));
  if (named !== undefined) return known[named];
  return isOfScope(category as InventoryLine, scope) ? (category as InventoryLine) : undefined;
}

/** Returns the line that all these factor categories suggest; null if they disagree, or one suggests none. */
export function suggestLine(scope: EmissionScope, categories: readonly string[]): InventoryLine | null {
  const [line, ...others] = new Set(categories.map((category) => lineOf(scope, category)));
  return others.length === 0 ? (line ?? null) : null;
}
