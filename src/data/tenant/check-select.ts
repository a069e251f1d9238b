import { findSource, isCte } from "./sources.js";

/** Functions that a tenant's statement may read rows from. */
const ROW_FUNCTIONS = new Set(["generate_series", "string_to_table", "unnest"]);

/** Words of statements that write, and words after which PostgreSQL expects the name of a table. */
const REFUSED = new Set(["insert", "update", "delete", "merge", "into", "table", "only"]);

/** Words that end a FROM list. They are reserved, so none can be an alias in it. */
const AFTER_FROM = new Set(
  "where group having window order limit offset fetch for union intersect except select".split(" "),
);

/**
 * A word, a quoted name, a string, a parameter, a number, or any other single character. Comments, strings with a
 * prefix (E'…'), dollar quotes and semicolons do not match, so nothing can hide in them.
 */
const TOKEN =
  /[a-z_\x80-\uffff][\w\x80-\uffff]*(?!['"$\w\x80-\uffff])|"(?:[^"]|"")*"|'(?:[^']|'')*'|\$\d+|\d[\d_]*(?:\.[\d_]*)?|(?!--|\/\*)[^\w\s'"$;\x80-\uffff]/gi;

function readTokens(select: string): string[] {
  const rest = select.replace(TOKEN, "");
  if (/[^ \t\r\n]/.test(rest)) throw refusal(`it may not contain ${rest.trim()}`);
  // PostgreSQL ignores the case of words.
  return (select.match(TOKEN) ?? []).map((token) => (/^["']/.test(token) ? token : token.toLowerCase()));
}

const refusal = (reason: string) => new Error(`a tenant's statement is refused: ${reason}`);

/**
 * Returns the names of the sources that a tenant's statement reads. Throws unless it is one SELECT that reads only from
 * the sources in `own` and `mine`, its CTEs, subqueries and a few functions, so that it cannot name a table or a view
 * itself. Does not check other functions, in expressions: a statement must not call one that reads tables or writes.
 */
export function listSources(select: string): ReadonlySet<string> {
  const tokens = readTokens(select);
  if (tokens[0] !== "select") throw refusal(`it must begin with SELECT, not ${tokens[0]}`);
  const sources = new Set<string>();
  /** For the statement and each open bracket in it, true inside a FROM list. */
  const isInFrom = [false];
  /** Set if a source must come next; after an opening bracket it may also be a subquery. */
  let expected: "source" | "source or query" | undefined;
  for (const [index, token] of tokens.entries()) {
    if (REFUSED.has(token)) throw refusal(`it may not contain ${token.toUpperCase()}`);
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
    // After a dot any word is the name of a column.
    if (AFTER_FROM.has(token) && tokens[index - 1] !== ".") isInFrom.splice(-1, 1, false);
    if (token === "(" || token === "[") isInFrom.push(false);
    if (token === ")" || token === "]") isInFrom.pop();
    if (token === "," && isInFrom.at(-1)) throw refusal("it must use CROSS JOIN instead of a comma");
  }
  if (sources.size === 0) throw refusal("it reads from no source such as own.facilities");
  return sources;
}
