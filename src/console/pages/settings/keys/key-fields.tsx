import type { Tier } from "../../../../generated/console.js";
import type { Problem } from "../../../gateway/failure.js";
import { useViewer } from "../../../gateway/viewer.js";
import { Checkboxes } from "../../../parts/fields/checkboxes.js";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { need, textOf } from "../../../parts/forms/values.js";
import { nameOf } from "../../../parts/names.js";

/** The scopes that a key may have. */
export const SCOPES = ["read:emissions", "read:compliance", "read:credits", "read:benchmarks", "read:market"];
const TIERS: readonly Tier[] = ["FREE", "PRO", "ENTERPRISE"];
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
  const offered = TIERS.filter((one) => one === tier || TIERS.indexOf(one) <= TIERS.indexOf(plan));
  return (
    <>
      <Field
        label="Name"
        name="name"
        value={name}
        hint="What the key is for, such as the program that uses it"
      />
      <div class="pair">
        <Select
          label="Tier"
          name="tier"
          options={offered}
          value={tier}
          hint={`Sets the hourly limit; up to ${nameOf(plan)}`}
        />
        <Field
          label="Expires"
          name="expiresAt"
          type="date"
          value={lastDay}
          hint="At the end of that day. Empty: never"
        />
      </div>
      <Checkboxes label="What it may read" name="scopes" options={SCOPES} call={String} chosen={scopes} />
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
      `Expected 1 to ${MOST_NAME} characters, got ${length}.`,
    ),
    ...need("scopes", scopes.length > 0, "Choose at least one scope."),
  ];
}
