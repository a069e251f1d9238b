import { graphql, type Opinion } from "../../../../generated/console.js";
import type { Problem } from "../../../gateway/failure.js";
import { run } from "../../../gateway/run.js";
import { TextArea } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { need, textOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import { nameOf } from "../../../parts/names.js";
import { OPINIONS } from "../names.js";
import type { Request } from "../read-requests.js";
import { Misstatements, sumMisstatements } from "./misstatements.js";

const OPERATION = graphql(`
  mutation ConsoleDecideVerification($id: UUID!, $opinion: Opinion!, $statement: String!, $version: Int!) {
    decideVerification(
      input: { id: $id, opinion: $opinion, statement: $statement, expectedVersion: $version }
    ) { request { id } }
  }
`);

/** Decides a request. Offers an unmodified opinion only if misstatements are below the materiality. */
export function Decide({ request }: { request: Request }) {
  const { id, version, number } = request;
  const { isMaterial } = sumMisstatements(request);
  const decide = async (values: FormData) => {
    const decision = readDecision(values);
    await run(OPERATION, { id, version, ...decision });
    showMessage({ text: `${number} decided: ${nameOf(decision.opinion).toLowerCase()}.` });
  };
  return (
    <Confirm title={`Decide ${number}`} action="Decide" onConfirm={decide} check={check}>
      <Misstatements request={request} />
      <Select
        label="Opinion"
        name="opinion"
        options={Object.keys(OPINIONS).filter((opinion) => !(isMaterial && opinion === "UNMODIFIED"))}
        labelOf={(opinion) => OPINIONS[opinion as Opinion]}
        none="Choose"
        hint="Unmodified and modified issue a certificate; adverse and disclaimed reject the request"
      />
      <TextArea label="Statement" name="statement" hint="Your conclusion, in your own words" />
      <p>A decision is final. You can't change it, and you will no longer be able to read the records.</p>
    </Confirm>
  );
}

const readDecision = (values: FormData) => ({
  opinion: textOf(values, "opinion") as Opinion,
  statement: textOf(values, "statement").trim(),
});

/** Checks that a decision is complete. */
function check(values: FormData): readonly Problem[] {
  const { opinion, statement } = readDecision(values);
  return [
    ...need("opinion", Boolean(opinion), "Choose an opinion."),
    ...need("statement", statement !== "", "Enter your conclusion."),
  ];
}
