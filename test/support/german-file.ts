/** Lines of the invalid rows, with the problem of each. */
export const WRONG_LINES = {
  17: ["Menge", "k.A."],
  45: ["Menge", "12,5,5"],
  98: ["Datum", "31.02.2025"],
  150: ["Einheit", ""],
  222: ["Datum", "unbekannt"],
} as const;

const SITES = ["Köln", "Düsseldorf"];
const KINDS = [
  ["Strom", "kWh"],
  ["Diesel", "Liter"],
] as const;

/** Returns a file as saved by a German spreadsheet in windows-1252: 300 rows of kWh and litres, five invalid. */
export function germanFile(): Buffer {
  const rows = Array.from({ length: 300 }, (_, index) => {
    const line = index + 2;
    const month = String((index % 12) + 1).padStart(2, "0");
    const [kind, unit] = KINDS[index % 2] ?? ["", ""];
    const row = {
      Datum: `15.${month}.2025`,
      Standort: SITES[Math.floor(index / 2) % 2] ?? "",
      Energieträger: kind,
      Menge: `${1 + (index % 9)}.${200 + index},5`,
      Einheit: unit as string,
    };
    const [column, text] = WRONG_LINES[line as keyof typeof WRONG_LINES] ?? [];
    return Object.values({ ...row, ...(column && { [column]: text }) }).join(";");
  });
  return Buffer.from(["Datum;Standort;Energieträger;Menge;Einheit", ...rows, ""].join("\r\n"), "latin1");
}
