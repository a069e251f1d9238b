import { useEffect, useRef, useState } from "preact/hooks";
import { hasPasskeys, type PasskeyAnswer } from "../../gateway/factors/passkeys.js";
import type { FactorWay, Proof } from "../../gateway/session.js";
import { Button } from "../button.js";
import { Field } from "../fields/field.js";
import { Form } from "../forms/form.js";
import { textOf } from "../forms/values.js";

/** Methods to prove the user's identity. */
export type Way = FactorWay | "password";

/** Labels of the buttons that choose another method. */
const CHOICES: Readonly<Record<Way, string>> = {
  totp: "Use your authenticator app",
  passkey: "Use a passkey",
  recovery_code: "Use a recovery code",
  password: "Use your password",
};

interface GiveFactorProps {
  /** The methods to choose from, the usual one first. */
  readonly ways: readonly Way[];
  /** Label of the button. */
  readonly submit: string;
  readonly onGive: (proof: Proof) => Promise<unknown>;
  /** Asks the user for a passkey. */
  readonly askPasskey: () => Promise<PasskeyAnswer>;
  readonly onCancel?: () => void;
}

/** A form that asks for a proof by one method, with buttons for the others. */
export function GiveFactor({ ways, submit, onGive, askPasskey, ...form }: GiveFactorProps) {
  const [chosen, choose] = useState<Way>();
  const place = useRef<HTMLDivElement>(null);
  const offered = ways.filter((way) => way !== "passkey" || hasPasskeys());
  const [first] = offered;
  const way = chosen ?? first;
  useEffect(() => place.current?.querySelector<HTMLElement>("input, [type=submit]")?.focus(), [way]);
  if (way === undefined)
    return (
      <p>
        None of your methods works in this browser. Try another browser, or ask an owner to reset your second
        factor.
      </p>
    );
  const give = async (values: FormData) =>
    onGive(way === "passkey" ? await askPasskey() : readProof(way, values));
  return (
    <div ref={place}>
      <Form key={way} submit={way === "passkey" ? "Use passkey" : submit} onSubmit={give} {...form}>
        <ProofField way={way} />
      </Form>
      <div class="other-ways">
        {offered
          .filter((other) => other !== way)
          .map((other) => (
            <Button key={other} label={CHOICES[other]} look="quiet" onClick={() => choose(other)} />
          ))}
      </div>
    </div>
  );
}

function ProofField({ way }: { way: Way }) {
  if (way === "passkey") return <p>Use the device or security key that has your passkey.</p>;
  if (way === "password")
    return (
      <Field label="Password" name="password" type="password" autocomplete="current-password" required />
    );
  if (way === "recovery_code")
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

function readProof(way: Exclude<Way, "passkey">, values: FormData): Proof {
  if (way === "password") return { password: textOf(values, "password") };
  if (way === "recovery_code") return { recovery_code: textOf(values, "recovery_code").trim() };
  return { code: textOf(values, "code").replaceAll(/\s/g, "") };
}
