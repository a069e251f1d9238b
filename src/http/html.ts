import { hash } from "node:crypto";

/** Returns the CSP source of an inline script or style: only exactly this text may run. */
export const sourceOf = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`;

/** Escapes text for HTML, also inside quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
