/** Returns true for a country or a grid, such as `GB` or `US-CAMX`: the region of a factor in capital letters. */
export const isElectricityMarket = (text: string): boolean => /^[A-Z0-9-]{1,20}$/.test(text);
