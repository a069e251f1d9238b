import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const CLAUSE = "(?:What|Whether|Whose|Who|Where|How many|How much|How far|That) ";
const NOUN = "a noun, or a verb in the third person";

/** Phrases that read like a translation, with replacements. */
const REFUSED: readonly (readonly [found: RegExp, instead: string])[] = [
  // Docstrings and descriptions that start with a clause: "What is read", "Whether a key works".
  [new RegExp(`^\\s*(?:/\\*\\*|\\*) ${CLAUSE}`), NOUN],
  [new RegExp(`^\\s*"+${CLAUSE}.*"$`), NOUN],
  [new RegExp(`description: "${CLAUSE}`), NOUN],
  [/\banew\b/i, "again"],
  [/\bgo(?:es)? on\b/i, "continue, continues"],
  [/\bmeanwhile\b/i, "in the meantime"],
  [/\bwhoever\b/i, "the caller, the person who, anyone who"],
  [/\bthere already\b/i, "already exists"],
  [/\bstays? as (?:it is|they are)\b/i, "is unchanged"],
  [/\b(?:is|are) away\b/i, "is unavailable"],
  [/\bdearest\b/i, "most expensive"],
  [/\btaken back\b/i, "undone"],
  [/\bif there is none\b/i, "if none exists, without one"],
];

const PAGES = ["README.md", "schema.graphql", "docs/*.md", "src/*.ts", "src/*.tsx", "src/*.graphql"];

const problems: string[] = [];
for (const file of execFileSync("git", ["ls-files", ...PAGES], { encoding: "utf8" })
  .trim()
  .split("\n")) {
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    for (const [found, instead] of REFUSED) {
      const [text] = found.exec(line) ?? [];
      if (text !== undefined) problems.push(`${file}:${index + 1}: expected ${instead}, got: ${text.trim()}`);
    }
  }
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
}
