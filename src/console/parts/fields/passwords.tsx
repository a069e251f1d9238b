import type { Problem } from "../../gateway/failure.js";
import { textOf } from "../forms/values.js";
import { Field } from "./field.js";

/** The field for a new password. */
export function NewPassword({ label, consequence = "" }: { label: string; consequence?: string }) {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      autocomplete="new-password"
      hint={`At least 12 characters. A long phrase beats a short, complicated one.${consequence}`}
      required
    />
  );
}

/** Checks the length of a new password. Only the gateway refuses passwords that are easy to guess. */
export function checkNewPassword(values: FormData): readonly Problem[] {
  const { length } = [...textOf(values, "password").normalize("NFKC")];
  if (length >= 12 && length <= 200) return [];
  const message = `Use ${length < 12 ? "at least 12" : "at most 200"} characters. This password has ${length}.`;
  return [{ path: "password", message }];
}
