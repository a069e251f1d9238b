/** Returns the bytes a string occupies in memory: V8 stores one per character, or two if any is not Latin-1. */
export function sizeOfText(text: string): number {
  return /[^\0-\xff]/.test(text) ? 2 * text.length : text.length;
}
