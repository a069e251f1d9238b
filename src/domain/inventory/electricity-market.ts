/** Returns true if `text` could be a factor's region in capital letters: a country or a grid, such as `US-CAMX`. */
export const isElectricityMarket = (text: string): boolean => /^[A-Z0-9-]{1,20}$/.test(text);
