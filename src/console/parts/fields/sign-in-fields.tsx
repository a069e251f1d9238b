import { Field } from "./field.js";

/** The fields of a sign-in. */
export function SignInFields({ email = "" }: { email?: string }) {
  return (
    <>
      <Field label="E-mail" name="email" type="email" value={email} autocomplete="username" required />
      <Field label="Password" name="password" type="password" autocomplete="current-password" required />
    </>
  );
}
