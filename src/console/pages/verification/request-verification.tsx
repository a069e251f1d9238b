import { useLocation } from "preact-iso";
import { type AssuranceLevel, type EmissionScope, graphql } from "../../../generated/console.js";
import { type Problem, reassignProblems } from "../../gateway/failure.js";
import { run } from "../../gateway/run.js";
import { thisYear } from "../../parts/days.js";
import { Checkbox, Checkboxes } from "../../parts/fields/checkboxes.js";
import { Field } from "../../parts/fields/field.js";
import { NumberField } from "../../parts/fields/number.js";
import { Select } from "../../parts/fields/select.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { need, textOf, textsOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { SCOPES } from "../records/filters.js";
import { LEVELS } from "./names.js";
import { submitRequest } from "./request/steps.js";
import { VerifierLink } from "./verifier-link.js";

const OPERATION = graphql(`
  mutation ConsoleRequestVerification($input: RequestVerificationInput!) {
    requestVerification(input: $input) { request { id number version } }
  }
`);

interface RequestVerificationProps {
  /** The issue of an inventory to verify. If omitted, the user chooses a period and scopes. */
  readonly inventory?: { readonly year: number; readonly issue: number };
}

/**
 * Creates a request, or finds an identical draft. Unless the user wants a draft, submits it and shows the link for the
 * verifier. Then opens the request. The form suggests last year and all scopes.
 */
export function RequestVerification({ inventory }: RequestVerificationProps) {
  const { route } = useLocation();
  const lastYear = thisYear() - 1;
  const ask = async (values: FormData) => {
    try {
      const input = readInput(values, inventory);
      const { requestVerification } = await run(OPERATION, { input });
      if (!requestVerification) return null;
      const { id, number, version } = requestVerification.request;
      const open = () => route(`/console/verification?${new URLSearchParams({ id })}`);
      const link = values.has("submit") ? await submitRequest({ id, version }) : null;
      showMessage({ text: `${number}: ${link ? "submitted" : "saved as a draft"}.` });
      if (link) return <VerifierLink link={link} email={input.verifierEmail} onClose={open} />;
      open();
      return null;
    } catch (failure) {
      throw placeFailure(failure);
    }
  };
  return (
    <Confirm
      title="Request verification"
      action="Request verification"
      onConfirm={ask}
      check={inventory ? undefined : check}
    >
      {inventory ? (
        <p>
          Issue {inventory.issue} of the {inventory.year} inventory, with the records of its year and scopes.
        </p>
      ) : (
        <>
          <div class="pair">
            <Field label="First day" name="from" type="date" value={`${lastYear}-01-01`} />
            <Field
              label="Last day"
              name="to"
              type="date"
              value={`${lastYear}-12-31`}
              hint="The period must be over and at most 400 days long"
            />
          </div>
          <Checkboxes label="Scopes" name="scopes" options={SCOPES} chosen={SCOPES} />
        </>
      )}
      <Select label="Level of assurance" name="level" options={LEVELS} />
      <NumberField
        label="Materiality"
        name="materialityPercent"
        unit="%"
        isRequired
        value="5"
        hint="Misstatements of this percentage of the total or more rule out an unmodified opinion"
      />
      <Field
        label="Verifier's e-mail"
        name="verifierEmail"
        type="email"
        hint="Someone who has never been a member of your organization"
      />
      <Checkbox label="Submit now and get the link for your verifier" name="submit" defaultChecked />
      <p class="quiet">
        Submitting locks the records of the period: nobody can add, edit or delete them during the review or
        once they are verified. Untick the box to save a draft.
      </p>
    </Confirm>
  );
}

const readInput = (values: FormData, inventory: RequestVerificationProps["inventory"]) => ({
  ...(inventory ? { inventory } : readRecords(values)),
  level: textOf(values, "level") as AssuranceLevel,
  ...textsOf(values, "materialityPercent", "verifierEmail"),
});

const readRecords = (values: FormData) => ({
  period: { from: textOf(values, "from"), to: textOf(values, "to") },
  scopes: values.getAll("scopes") as EmissionScope[],
});

/** Returns the problems that the browser can find in a request. */
function check(values: FormData): readonly Problem[] {
  const { period, scopes } = readRecords(values);
  return [
    ...need("from", period.from !== "", "Choose a date."),
    ...need("to", period.to !== "", "Choose a date."),
    ...need("to", period.from <= period.to, "Choose a day on or after the first day."),
    ...need("scopes", scopes.length > 0, "Choose at least one scope."),
    ...need("verifierEmail", textOf(values, "verifierEmail") !== "", "Enter an e-mail address."),
  ];
}

/** Assigns the problems of the period and of its last day to the field of the last day. */
const placeFailure = (failure: unknown): unknown =>
  reassignProblems(failure, ({ path, message }) => {
    if (path === "period") return { path: "to", message: `The ${message}` };
    if (path !== "period.to") return { path, message };
    return { path: "to", message: message.replace(path, "The last day") };
  });
