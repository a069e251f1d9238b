import { parse } from "lossless-json";
import { describePosition } from "../../domain/texts/position.js";
import { at } from "./bundle-rows.js";

/** Returns the paths of duplicate keys in valid JSON. The parser itself accepts duplicates with the same value. */
function listDuplicateKeys(json: string): string[] {
  const duplicates: string[] = [];
  const open: { path: string; step: string | number; keys: Set<string> }[] = [];
  for (const [token, string, colon] of json.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[[\]{},]/g)) {
    const inner = open.at(-1);
    if (token === "{" || token === "[") {
      open.push({
        path: inner ? at(inner.path, inner.step) : "",
        step: token === "[" ? 0 : "",
        keys: new Set(),
      });
    } else if (token === "}" || token === "]") open.pop();
    else if (token === "," && typeof inner?.step === "number") inner.step += 1;
    else if (inner && string !== undefined && colon !== undefined) {
      inner.step = JSON.parse(string) as string;
      if (inner.keys.has(inner.step)) duplicates.push(at(inner.path, inner.step));
      inner.keys.add(inner.step);
    }
  }
  return duplicates;
}

/** Parses a bundle. Numbers keep all their digits. Adds a problem for invalid JSON and for every duplicate key. */
export function readJson(json: string, problems: string[]): unknown {
  try {
    const value = parse(json, null, { onDuplicateKey: ({ oldValue }) => oldValue });
    for (const path of listDuplicateKeys(json))
      problems.push(`${path}: expected the key once, got a duplicate`);
    return value;
  } catch (error) {
    const message = error instanceof RangeError ? "it is nested too deeply" : (error as Error).message;
    const position = Number(/position (\d+)$/.exec(message)?.[1] ?? 0);
    const what = message.replace(/ at position \d+$/, "").replace(/\s+/g, " ");
    problems.push(
      `bundle: expected valid JSON, got an error at ${describePosition(json, position)}: ${what}`,
    );
    return undefined;
  }
}
