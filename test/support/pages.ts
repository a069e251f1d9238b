import { readdir, readFile } from "node:fs/promises";

const ROOT = new URL("../../", import.meta.url);

/** The text of a page of the documentation, by its path from the project's root. */
export const readPage = (path: string): Promise<string> => readFile(new URL(path, ROOT), "utf8");

/** README.md and every page of docs/, by their paths from the project's root. */
export async function listPages(): Promise<string[]> {
  const files = await readdir(new URL("docs", ROOT), { recursive: true });
  return ["README.md", ...files.filter((file) => file.endsWith(".md")).map((file) => `docs/${file}`)];
}

/** The code blocks of a page in one language, in order; "" for blocks that name none. Throws if there are none. */
export function blocksOf(page: string, language: string): string[] {
  const blocks = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  const found = blocks.filter(([, name]) => name === language).map(([, , text = ""]) => text);
  if (found.length === 0) throw new Error(`The page has no block of ${language || "plain text"}`);
  return found;
}

/** What stands under a heading such as `## Keys`, up to the next one of its level or above. Throws if there is none. */
export function sectionOf(page: string, heading: string): string {
  const [, text] = page.split(`\n${heading}\n`);
  if (text === undefined) throw new Error(`The page has no section ${heading}`);
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  // A page has one heading of the first level; `# ` elsewhere is a comment in a block.
  return text.split(new RegExp(`\n#{2,${level}} `))[0] ?? "";
}

/** The cells of a table's rows. The table is found by the line of its head. Throws if there is none. */
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
