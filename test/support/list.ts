/** Returns the words of a text, which are separated by spaces or line breaks. */
export const list = (text: string): string[] => text.trim().split(/\s+/);
