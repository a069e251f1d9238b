import type { GuessedField } from "../../../../domain/emissions/header-words.js";
import { type RECORD_TEXTS, TEXTS } from "../read-records.js";

type Texts = typeof RECORD_TEXTS;
type FileText = {
  [Name in keyof Texts]: Texts[Name] extends { readonly file: infer Field } ? Field : never;
}[keyof Texts];

/** The text fields of a record that a file can provide. */
const FILE_TEXTS = TEXTS.flatMap(([, { label, file }]) => (file ? [[file as FileText, label] as const] : []));

/** Labels of the fields that a file can provide, by the gateway's names. */
export const FIELD_NAMES = {
  recorded_on: "Date",
  facility: "Facility",
  activity: "Activity",
  amount: "Activity amount",
  unit: "Activity unit",
  co2e_tonnes: "Emissions",
  scope: "Scope",
  region: "Region",
  category: "Category",
  ...(Object.fromEntries(FILE_TEXTS) as Record<FileText, string>),
  reference: "Reference",
  energy_kwh: "Energy in kWh",
  biogenic_co2_tonnes: "Biogenic CO₂ in tonnes",
  detail: "Detail",
  gas: "Gas",
  factor_id: "Factor ID",
  source_factor_id: "Publisher's factor ID",
} as const satisfies Partial<Record<GuessedField, string>>;
export type ImportField = keyof typeof FIELD_NAMES;

export const FIELDS = Object.keys(FIELD_NAMES) as ImportField[];

/** Fields that most files have. The form collapses the others. */
export const MAIN_FIELDS = FIELDS.slice(0, FIELDS.indexOf("scope") + 1);
