import { MAX_KEY_NAME } from "../../../../domain/keys/key-limits.js";
import type { Scope } from "../../../../domain/scopes.js";
import type { Problem } from "../../../gateway/failure.js";
import { dayOf, endOfDay } from "../../../parts/days.js";
import { Checkboxes } from "../../../parts/fields/checkboxes.js";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { need, textOf } from "../../../parts/forms/values.js";

/** Description of each scope that a key or service account can have. */
const SCOPES: Readonly<Record<string, string>> = {
  "read:emissions": "Emission records, totals, facilities and forecasts",
  "read:compliance": "Frameworks, deadlines, CBAM and CCTS",
  "read:credits": "Carbon credits: batches, sales and retirements",
  "read:benchmarks": "Benchmark intensities of your sector",
  "read:market": "Carbon prices and price indices",
  "write:emissions": "Create, edit and delete records, facilities and factors",
  "write:compliance": "Edit frameworks, deadlines, CBAM and CCTS",
  "write:credits": "Add batches, sales and retirements",
  "write:market": "Add your own prices",
  "manage:keys": "Create, edit and revoke API keys",
  "manage:members": "Invite, edit and remove members",
  "manage:webhooks": "Send events to other systems",
  "read:audit": "The audit trail",
  "request:verification": "Request verifications of reporting periods",
  "admin:members": "Create, edit and remove users from your directory (SCIM). Only owners can grant this",
} satisfies Readonly<Record<Exclude<Scope, "manage:organization" | "admin:platform">, string>>;
const PROPOSED_MS = 90 * 86_400_000;

/** Returns the suggested last day of a new key or token, in 90 days. */
export const proposedLastDay = (): string => dayOf(Date.now() + PROPOSED_MS);

/** Returns the end of the chosen last day; null for none. */
export const expiryOf = (lastDay: string): string | null => (lastDay ? endOfDay(lastDay) : null);

/** The name of a key or a service account. */
export const NameField = ({ value }: { value: string }) => (
  <Field label="Name" name="name" value={value} hint="The program that will use it, e.g. ERP" />
);

/** The last day of a key or a token. */
export const ExpiryField = ({ lastDay, of }: { lastDay: string; of: string }) => (
  <Field
    label="Expires"
    name="expiresAt"
    type="date"
    value={lastDay}
    hint={`At the end of that day. Leave empty for a ${of} that never expires`}
  />
);

interface ScopeBoxesProps {
  readonly label: string;
  readonly options: readonly string[];
  readonly chosen: readonly string[];
  readonly offersAll?: boolean;
}

/** Checkboxes for scopes, with explanations. */
export const ScopeBoxes = (props: ScopeBoxesProps) => (
  <Checkboxes name="scopes" labelOf={String} explain={(scope) => SCOPES[scope] ?? ""} {...props} />
);

const OVERLAPS: Readonly<Record<string, string>> = {
  "24": "For another day",
  "168": "For another week",
  "1": "For another hour",
  "0": "Not at all",
};

/** The field for the time that an old key, token or secret keeps working. */
export const OverlapField = ({ of }: { of: string }) => (
  <Select
    label={`The old ${of} keeps working`}
    name="overlap"
    options={["24", "168", "1", "0"]}
    labelOf={(hours) => OVERLAPS[hours] ?? hours}
  />
);

/** Returns the hours in `OverlapField`. */
export const overlapIn = (values: FormData): number => Number(textOf(values, "overlap"));

/** Reads the fields that keys and service accounts share. `lastDay` is empty if they never expire. */
export const readShared = (values: FormData) => ({
  name: textOf(values, "name").trim(),
  scopes: values.getAll("scopes").map(String),
  lastDay: textOf(values, "expiresAt"),
});

/** Returns the problems that the browser can find in these fields. */
export function checkShared(values: FormData): readonly Problem[] {
  const { name, scopes } = readShared(values);
  const { length } = [...name];
  return [
    ...need(
      "name",
      length > 0 && length <= MAX_KEY_NAME,
      length === 0 ? "Enter a name." : `Use at most ${MAX_KEY_NAME} characters. This name has ${length}.`,
    ),
    ...need("scopes", scopes.length > 0, "Choose at least one scope."),
  ];
}
