import { MAX_FIRST_LINES } from "../../../domain/emissions/questions.js";
import { readUnit as readActivityUnit } from "../../../domain/ghg/units.js";
import { findCurrency, readCurrency } from "../../../domain/texts/currencies.js";
import { cutText } from "../../../domain/texts/text-limits.js";
import { type Columns, SCOPE_FIELDS } from "../fields.js";
import { findUnits, readUnit, type Unit } from "../values/read-unit.js";
import { memoize } from "./memoize.js";

/** Rows whose amounts are read as a mass of CO2e although the file states a different unit. */
export interface OtherUnits {
  /** Name of the column with that unit. */
  readonly column: string;
  /** Kinds of units, such as `energy and volume`. */
  readonly says: string;
  /** The units as in the file, at most 10. */
  readonly units: readonly string[];
  readonly rows: number;
  readonly firstLines: readonly number[];
}

/** Finds units that contradict the amounts of a file. */
export interface OtherUnitFinder {
  /** Examines a row that becomes a record. */
  examine(cells: readonly string[], line: number): void;
  find(): OtherUnits | undefined;
}

/** Words for a unit or a currency in a column's name, without accents, in English, German, French and Spanish. */
const UNIT_WORDS =
  /^(units?|uom|unites?|unidad(es)?|.*einheit(en)?|currenc(y|ies)|w(a|ae)hrung(en)?|devises?|monnaies?|monedas?|divisas?)$/;
/** Words in the names of columns with emissions, without accents. */
const EMISSIONS = /co2|emission|emisiones|ghg|thg|ges\b/;
const NUMBER = /^[-+]?\d[\d.,'’ ]*$/;
const MAX_UNITS = 10;
const MAX_NAME_LENGTH = 250;

const fold = (text: string) => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

const namesUnit = (name: string) =>
  name
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .split(/[^\p{L}\p{M}]+/u)
    .some((word) => UNIT_WORDS.test(fold(word)));

/** Returns the kind of a unit other than `own`, the unit of the amounts; undefined for `own` and any other string. */
function kindOf(text: string, own: Unit): string | undefined {
  if (readCurrency(text) !== undefined) return "currency";
  const { units, other } = findUnits(text);
  if (units.size > 0) return units.has(own) ? undefined : "mass";
  // Unknown words are units of their own dimension.
  const { dimension, name } = readActivityUnit(text);
  if (dimension !== name) return dimension;
  if (other === undefined) return undefined;
  if (/^(km|kilomet|mile)/i.test(other)) return "distance";
  return /^(lit|gal|m3|cubic|scf)/i.test(other) ? "volume" : "energy";
}

/**
 * Creates a finder for one file. If an amount column's name contains a currency, every row counts. Otherwise, unless
 * the file's unit column is read, the finder examines unread columns for a unit or a currency. Such a column belongs to
 * another amount if the name of the amount column mentions emissions and a further column has a number.
 */
export function createOtherUnitFinder({ sources, named }: Columns): OtherUnitFinder {
  const unit = sources.get("unit");
  const isRead = unit !== undefined && "index" in unit;
  const own = (unit !== undefined && "value" in unit && readUnit(unit.value)) || "t";
  const amounts = (["co2e_tonnes", ...SCOPE_FIELDS] as const).flatMap((field) => {
    const source = sources.get(field);
    return source && "index" in source ? [source.name] : [];
  });
  const priced = amounts.find((name) => findCurrency(name) !== undefined);
  const unread = named.flatMap(({ name, readAs }, index) => (readAs === null ? [{ name, index }] : []));
  const unitColumns = isRead || priced !== undefined ? [] : unread.filter(({ name }) => namesUnit(name));
  const others = unread.filter(({ name }) => !namesUnit(name));
  const namesEmissions = amounts.some((name) => EMISSIONS.test(fold(name)) || findUnits(name).units.size > 0);
  const readKind = memoize((text) => kindOf(text, own));
  const kinds = new Set<string>();
  const units = new Set<string>();
  const firstLines: number[] = [];
  let [rows, column] = [0, ""];
  const note = (name: string, kind: string, text: string, line: number) => {
    column ||= name;
    kinds.add(kind);
    if (units.size < MAX_UNITS) units.add(cutText(text, MAX_NAME_LENGTH));
    rows += 1;
    if (firstLines.length < MAX_FIRST_LINES) firstLines.push(line);
  };

  return {
    examine(cells, line) {
      if (priced !== undefined) return note(priced, "currency", findCurrency(priced) ?? "", line);
      for (const { name, index } of unitColumns) {
        const text = cells[index]?.trim() ?? "";
        const kind = text === "" ? undefined : readKind(text);
        if (kind === undefined) continue;
        if (namesEmissions && others.some(({ index: at }) => NUMBER.test(cells[at]?.trim() ?? ""))) return;
        return note(name, kind, text, line);
      }
    },
    find() {
      if (rows === 0) return undefined;
      return {
        column: cutText(column, MAX_NAME_LENGTH),
        says: [...kinds].join(" and "),
        units: [...units],
        rows,
        firstLines,
      };
    },
  };
}
