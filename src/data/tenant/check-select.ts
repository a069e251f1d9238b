import { findSource, isCte } from "./sources.js";

/** Set-returning functions that a tenant's statement may use in FROM. */
const ROW_FUNCTIONS = new Set(["generate_series", "string_to_table", "unnest"]);

/** Keywords of statements that write, and keywords that precede a table name. */
const REFUSED = new Set(["insert", "update", "delete", "merge", "into", "table", "only"]);

/** Keywords that end a FROM list. They are reserved, so they cannot be aliases in it. */
const AFTER_FROM = new Set(
  "where group having window order limit offset fetch for union intersect except select".split(" "),
);

/**
 * A word, a quoted identifier, a string, a parameter, a number, or any other single character. Comments, prefixed
 * strings (E'…'), dollar quotes and semicolons do not match, so nothing can hide in them.
 */
const TOKEN =
  /[a-z_\x80-\uffff][\w\x80-\uffff]*(?!['"$\w\x80-\uffff])|"(?:[^"]|"")*"|'(?:[^']|'')*'|\$\d+|\d[\d_]*(?:\.[\d_]*)?|(?!--|\/\*)[^\w\s'"$;\x80-\uffff]/gi;

function readTokens(select: string): string[] {
  const rest = select.replace(TOKEN, "");
  if (/[^ \t\r\n]/.test(rest)) throw refusal(`it must not contain ${rest.trim()}`);
  // PostgreSQL ignores the case of unquoted words.
  return (select.match(TOKEN) ?? []).map((token) => (/^["']/.test(token) ? token : token.toLowerCase()));
}

const refusal = (reason: string) => new Error(`invalid statement for a tenant: ${reason}`);

/**
 * Returns the names of the sources that a tenant's statement reads. Throws unless it is a single SELECT that reads only
 * from sources in `own` and `mine`, its CTEs, subqueries and a few functions, and so cannot name a table or view. Does
 * not check functions in expressions: a statement must not call any that read tables or write.
 */
export function listSources(select: string): ReadonlySet<string> {
  const tokens = readTokens(select);
  if (tokens[0] !== "select") throw refusal(`it must begin with SELECT, not ${tokens[0]}`);
  const sources = new Set<string>();
  /** For the statement and each open bracket, true while in a FROM list. */
  const isInFrom = [false];
  /** Set if a source must come next, or, after an opening bracket, a source or a subquery. */
  let expected: "source" | "source or query" | undefined;
  for (const [index, token] of tokens.entries()) {
    if (REFUSED.has(token)) throw refusal(`it must not contain ${token.toUpperCase()}`);
    if (expected !== undefined && token !== "lateral") {
      const isSource = findSource(token) !== undefined;
      const isQuery = expected === "source or query" && ["select", "with", "values"].includes(token);
      const isFunction = ROW_FUNCTIONS.has(token) && tokens[index + 1] === "(";
      if (isSource) sources.add(token);
      else if (token !== "(" && !isQuery && !isFunction && !isCte(token)) {
        throw refusal(`it must read from a source such as own.facilities, not from ${token}`);
      }
      expected = token === "(" ? "source or query" : undefined;
    }
    if (token === "from") isInFrom.splice(-1, 1, true);
    if (token === "from" || token === "join") expected = "source";
    // After a dot, any word is a column name.
    if (AFTER_FROM.has(token) && tokens[index - 1] !== ".") isInFrom.splice(-1, 1, false);
    if (token === "(" || token === "[") isInFrom.push(false);
    if (token === ")" || token === "]") isInFrom.pop();
    if (token === "," && isInFrom.at(-1)) throw refusal("it must use CROSS JOIN instead of a comma");
  }
  if (sources.size === 0) throw refusal("it must read from a source such as own.facilities");
  return sources;
}
