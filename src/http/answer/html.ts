import { hash } from "node:crypto";

/** Returns the CSP source that allows exactly this inline script or style. */
export const sourceOf = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`;

/** Escapes text for HTML, also inside quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
