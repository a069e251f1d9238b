/** Selectable sets of global warming potentials, from the IPCC's fourth, fifth and sixth assessment reports. */
export const GWP_SETS = ["AR4", "AR5", "AR6"] as const;
export type GwpSet = (typeof GWP_SETS)[number];

type Potentials = Partial<Readonly<Record<GwpSet, string>>>;

/**
 * Kilograms of CO2 that warm as much over 100 years as a kilogram of the gas. AR4 and AR5, without climate-carbon
 * feedbacks: GHG Protocol, Global Warming Potential Values (2016). AR6: IPCC AR6 WG1, table 7.SM.7. The blends: AR5, UK
 * DESNZ conversion factors 2025; AR6, computed from their components.
 */
const POTENTIALS: Readonly<Record<string, Potentials>> = {
  CO2: { AR4: "1", AR5: "1", AR6: "1" },
  // IPCC AR6 WG1, table 7.15: 27.0 for non-fossil methane.
  CH4: { AR4: "25", AR5: "28", AR6: "27" },
  N2O: { AR4: "298", AR5: "265", AR6: "273" },
  "CFC-11": { AR4: "4750", AR5: "4660", AR6: "6230" },
  "CFC-12": { AR4: "10900", AR5: "10200", AR6: "12500" },
  "CFC-13": { AR4: "14400", AR5: "13900", AR6: "16200" },
  "CFC-113": { AR4: "6130", AR5: "5820", AR6: "6520" },
  "CFC-114": { AR4: "10000", AR5: "8590", AR6: "9430" },
  "CFC-115": { AR4: "7370", AR5: "7670", AR6: "9600" },
  "HCFC-21": { AR5: "148", AR6: "160" },
  "HCFC-22": { AR4: "1810", AR5: "1760", AR6: "1960" },
  "HCFC-123": { AR4: "77", AR5: "79", AR6: "90.4" },
  "HCFC-124": { AR4: "609", AR5: "527", AR6: "597" },
  "HCFC-141b": { AR4: "725", AR5: "782", AR6: "860" },
  "HCFC-142b": { AR4: "2310", AR5: "1980", AR6: "2300" },
  "HCFC-225ca": { AR4: "122", AR5: "127", AR6: "137" },
  "HCFC-225cb": { AR4: "595", AR5: "525", AR6: "568" },
  "HFC-23": { AR4: "14800", AR5: "12400", AR6: "14600" },
  "HFC-32": { AR4: "675", AR5: "677", AR6: "771" },
  "HFC-41": { AR5: "116", AR6: "135" },
  "HFC-125": { AR4: "3500", AR5: "3170", AR6: "3740" },
  "HFC-134": { AR5: "1120", AR6: "1260" },
  "HFC-134a": { AR4: "1430", AR5: "1300", AR6: "1530" },
  "HFC-143": { AR5: "328", AR6: "364" },
  "HFC-143a": { AR4: "4470", AR5: "4800", AR6: "5810" },
  "HFC-152": { AR5: "16", AR6: "21.5" },
  "HFC-152a": { AR4: "124", AR5: "138", AR6: "164" },
  "HFC-161": { AR5: "4", AR6: "4.84" },
  "HFC-227ea": { AR4: "3220", AR5: "3350", AR6: "3600" },
  "HFC-236cb": { AR5: "1210", AR6: "1350" },
  "HFC-236ea": { AR5: "1330", AR6: "1500" },
  "HFC-236fa": { AR4: "9810", AR5: "8060", AR6: "8690" },
  "HFC-245ca": { AR5: "716", AR6: "787" },
  "HFC-245fa": { AR4: "1030", AR5: "858", AR6: "962" },
  "HFC-365mfc": { AR4: "794", AR5: "804", AR6: "914" },
  "HFC-43-10mee": { AR4: "1640", AR5: "1650", AR6: "1600" },
  SF6: { AR4: "22800", AR5: "23500", AR6: "25200" },
  NF3: { AR4: "17200", AR5: "16100", AR6: "17400" },
  CF4: { AR4: "7390", AR5: "6630", AR6: "7380" },
  C2F6: { AR4: "12200", AR5: "11100", AR6: "12400" },
  C3F8: { AR4: "8830", AR5: "8900", AR6: "9290" },
  "c-C4F8": { AR4: "10300", AR5: "9540", AR6: "10200" },
  C4F10: { AR4: "8860", AR5: "9200", AR6: "10000" },
  C5F12: { AR4: "9160", AR5: "8550", AR6: "9220" },
  C6F14: { AR4: "9300", AR5: "7910", AR6: "8620" },
  "R-404A": { AR5: "3943", AR6: "4728" },
  "R-407C": { AR5: "1624", AR6: "1907.9" },
  "R-410A": { AR5: "1924", AR6: "2255.5" },
  "R-507A": { AR5: "3985", AR6: "4775" },
};

/**
 * Methane from fossil fuels, whose carbon is added to the atmosphere. IPCC AR5 WG1, table 8.A.1; AR6 WG1, table 7.15.
 */
const FOSSIL_METHANE: Potentials = { AR4: "25", AR5: "30", AR6: "29.8" };

/** Normalizes the spelling of a gas, so that `HFC134a` and `hfc-134A` are the same, and `N₂O` and `N2O`. */
export const plainGas = (gas: string): string => gas.normalize("NFKC").replaceAll(/[-\s]/g, "").toUpperCase();

/** Gases by spelling. A single gas also has an R-number, such as `R-134a` for `HFC-134a`. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.keys(POTENTIALS).flatMap((name) => {
    const plain = plainGas(name);
    return [plain, plain.replace(/^(HFC|HCFC|CFC)(?=\d)/, "R")].map((spelling) => [spelling, name] as const);
  }),
);

/** Returns the usual name of a gas; undefined if it is unknown. */
export const findGas = (gas: string): string | undefined => NAMES.get(plainGas(gas));

/** Returns the potential of a gas by its usual name; undefined if the set has none. `isFossil` affects only CH4. */
export const findPotential = (gas: string, set: GwpSet, isFossil: boolean): string | undefined =>
  (gas === "CH4" && isFossil ? FOSSIL_METHANE : POTENTIALS[gas])?.[set];
