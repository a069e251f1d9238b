const LF = 0x0a;

/** Describes a position in a string as editors do: `line 1, column 26`. */
export function describePosition(text: string, position: number): string {
  let line = 1;
  let start = 0;
  for (let at = 0; at < position; at += 1) {
    if (text.charCodeAt(at) !== LF) continue;
    line += 1;
    start = at + 1;
  }
  return `line ${line}, column ${position - start + 1}`;
}
