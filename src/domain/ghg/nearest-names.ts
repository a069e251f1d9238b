/** Creates a function that lists the names most similar to a string, best first, by letter pairs (Sørensen-Dice). */
export function createNearestNames(names: Iterable<string>, max: number): (text: string) => string[] {
  const known = [...new Set(names)].sort().map((name) => ({ name, pairs: [...pairsOf(name)] }));
  return (text) => {
    const wanted = pairsOf(text);
    return known
      .map(({ name, pairs }) => ({
        name,
        likeness: pairs.filter((pair) => wanted.has(pair)).length / (pairs.length + wanted.size),
      }))
      .sort((a, b) => b.likeness - a.likeness)
      .slice(0, max)
      .map(({ name }) => name);
  };
}

function pairsOf(text: string): Set<string> {
  const letters = ` ${text.toLowerCase()} `;
  return new Set(Array.from({ length: letters.length - 1 }, (_, index) => letters.slice(index, index + 2)));
}
