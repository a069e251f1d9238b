/** Heats of combustion that an amount of energy may refer to. The gateway never converts one into the other. */
export const CALORIFIC_VALUES = ["gross", "net"] as const;
export type CalorificValue = (typeof CALORIFIC_VALUES)[number];

type Definition = readonly [name: string, size: string, ...spellings: string[]];

/**
 * Units by dimension, with their spellings in English, German and French. Sizes are exact: those of the joule by
 * definition (MMBtu: International Table), those of gallons, pounds, tons and miles by the international yard and pound
 * agreement of 1959 and the British Weights and Measures Act 1985.
 */
export const DIMENSIONS: Readonly<Record<string, readonly Definition[]>> = {
  energy: [
    [
      "kWh",
      "3.6",
      "kilowatt hour",
      "kilowatt hours",
      "kilowattstunde",
      "kilowattstunden",
      "kilowattheure",
      "kilowattheures",
    ],
    [
      "MWh",
      "3600",
      "megawatt hour",
      "megawatt hours",
      "megawattstunde",
      "megawattstunden",
      "megawattheure",
      "megawattheures",
    ],
    ["GJ", "1000", "gigajoule", "gigajoules"],
    ["TJ", "1000000", "terajoule", "terajoules"],
    ["MMBtu", "1055.05585262", "million btu"],
  ],
  volume: [
    ["litre", "1", "l", "litres", "liter", "liters", "litern", "ltr"],
    [
      "m3",
      "1000",
      "m³",
      "cubic metre",
      "cubic metres",
      "cubic meter",
      "cubic meters",
      "cbm",
      "kubikmeter",
      "kubikmetern",
      "metre cube",
      "metres cubes",
    ],
    [
      "million litres",
      "1000000",
      "million litre",
      "million liters",
      "megalitre",
      "megalitres",
      "millionen liter",
      "millions de litres",
    ],
    ["US gallon", "3.785411784", "us gallons", "us gal", "gal (us)", "gallon (us)", "gallons (us)"],
    [
      "imperial gallon",
      "4.54609",
      "imperial gallons",
      "imp gal",
      "gal (imp)",
      "gal (uk)",
      "uk gallon",
      "uk gallons",
    ],
  ],
  "normal volume": [
    ["Nm3", "1", "nm³", "normkubikmeter", "normal cubic metre", "normal cubic metres", "normo metre cube"],
  ],
  mass: [
    ["g", "0.001", "gram", "grams", "gramm", "gramme", "grammes"],
    ["kg", "1", "kgs", "kilo", "kilos", "kilogram", "kilograms", "kilogramm", "kilogramme", "kilogrammes"],
    ["tonne", "1000", "t", "tonnes", "tonnen", "metric ton", "metric tons", "metric tonne", "metric tonnes"],
    ["lb", "0.45359237", "lbs", "pound", "pounds"],
    ["short ton", "907.18474", "short tons", "us ton", "us tons"],
    ["long ton", "1016.0469088", "long tons", "imperial ton", "imperial tons", "uk ton", "uk tons"],
  ],
  distance: [
    ["km", "1", "kms", "kilometre", "kilometres", "kilometer", "kilometers", "kilometern"],
    ["mile", "1.609344", "miles", "mi", "meile", "meilen"],
  ],
  "passenger distance": [
    [
      "passenger.km",
      "1",
      "passenger km",
      "pkm",
      "passenger kilometre",
      "passenger kilometres",
      "passenger kilometer",
      "passenger kilometers",
      "personenkilometer",
      "passagierkilometer",
      "passager km",
      "passager kilometre",
      "passagers kilometres",
      "voyageur km",
    ],
  ],
  "freight distance": [
    [
      "tonne.km",
      "1",
      "tonne km",
      "tkm",
      "tonne kilometre",
      "tonne kilometres",
      "tonne kilometer",
      "tonne kilometers",
      "tonnenkilometer",
      "tonnes kilometres",
    ],
  ],
  "room nights": [
    [
      "room night",
      "1",
      "room nights",
      "room per night",
      "zimmernacht",
      "zimmernachte",
      "ubernachtung",
      "ubernachtungen",
      "nuitee",
      "nuitees",
    ],
  ],
  "working time": [["FTE working hour", "1", "fte working hours", "per fte working hour"]],
};

/** Ambiguous words, with the units that they may mean. These differ by 12 % (tons) and 20 % (gallons). */
export const AMBIGUOUS: Readonly<Record<string, readonly string[]>> = {
  ton: ["tonne", "short ton", "long ton"],
  tons: ["tonne", "short ton", "long ton"],
  gallon: ["US gallon", "imperial gallon"],
  gallons: ["US gallon", "imperial gallon"],
  gal: ["US gallon", "imperial gallon"],
};

/**
 * Words that follow a unit of energy and name its calorific value, such as `Hs` on a German bill. `Ho` and `Hu` are
 * former names of `Hs` and `Hi`.
 */
export const CALORIFIC_WORDS: Readonly<Record<CalorificValue, readonly string[]>> = {
  gross: ["gross", "gcv", "hhv", "hs", "ho", "brennwert", "pcs"],
  net: ["net", "ncv", "lhv", "hi", "hu", "heizwert", "pci"],
};
