import { withoutAccents } from "../texts/fold.js";

/** Words that identify a field in English, German, French and Spanish, without accents. */
const WORDS = {
  factor_id: /^factor ?id$/,
  source_factor_id: /^source factor ?id$|^publisher'?s? id$/,
  recorded_on:
    /^recorded on$|\b(day|date|month|period|\w*datum|tag|monat|zeitraum|periode|jour|mois|fecha|dia|mes)\b/,
  scope: /\bscope\b(?! ?\d)/,
  // Other names of energy, such as `Energie (kWh)`, may be the activity's amount.
  energy_kwh: /^energy ?kwh$/,
  biogenic_co2_tonnes: /biogen/,
  // Excludes factors and intensities.
  co2e_tonnes: /^co2e tonnes$|^(?!.*(fa[ck]tor|facteur|intensi|biogen)).*(co2|emission|tonnes|\btotal\b)/,
  unit: /\b(units?|uom|einheit|mengeneinheit|me|unite|unites|unidad|unidades)\b/,
  // Excludes money.
  amount:
    /^(?!.*(\b(eur|euros?|usd|gbp|inr|chf|costs?|kosten|betrag|price|preis)\b|[€$£₹])).*\b(amount|quantity|qty|consumption|usage|\w*menge|\w*verbrauch|quantite|consommation|cantidad|consumo)\b/,
  activity:
    /\b(activity|fuel|energy type|energy source|energy carrier|energieart|energieform|energietrager|brennstoff|kraftstoff|treibstoff|medium|tatigkeit|aktivitat|activite|combustible|carburant|energie|actividad|energia)\b/,
  facility:
    /facility|\b(site|plant|location|office|building|branch|werk|standort|betrieb|liegenschaft|gebaude|filiale|niederlassung|usine|etablissement|planta|sitio|centro|instalacion)\b/,
  region: /\b(region|country|land|pays|pais)\b/,
  category: /category|\b(type|kategorie|categorie|categoria)\b/,
  detail: /\b(details?)\b/,
  gas: /^(gas|gaz)$/,
  source: /\b(source|document|invoice|quelle|beleg|rechnung|facture|fuente|factura)\b/,
  // Excludes meter and customer numbers: they are the same in every file, so each file would replace the last.
  reference: /^(reference|ref\b|referenz|referencia)/,
} as const satisfies Readonly<Record<string, RegExp>>;
/** Field of a column that can be guessed from its name. */
export type GuessedField = keyof typeof WORDS;
const FIELDS = Object.keys(WORDS) as GuessedField[];

/** Number of UTF-16 code units of a name that are searched. */
const MAX_LENGTH = 250;

const plainHeader = (name: string): string =>
  withoutAccents(name.slice(0, MAX_LENGTH)).toLowerCase().replaceAll("_", " ").replaceAll("₂", "2").trim();

/**
 * Guesses the column of each field, counted from 0, from the names in a header. A field's own name takes precedence
 * over words. Each column has at most one field.
 */
export function guessHeader(
  names: readonly string[],
  isFree: (column: number, field: GuessedField) => boolean = () => true,
): ReadonlyMap<GuessedField, number> {
  const found = new Map<GuessedField, number>();
  const taken = new Set<number>();
  const plain = names.map(plainHeader);
  const find = (field: GuessedField, fits: (index: number) => boolean) => {
    if (found.has(field)) return;
    const column = names.findIndex((_, index) => !taken.has(index) && fits(index) && isFree(index, field));
    if (column < 0) return;
    found.set(field, column);
    taken.add(column);
  };
  for (const field of FIELDS) find(field, (index) => names[index]?.trim().toLowerCase() === field);
  for (const field of FIELDS) find(field, (index) => WORDS[field].test(plain[index] ?? ""));
  return found;
}
