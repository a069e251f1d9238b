import { useState } from "preact/hooks";
import {
  type CreateReductionTargetInput,
  type EmissionScope,
  graphql,
  type Scope2Method,
} from "../../../generated/console.js";
import type { Problem } from "../../gateway/failure.js";
import { run } from "../../gateway/run.js";
import { Checkboxes } from "../../parts/fields/checkboxes.js";
import { Field, TextArea } from "../../parts/fields/field.js";
import { NumberField } from "../../parts/fields/number.js";
import { Select } from "../../parts/fields/select.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { need, optionalOf, optionalsOf, textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { SCOPES } from "../records/filters.js";
import { needYears, type Target, yearIn } from "./names.js";
import { useYear } from "./year.js";

const CREATE = graphql(`
  mutation ConsoleCreateReductionTarget($input: CreateReductionTargetInput!) {
    createReductionTarget(input: $input) { target { id } }
  }
`);

const UPDATE = graphql(`
  mutation ConsoleUpdateReductionTarget($input: UpdateReductionTargetInput!) {
    updateReductionTarget(input: $input) { target { version } }
  }
`);

const SCOPE_2_METHODS: Readonly<Record<Scope2Method, string>> = {
  LOCATION_BASED: "Location-based",
  MARKET_BASED: "Market-based",
};

const AIMS = { percent: "Percentage reduction", value: "Absolute value" } as const;

/** The form for a new target. */
export const CreateTarget = () => (
  <TargetForm title="Add a target" action="Add" save={(input) => run(CREATE, { input })} />
);

/** The form that edits a target. */
export const EditTarget = ({ target }: { target: Target }) => (
  <TargetForm
    title={`Edit ${target.name}`}
    action="Save"
    target={target}
    save={(input) => run(UPDATE, { input: { id: target.id, ...input, expectedVersion: target.version } })}
  />
);

interface TargetFormProps {
  readonly title: string;
  readonly action: string;
  readonly target?: Target;
  readonly save: (input: CreateReductionTargetInput) => Promise<unknown>;
}

function TargetForm({ title, action, target, save }: TargetFormProps) {
  const year = useYear();
  const [aim, setAim] = useState<keyof typeof AIMS>(target?.targetValueExact ? "value" : "percent");
  const send = async (values: FormData) => {
    const scopes = values.getAll("scopes") as EmissionScope[];
    const name = textOf(values, "name").trim();
    await save({
      name,
      scopes,
      scope2Method: scopes.includes("SCOPE_2") ? (textOf(values, "scope2Method") as Scope2Method) : null,
      baseYear: yearIn(values, "baseYear") ?? year,
      targetYear: yearIn(values, "targetYear") ?? year,
      ...optionalsOf(values, "metric", "actions"),
      reductionPercent: aim === "percent" ? optionalOf(values, "reductionPercent") : null,
      targetValue: aim === "value" ? optionalOf(values, "targetValue") : null,
    });
    showMessage({ text: `${name} saved.` });
  };
  return (
    <Confirm title={title} action={action} onConfirm={send} check={check}>
      <Field
        label="Name"
        name="name"
        value={target?.name ?? ""}
        hint="For example, “Halve scopes 1 and 2 by 2030”"
      />
      <Checkboxes
        label="Scopes"
        name="scopes"
        options={SCOPES}
        chosen={target?.scopes ?? ["SCOPE_1", "SCOPE_2"]}
      />
      <div class="pair">
        <Select
          label="Scope 2"
          name="scope2Method"
          options={SCOPE_2_METHODS}
          value={target?.scope2Method ?? "MARKET_BASED"}
        />
        <Field
          label="Per unit of"
          name="metric"
          value={target?.metric ?? ""}
          hint="A business metric, e.g. revenue. Leave empty for total tCO₂e"
        />
        <Field
          label="Base year"
          name="baseYear"
          inputmode="numeric"
          value={String(target?.baseYear ?? year)}
        />
        <Field
          label="Target year"
          name="targetYear"
          inputmode="numeric"
          value={String(target?.targetYear ?? 2030)}
        />
        <Select label="Type of target" name="aim" options={AIMS} value={aim} onChange={setAim} />
        {aim === "percent" ? (
          <NumberField
            label="Reduction"
            name="reductionPercent"
            unit="%"
            isRequired
            value={target?.reductionPercentExact ?? ""}
            hint="Compared with the base year"
          />
        ) : (
          <NumberField
            label="Value"
            name="targetValue"
            isRequired
            value={target?.targetValueExact ?? ""}
            hint="Emissions in the target year, in tCO₂e or tCO₂e per unit"
          />
        )}
      </div>
      <TextArea label="Main actions" name="actions" value={target?.actions ?? ""} />
    </Confirm>
  );
}

const check = (values: FormData): readonly Problem[] => [
  ...need("name", textOf(values, "name").trim() !== "", "Enter a name."),
  ...need("scopes", values.getAll("scopes").length > 0, "Choose at least one scope."),
  ...needYears(values, "baseYear", "targetYear"),
  ...need(
    "targetYear",
    textOf(values, "targetYear") > textOf(values, "baseYear"),
    "Enter a year after the base year.",
  ),
];
