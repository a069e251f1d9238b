import { findSource, isCte, type SourceTable } from "./sources.js";

/** Functions that a tenant's statement may read rows from. */
const ROW_FUNCTIONS = new Set(["generate_series", "string_to_table", "unnest"]);

/** Words that only a statement has that writes, or that reads a table by its name. */
const REFUSED = new Set(["insert", "update", "delete", "merge", "into", "table", "only"]);

/** Words that end the list after FROM. */
const AFTER_FROM = new Set(
  "where group having window order limit offset fetch for union intersect except select".split(" "),
);

/**
 * A token: a word, a quoted name, a text, a parameter, a number, or any other character. Comments, texts with a prefix
 * (E'…') and dollar quotes are none, and so never hide anything.
 */
const TOKEN =
  /[a-z_\x80-\uffff][\w\x80-\uffff]*(?!['"$\w\x80-\uffff])|"(?:[^"]|"")*"|'(?:[^']|'')*'|\$\d+|\d+(?:\.\d+)?|(?!--|\/\*)[^\w\s'"$;\x80-\uffff]/gi;

function readTokens(select: string): string[] {
  const rest = select.replace(TOKEN, "");
  if (/[^ \t\r\n]/.test(rest))
    throw refusal(`no comments, prefixed texts or several statements (${rest.trim()})`);
  // PostgreSQL ignores the case of words.
  return (select.match(TOKEN) ?? []).map((token) => (/^["']/.test(token) ? token : token.toLowerCase()));
}

const refusal = (expected: string) => new Error(`a tenant's statement is refused: expected ${expected}`);

/**
 * The tables that a tenant's statement reads. Throws unless it is one SELECT which names nothing after FROM and JOIN but
 * the sources of `own`, its CTEs, subqueries and a few functions; so no name can reach a table or a view itself. What
 * functions do elsewhere in it is not examined.
 */
export function listSources(select: string): ReadonlySet<SourceTable> {
  const tokens = readTokens(select);
  if (tokens[0] !== "select") throw refusal(`SELECT first, got ${tokens[0]}`);
  const sources = new Set<SourceTable>();
  /** For each open bracket, whether the list after a FROM goes on. */
  const isInFrom = [false];
  /** Where a source has to come next; after a bracket it may be a subquery. */
  let expected: "source" | "source or query" | undefined;
  for (const [index, token] of tokens.entries()) {
    if (REFUSED.has(token)) throw refusal(`no ${token.toUpperCase()}`);
    if (expected !== undefined && token !== "lateral") {
      const source = findSource(token);
      const isQuery = expected === "source or query" && ["select", "with", "values"].includes(token);
      const isFunction = ROW_FUNCTIONS.has(token) && tokens[index + 1] === "(";
      if (source !== undefined) sources.add(source);
      else if (token !== "(" && !isQuery && !isFunction && !isCte(token)) {
        throw refusal(`a source such as own.facilities instead of ${token}`);
      }
      expected = token === "(" ? "source or query" : undefined;
    }
    if (token === "from") isInFrom.splice(-1, 1, true);
    if (token === "from" || token === "join") expected = "source";
    if (AFTER_FROM.has(token)) isInFrom.splice(-1, 1, false);
    if (token === "(" || token === "[") isInFrom.push(false);
    if (token === ")" || token === "]") isInFrom.pop();
    if (token === "," && isInFrom.at(-1)) throw refusal("CROSS JOIN instead of a comma after FROM");
  }
  if (sources.size === 0) throw refusal(`at least one source such as own.facilities`);
  return sources;
}
