import { useEffect, useRef, useState } from "preact/hooks";
import { type PasskeyAnswer, supportsPasskeys } from "../../gateway/factors/passkeys.js";
import type { FactorMethod, Proof } from "../../gateway/session.js";
import { Button } from "../button.js";
import { Field } from "../fields/field.js";
import { Form } from "../forms/form.js";
import { textOf } from "../forms/values.js";

/** Methods to prove the user's identity. */
export type ProofMethod = FactorMethod | "password";

/** Labels of the buttons that choose another method. */
const CHOICES: Readonly<Record<ProofMethod, string>> = {
  totp: "Use your authenticator app",
  passkey: "Use a passkey",
  recovery_code: "Use a recovery code",
  password: "Use your password",
};

interface ProofFormProps {
  /** The methods to choose from, the usual one first. */
  readonly methods: readonly ProofMethod[];
  /** Label of the button, except for a passkey. */
  readonly submit: string;
  readonly onProof: (proof: Proof) => Promise<unknown>;
  /** Asks the user for a passkey. */
  readonly askPasskey: () => Promise<PasskeyAnswer>;
  readonly onCancel?: () => void;
}

/** A form that asks for a proof by one method, with buttons for the others. */
export function ProofForm({ methods, submit, onProof, askPasskey, ...form }: ProofFormProps) {
  const [chosen, choose] = useState<ProofMethod>();
  const container = useRef<HTMLDivElement>(null);
  const offered = methods.filter((method) => method !== "passkey" || supportsPasskeys());
  const [first] = offered;
  const method = chosen ?? first;
  useEffect(() => container.current?.querySelector<HTMLElement>("input, [type=submit]")?.focus(), [method]);
  if (method === undefined)
    return (
      <p>
        None of your methods works in this browser. Try another browser, or ask an owner to reset your second
        factor.
      </p>
    );
  const send = async (values: FormData) =>
    onProof(method === "passkey" ? await askPasskey() : readProof(method, values));
  return (
    <div ref={container}>
      <Form key={method} submit={method === "passkey" ? "Use passkey" : submit} onSubmit={send} {...form}>
        <ProofField method={method} />
      </Form>
      <div class="other-methods">
        {offered
          .filter((other) => other !== method)
          .map((other) => (
            <Button key={other} label={CHOICES[other]} look="quiet" onClick={() => choose(other)} />
          ))}
      </div>
    </div>
  );
}

function ProofField({ method }: { method: ProofMethod }) {
  if (method === "passkey") return <p>Use the device or security key that has your passkey.</p>;
  if (method === "password")
    return (
      <Field label="Password" name="password" type="password" autocomplete="current-password" required />
    );
  if (method === "recovery_code")
    return (
      <Field
        label="Recovery code"
        name="recovery_code"
        autocomplete="off"
        hint="One of the ten codes you saved. Each works once"
        required
      />
    );
  return (
    <Field
      label="Code"
      name="code"
      inputmode="numeric"
      autocomplete="one-time-code"
      hint="The six digits that your authenticator app shows"
      required
    />
  );
}

function readProof(method: Exclude<ProofMethod, "passkey">, values: FormData): Proof {
  if (method === "password") return { password: textOf(values, "password") };
  if (method === "recovery_code") return { recovery_code: textOf(values, "recovery_code").trim() };
  return { code: textOf(values, "code").replaceAll(/\s/g, "") };
}
