import { registerOrganization } from "../../gateway/session.js";
import { Field } from "../../parts/fields/field.js";
import { checkNewPassword, NewPassword } from "../../parts/fields/passwords.js";
import { textOf } from "../../parts/forms/values.js";
import { Entrance } from "./entrance.js";

/** Creates an account with an organization of its own. */
export function Register({ onDone }: { onDone: () => Promise<void> }) {
  const enter = (values: FormData) =>
    registerOrganization({
      email: textOf(values, "email"),
      name: textOf(values, "name"),
      password: textOf(values, "password"),
      organization: { name: textOf(values, "organization.name") },
    });
  return (
    <Entrance
      title="Register"
      submit="Register"
      enter={enter}
      check={checkNewPassword}
      onDone={onDone}
      intro="This creates your organization. You can invite colleagues later."
      more={
        <p>
          Already registered? <a href="/console/">Sign in</a>
        </p>
      }
    >
      <Field label="Organization" name="organization.name" autocomplete="organization" />
      <Field label="Your name" name="name" autocomplete="name" />
      <Field label="E-mail" name="email" type="email" autocomplete="username" />
      <NewPassword label="Password" />
    </Entrance>
  );
}
