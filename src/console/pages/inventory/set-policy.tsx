import { type ConsolidationApproach, type EmissionScope, graphql } from "../../../generated/console.js";
import type { Problem } from "../../gateway/failure.js";
import { run } from "../../gateway/run.js";
import { Checkboxes } from "../../parts/fields/checkboxes.js";
import { Field, TextArea } from "../../parts/fields/field.js";
import { NumberField } from "../../parts/fields/number.js";
import { Select } from "../../parts/fields/select.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { need, optionalsOf, textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { SCOPES } from "../records/filters.js";
import { APPROACHES, needYears, yearIn } from "./names.js";
import type { Policy } from "./read-inventory.js";

const OPERATION = graphql(`
  mutation ConsoleSetInventoryPolicy($input: SetInventoryPolicyInput!) {
    setInventoryPolicy(input: $input) { policy { fromYear } }
  }
`);

const month = new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "UTC" });
const MONTHS = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [String(index + 1), month.format(Date.UTC(2025, index))]),
);

interface SetPolicyProps {
  /** Initial year in the field "Applies from". */
  readonly year: number;
  /** The policy whose values fill the form; undefined for the first policy. */
  readonly policy: Policy | undefined;
}

/** The form for the reporting policy. */
export function SetPolicy({ year, policy }: SetPolicyProps) {
  const send = async (values: FormData) => {
    const { setInventoryPolicy } = await run(OPERATION, {
      input: {
        fromYear: yearIn(values, "fromYear") ?? year,
        approach: textOf(values, "approach") as ConsolidationApproach,
        scopes: values.getAll("scopes") as EmissionScope[],
        yearStartsIn: Number(textOf(values, "yearStartsIn")),
        baseYear: yearIn(values, "baseYear"),
        ...optionalsOf(values, "baseYearReason", "recalculationThresholdPercent", "recalculationPolicy"),
      },
    });
    if (setInventoryPolicy) showMessage({ text: `Policy from ${setInventoryPolicy.policy.fromYear} saved.` });
  };
  return (
    <Confirm title="Reporting policy" action="Save policy" onConfirm={send} check={check}>
      <Select
        label="Consolidation approach"
        name="approach"
        options={APPROACHES}
        value={policy?.approach ?? ""}
        none={policy ? undefined : "Choose"}
        hint="Applies to all your companies"
      />
      <Checkboxes
        label="Scopes"
        name="scopes"
        options={SCOPES}
        chosen={policy?.scopes ?? ["SCOPE_1", "SCOPE_2"]}
      />
      <div class="pair">
        <Field
          label="Applies from"
          name="fromYear"
          inputmode="numeric"
          value={String(year)}
          hint="First year. It applies until a later policy"
        />
        <Select
          label="Your year starts in"
          name="yearStartsIn"
          options={MONTHS}
          value={String(policy?.yearStartsIn ?? 1)}
        />
        <Field
          label="Base year"
          name="baseYear"
          inputmode="numeric"
          value={String(policy?.baseYear ?? "")}
          hint="Optional. Later years are compared with this year"
        />
        <NumberField
          label="Recalculation threshold"
          name="recalculationThresholdPercent"
          unit="%"
          value={policy?.recalculationThresholdPercentExact ?? ""}
          hint="Change that requires a restatement of the base year, e.g. 5 %"
        />
      </div>
      <TextArea label="Reason for the base year" name="baseYearReason" value={policy?.baseYearReason ?? ""} />
      <TextArea
        label="Recalculation policy"
        name="recalculationPolicy"
        value={policy?.recalculationPolicy ?? ""}
        hint="Optional. When you recalculate the base year, in your own words"
      />
    </Confirm>
  );
}

const check = (values: FormData): readonly Problem[] => [
  ...need("approach", textOf(values, "approach") !== "", "Choose an approach."),
  ...needYears(values, "fromYear", "baseYear"),
  ...need("fromYear", textOf(values, "fromYear") !== "", "Enter a year, e.g. 2025."),
  ...need(
    "scopes",
    ["SCOPE_1", "SCOPE_2"].every((scope) => values.getAll("scopes").includes(scope)),
    "Choose scopes 1 and 2. Every inventory includes them.",
  ),
];
