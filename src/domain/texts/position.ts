/** Describes a position in a string as editors do: `line 1, column 26`. */
export function describePosition(text: string, position: number): string {
  const lines = text.slice(0, position).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
