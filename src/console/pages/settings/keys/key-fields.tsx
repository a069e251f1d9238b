import { KEY_SCOPES } from "../../../../domain/scopes.js";
import type { Tier } from "../../../../generated/console.js";
import type { Problem } from "../../../gateway/failure.js";
import { useViewer } from "../../../gateway/viewer.js";
import { Checkboxes } from "../../../parts/fields/checkboxes.js";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { need, textOf } from "../../../parts/forms/values.js";
import { tiersOf } from "./tiers.js";

/** The scopes that a key may have, each with the data that it opens. */
export const SCOPES: Readonly<Record<(typeof KEY_SCOPES)[number], string>> = {
  "read:emissions": "Emission records, totals, facilities and forecasts",
  "read:compliance": "Frameworks, deadlines, CBAM and CCTS",
  "read:credits": "Carbon credits: batches, sales and retirements",
  "read:benchmarks": "Intensities of your sector to compare with",
  "read:market": "Carbon prices and price indices",
};
const MOST_NAME = 80;

/** Settings of a key. */
export interface KeySettings {
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly string[];
  /** The last valid day of the key, in the reader's zone; empty for never. */
  readonly lastDay: string;
}

/** The fields of a key. They offer a tier above the organization's plan only for the key that has it. */
export function KeyFields({ settings: { name, tier, scopes, lastDay } }: { settings: KeySettings }) {
  const { plan } = useViewer().organization;
  return (
    <>
      <Field label="Name" name="name" value={name} hint="The program that will use the key, e.g. ERP" />
      <Select
        label="Tier"
        name="tier"
        options={tiersOf(plan, tier)}
        value={tier}
        hint="Your organization's plan sets the highest tier"
      />
      <Field
        label="Expires"
        name="expiresAt"
        type="date"
        value={lastDay}
        hint="At the end of that day. Leave it empty for a key that never expires"
      />
      <Checkboxes
        label="Data it can read"
        name="scopes"
        options={KEY_SCOPES}
        call={String}
        explain={(scope) => SCOPES[scope as keyof typeof SCOPES]}
        chosen={scopes}
        offersAll
      />
    </>
  );
}

/** Reads the settings in a form. */
export const readSettings = (values: FormData): KeySettings => ({
  name: textOf(values, "name").trim(),
  tier: textOf(values, "tier") as Tier,
  scopes: values.getAll("scopes").map(String),
  lastDay: textOf(values, "expiresAt"),
});

/** Checks the settings in a form, as far as a browser can. */
export function checkSettings(values: FormData): readonly Problem[] {
  const { name, scopes } = readSettings(values);
  const { length } = [...name];
  return [
    ...need(
      "name",
      length > 0 && length <= MOST_NAME,
      length === 0 ? "Give the key a name." : `Use at most ${MOST_NAME} characters. This name has ${length}.`,
    ),
    ...need("scopes", scopes.length > 0, "Choose at least one scope."),
  ];
}
