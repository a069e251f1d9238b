import { readdir, readFile } from "node:fs/promises";

const ROOT = new URL("../../", import.meta.url);

/** Reads a page of the documentation, by its path from the project's root. */
export const readPage = (path: string): Promise<string> => readFile(new URL(path, ROOT), "utf8");

/** Lists README.md and all pages of docs/, by their paths from the project's root. */
export async function listPages(): Promise<string[]> {
  const files = await readdir(new URL("docs", ROOT), { recursive: true });
  return ["README.md", ...files.filter((file) => file.endsWith(".md")).map((file) => `docs/${file}`)];
}

/** Returns the code blocks in one language ("" for none), in order. Throws if the page has none. */
export function blocksOf(page: string, language: string): string[] {
  const blocks = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  const found = blocks.filter(([, name]) => name === language).map(([, , text = ""]) => text);
  if (found.length === 0) throw new Error(`The page has no block of ${language || "plain text"}`);
  return found;
}

/** Returns the section under a heading such as `## Keys`. Throws if the page has none. */
export function sectionOf(page: string, heading: string): string {
  const [, text] = page.split(`\n${heading}\n`);
  if (text === undefined) throw new Error(`The page has no section ${heading}`);
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  // A page has one first-level heading; any other `# ` is a comment in a block.
  return text.split(new RegExp(`\n#{2,${level}} `))[0] ?? "";
}

/** Returns the cells of the table with the header line `head`. Throws if the page has none. */
export function rowsOf(page: string, head: string): string[][] {
  const [, table] = page.split(`${head}\n`);
  if (table === undefined) throw new Error(`The page has no table ${head}`);
  const rows = (table.split("\n\n")[0] ?? "").split("\n").slice(1);
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
