/** Returns true if `text` could be a factor's region in capital letters: a country or grid, such as `GB` or `US-CAMX`. */
export const isElectricityMarket = (text: string): boolean => /^[A-Z0-9-]{1,20}$/.test(text);
