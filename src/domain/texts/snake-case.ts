/** A name in camel case as JSON and REST write it: `co2e_tonnes` for `co2eTonnes`. */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
