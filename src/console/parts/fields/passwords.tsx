import type { Problem } from "../../gateway/failure.js";
import { textOf } from "../forms/values.js";
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

/** The field of a new password. */
export function NewPassword({ label, consequence = "" }: { label: string; consequence?: string }) {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      autocomplete="new-password"
      hint={`At least 12 characters. Longer is better than stranger.${consequence}`}
      required
    />
  );
}

/** Checks a new password, as far as a browser can. Only the gateway knows the most common ones. */
export function checkNewPassword(values: FormData): readonly Problem[] {
  const { length } = [...textOf(values, "password").normalize("NFKC")];
  if (length >= 12 && length <= 200) return [];
  return [{ path: "password", message: `Expected 12 to 200 characters, got ${length}.` }];
}
