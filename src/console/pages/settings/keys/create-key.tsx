import { graphql, type Tier } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Dialog } from "../../../parts/dialog.js";
import { Field, Form, textOf, useProblem } from "../../../parts/form.js";
import { Select } from "../../../parts/select.js";
import type { NewKeyProps } from "./new-key.js";

const OPERATION = graphql(`
  mutation ConsoleCreateApiKey($name: String!, $scopes: [Scope!]!, $tier: Tier!, $expiresAt: DateTime) {
    createApiKey(name: $name, scopes: $scopes, tier: $tier, expiresAt: $expiresAt) {
      key
      apiKey { name scopes }
    }
  }
`);

const SCOPES = ["read:emissions", "read:compliance", "read:credits", "read:benchmarks", "read:market"];
const TIERS: readonly Tier[] = ["FREE", "PRO", "ENTERPRISE"];
const PROPOSED_DAYS = 90;
const DAY_MS = 86_400_000;

interface CreateKeyProps {
  readonly onClose: () => void;
  readonly onMade: (made: NewKeyProps["made"]) => void;
}

/** The form of a new key. */
export function CreateKey({ onClose, onMade }: CreateKeyProps) {
  const send = async (values: FormData) => {
    const day = textOf(values, "expiresAt");
    const { createApiKey } = await run(OPERATION, {
      name: textOf(values, "name"),
      scopes: values.getAll("scopes").map(String),
      tier: textOf(values, "tier") as Tier,
      expiresAt: day ? new Date(`${day}T23:59:59`).toISOString() : null,
    });
    if (createApiKey) onMade(createApiKey);
    onClose();
  };
  const proposed = new Date(Date.now() + PROPOSED_DAYS * DAY_MS).toISOString().slice(0, 10);
  return (
    <Dialog title="Create an API key" onClose={onClose}>
      <Form submit="Create" onSubmit={send} onCancel={onClose} check={check}>
        <Field
          label="Name"
          name="name"
          hint="What the key is for, such as the program that uses it"
          maxlength={80}
        />
        <Select label="Tier" name="tier" options={TIERS} />
        <Field
          label="Expires"
          name="expiresAt"
          type="date"
          value={proposed}
          hint="At the end of that day. Empty: never"
        />
        <Scopes />
      </Form>
    </Dialog>
  );
}

function Scopes() {
  const problem = useProblem("scopes");
  return (
    <fieldset>
      <legend>What it may read</legend>
      {SCOPES.map((scope) => (
        <label key={scope}>
          <input
            type="checkbox"
            name="scopes"
            value={scope}
            aria-invalid={problem !== undefined || undefined}
          />
          {scope}
        </label>
      ))}
      {problem && <small class="complaint">{problem}</small>}
    </fieldset>
  );
}

function check(values: FormData) {
  return [
    ...(textOf(values, "name").trim()
      ? []
      : [{ path: "name", message: "Expected a name of 1 to 80 characters." }]),
    ...(values.has("scopes") ? [] : [{ path: "scopes", message: "Choose at least one scope." }]),
  ];
}
