/** Fields of a factor that show whether it covers direct use. */
export interface UseTraits {
  readonly activity: string;
  readonly category: string;
  readonly publisherCategory?: string | null;
  readonly factorExact: string;
}

const SUPPLY_CHAIN =
  /\bWTT\b|well-to-tank|_t_and_d\b|T&D|transmission and distribution|managed assets|electricity for EVs/i;

/**
 * Ranks a factor by how directly it covers a use: 0 for fuel combustion, generation, travel and freight; 1 for
 * well-to-tank, losses, managed assets and electricity for electric vehicles; 2 for a factor of 0, such as DESNZ's for
 * the fuel of an electric car.
 */
export function rankUse({ activity, category, publisherCategory, factorExact }: UseTraits): number {
  if (Number(factorExact) === 0) return 2;
  return [activity, category, publisherCategory ?? ""].some((text) => SUPPLY_CHAIN.test(text)) ? 1 : 0;
}
