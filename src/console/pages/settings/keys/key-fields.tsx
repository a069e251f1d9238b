import { KEY_SCOPES } from "../../../../domain/scopes.js";
import type { Tier } from "../../../../generated/console.js";
import { useViewer } from "../../../gateway/viewer.js";
import { Select } from "../../../parts/fields/select.js";
import { textOf } from "../../../parts/forms/values.js";
import { ExpiryField, NameField, readShared, ScopeBoxes } from "../credentials/fields.js";
import { tiersOf } from "./tiers.js";

/** Settings of a key. */
export interface KeySettings {
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly string[];
  /** The last valid day, in the user's time zone; empty for no expiry. */
  readonly lastDay: string;
}

/** The fields of a key. Offers no tier above the organization's plan, except the one that the key already has. */
export function KeyFields({ settings: { name, tier, scopes, lastDay } }: { settings: KeySettings }) {
  const { plan } = useViewer().organization;
  return (
    <>
      <NameField value={name} />
      <Select
        label="Tier"
        name="tier"
        options={tiersOf(plan, tier)}
        value={tier}
        hint="Your organization's plan sets the highest tier"
      />
      <ExpiryField lastDay={lastDay} of="key" />
      <ScopeBoxes label="Data it can read" options={KEY_SCOPES} chosen={scopes} offersAll />
    </>
  );
}

/** Reads the settings from a form. */
export const readSettings = (values: FormData): KeySettings => ({
  ...readShared(values),
  tier: textOf(values, "tier") as Tier,
});
