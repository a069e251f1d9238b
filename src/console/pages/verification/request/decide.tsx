import { graphql, type Opinion } from "../../../../generated/console.js";
import type { Problem } from "../../../gateway/failure.js";
import { run } from "../../../gateway/run.js";
import { Select } from "../../../parts/fields/select.js";
import { TextArea } from "../../../parts/fields/text-area.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { Form, textOf } from "../../../parts/forms/form.js";
import { OPINIONS } from "../names.js";
import type { Request } from "../read-requests.js";
import { sumMisstatements } from "./materiality.js";
import { Misstatements } from "./misstatements.js";

const OPERATION = graphql(`
  mutation ConsoleDecideVerification($id: UUID!, $opinion: Opinion!, $statement: String!, $version: Int!) {
    decideVerification(id: $id, opinion: $opinion, statement: $statement, expectedVersion: $version) { id }
  }
`);

interface DecideProps {
  readonly request: Request;
  readonly onClose: () => void;
}

/** Decides a request, with the misstatements beside the materiality. An unmodified opinion is offered where it is possible. */
export function Decide({ request, onClose }: DecideProps) {
  const { id, version, number } = request;
  const { isMaterial } = sumMisstatements(request);
  const decide = async (values: FormData) => {
    await run(OPERATION, { id, version, ...readDecision(values) });
    onClose();
  };
  return (
    <Dialog title={`Decide ${number}`} onClose={onClose}>
      <Misstatements request={request} />
      <Form submit="Decide" onSubmit={decide} onCancel={onClose} check={check}>
        <Select
          label="Opinion"
          name="opinion"
          options={Object.keys(OPINIONS).filter((opinion) => !(isMaterial && opinion === "UNMODIFIED"))}
          call={(opinion) => OPINIONS[opinion as Opinion]}
          none="Choose"
          hint="Unmodified and modified issue a certificate; adverse and disclaimed reject the request"
        />
        <TextArea label="Statement" name="statement" hint="Your conclusion in your own words" />
        <p>A decision is final: you cannot change it, and you no longer read the records.</p>
      </Form>
    </Dialog>
  );
}

const readDecision = (values: FormData) => ({
  opinion: textOf(values, "opinion") as Opinion,
  statement: textOf(values, "statement").trim(),
});

/** What is missing of a decision. */
function check(values: FormData): readonly Problem[] {
  const { opinion, statement } = readDecision(values);
  return [
    ...(opinion ? [] : [{ path: "opinion", message: "Choose an opinion." }]),
    ...(statement ? [] : [{ path: "statement", message: "Say what you conclude." }]),
  ];
}
