import type { Problem } from "../gateway/failure.js";
import { textOf } from "./form.js";

/** What a new password must be, for a hint below its field. */
export const PASSWORD_HINT = "At least 12 characters. Longer is better than stranger.";

/** What is wrong with a new password, as far as a browser can tell; the gateway also knows the most common ones. */
export function checkNewPassword(values: FormData): readonly Problem[] {
  const { length } = [...textOf(values, "password").normalize("NFKC")];
  if (length >= 12 && length <= 200) return [];
  return [{ path: "password", message: `Expected 12 to 200 characters, got ${length}.` }];
}
