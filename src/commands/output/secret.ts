import { countOf } from "../../domain/texts/count-of.js";
import type { Output } from "../options.js";

/** Describes a new key or token: the secret, its id and `text`. With `--quiet`, only the secret. */
export function describeSecret(
  kind: "key" | "token",
  secret: string,
  { quiet }: Output,
  { id, text }: { readonly id: string; readonly text: string },
): string {
  if (quiet) return secret;
  return `${secret}\n\nSave this ${kind} now: it is not stored and cannot be shown again.\nId: ${id}. ${text}`;
}

/** Describes how long a replaced key or token keeps working. */
export const describeOverlap = (hours: string): string =>
  hours === "0" ? "is revoked" : `works for another ${countOf(Number(hours), "hour")}, or until it expires`;
