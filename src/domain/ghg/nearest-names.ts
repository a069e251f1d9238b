/** A name with its pairs of letters. */
export interface PairedName {
  readonly name: string;
  readonly pairs: readonly string[];
}

export const pairName = (name: string): PairedName => ({ name, pairs: [...pairsOf(name)] });

/** Lists the names most similar to a string, best first, by letter pairs (Sørensen-Dice). */
export function listNearest(known: readonly PairedName[], text: string, max: number): string[] {
  const wanted = pairsOf(text);
  return known
    .map(({ name, pairs }) => ({
      name,
      likeness: pairs.filter((pair) => wanted.has(pair)).length / (pairs.length + wanted.size),
    }))
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, max)
    .map(({ name }) => name);
}

function pairsOf(text: string): Set<string> {
  const letters = ` ${text.toLowerCase()} `;
  return new Set(Array.from({ length: letters.length - 1 }, (_, index) => letters.slice(index, index + 2)));
}
