import { describe, expect, it } from "vitest";
import { roundFraction } from "../../src/domain/fractions.js";
import { conversionOf, isConvertible, listUnitMeanings, readUnit } from "../../src/domain/ghg/units.js";

describe("readUnit", () => {
  it.each([
    ["kwh", "kWh"],
    [" KWH  (Gross cv) ", "kWh (gross CV)"],
    ["TJ (net CV)", "TJ (net CV)"],
    ["mmBtu", "MMBtu"],
    ["l", "litre"],
    ["Litres", "litre"],
    ["m³", "m3"],
    ["Nm3", "Nm3"],
    ["gal (US)", "US gallon"],
    ["imperial gallons", "imperial gallon"],
    ["T", "tonne"],
    ["MT", "tonne"],
    ["Mg", "tonne"],
    ["ｋｇ", "kg"],
    ["LB", "lb"],
    ["miles", "mile"],
    ["Passenger.KM", "passenger.km"],
    ["room-night", "room night"],
    ["Room per night", "room night"],
    ["Vehicle", "vehicle"],
    ["litre (gross CV)", "litre (gross cv)"],
    ["Liter", "litre"],
    ["Tonnen", "tonne"],
    ["Kubikmeter", "m3"],
    ["mètres cubes", "m3"],
    ["Personenkilometer", "passenger.km"],
    ["Tonnenkilometer", "tonne.km"],
    ["Kilowattstunden", "kWh"],
    ["kWh gross", "kWh (gross CV)"],
    ["kWh Hs", "kWh (gross CV)"],
    ["MWh Ho", "MWh (gross CV)"],
    ["kWh (Brennwert)", "kWh (gross CV)"],
    ["kWh net", "kWh (net CV)"],
    ["kWh Hi", "kWh (net CV)"],
    ["kWh_Hu", "kwh_hu"],
    ["kWh Hu", "kWh (net CV)"],
    ["kWh (Heizwert)", "kWh (net CV)"],
    ["UK tons", "long ton"],
    ["Million litres", "million litres"],
    ["ton", "ton"],
  ])("reads %s as %s", (text, name) => {
    expect(readUnit(text).name).toBe(name);
  });
});

describe("conversions", () => {
  it.each([
    ["kWh", "GJ", "0.0036"],
    ["MWh", "kWh", "1000"],
    ["TJ (net CV)", "GJ (net CV)", "1000"],
    ["MMBtu", "GJ", "1.05505585262"],
    ["m3", "litre", "1000"],
    ["US gallon", "litre", "3.785411784"],
    ["imperial gallon", "litre", "4.54609"],
    ["tonne", "kg", "1000"],
    ["g", "kg", "0.001"],
    ["lb", "kg", "0.45359237"],
    ["short ton", "kg", "907.18474"],
    ["long ton", "kg", "1016.0469088"],
    ["million litres", "m3", "1000"],
    ["mile", "km", "1.609344"],
    ["vehicle", "Vehicle", "1"],
  ])("convert one %s to %s exactly: %s", (from, to, size) => {
    const [one, other] = [readUnit(from), readUnit(to)];
    expect(isConvertible(one, other)).toBe(true);
    expect(roundFraction(conversionOf(one, other), 20)).toBe(size);
  });

  it.each([
    ["kWh (gross CV)", "kWh (net CV)"],
    ["kWh (gross CV)", "kWh"],
    ["Nm3", "m3"],
    ["litre", "kg"],
    ["passenger.km", "km"],
    ["vehicle", "room night"],
    ["EUR", "USD"],
    ["ton", "tonne"],
    ["gallon", "US gallon"],
  ])("never convert %s to %s", (from, to) => {
    expect(isConvertible(readUnit(from), readUnit(to))).toBe(false);
  });
});

describe("listUnitMeanings", () => {
  it("names the units that a word may mean", () => {
    expect(["ton", " Tons", "GALLON", "gal", "tonne", "constructor"].map(listUnitMeanings)).toEqual([
      ["tonne", "short ton", "long ton"],
      ["tonne", "short ton", "long ton"],
      ["US gallon", "imperial gallon"],
      ["US gallon", "imperial gallon"],
      [],
      [],
    ]);
  });
});
