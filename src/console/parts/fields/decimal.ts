/** Returns true if a text is a decimal without a sign, such as `12.5`. */
export const isDecimal = (text: string): boolean => /^\d+(\.\d+)?$/.test(text);
