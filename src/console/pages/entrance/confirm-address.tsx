import { useState } from "preact/hooks";
import { spendAddressLink } from "../../gateway/session.js";
import { Button } from "../../parts/button.js";
import { Field } from "../../parts/fields/field.js";
import { textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { useAttempt } from "../../parts/states.js";
import { Entrance } from "./entrance.js";

interface ConfirmAddressProps {
  readonly token: string;
  /** True for a new address of the account; false for its current one or its address for notifications. */
  readonly isChange: boolean;
  readonly isSignedIn: boolean;
  readonly onDone: (text: string) => Promise<void>;
}

/** Confirms or denies an e-mail address with its link. Confirming needs the account's session or password. */
export function ConfirmAddress({ token, isChange, isSignedIn, onDone }: ConfirmAddressProps) {
  const [needsPassword, setNeedsPassword] = useState(!isSignedIn);
  const { attempt, complaint } = useAttempt();
  const leave = (text: string) => {
    if (isSignedIn) showMessage({ text });
    return onDone(text);
  };
  const deny = () =>
    attempt(async () => {
      await spendAddressLink(token, { deny: true });
      await leave("Thank you. The link no longer works.");
    });
  return (
    <Entrance
      title={isChange ? "Confirm your new e-mail address" : "Confirm your e-mail address"}
      submit="Confirm"
      enter={async (values) => {
        const password = textOf(values, "password");
        await spendAddressLink(token, needsPassword ? { password } : {});
      }}
      onDone={() => leave("Your e-mail address is confirmed.")}
      intro={
        isChange
          ? "Your account will use the address that received this link."
          : "This confirms the address that received this link."
      }
      more={
        <>
          {!needsPassword && (
            <Button label="Use a password instead" look="quiet" onClick={() => setNeedsPassword(true)} />
          )}
          {complaint}
          <p>Did someone else enter your address?</p>
          <Button label="This wasn't me" look="quiet" onClick={deny} />
        </>
      }
    >
      {needsPassword && (
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          hint="Password of the account that will use this address"
          required
        />
      )}
    </Entrance>
  );
}
