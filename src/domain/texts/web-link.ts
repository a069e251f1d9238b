/** Returns true if `text` is an absolute http or https URL. */
export const isWebLink = (text: string): boolean => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
