import { PGlite, type Transaction } from "@electric-sql/pglite";
import pg from "pg";

/** A statement as sent to the database. */
export interface Statement {
  readonly text: string;
  /** Number of returned rows; undefined before the answer, and if the statement failed. */
  rows: number | undefined;
}

/** Statements that frame transactions or handle notifications, and read no data. */
const FRAME = /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET TRANSACTION|LISTEN|UNLISTEN|NOTIFY)\b/i;

/** Statements of background jobs: recording the use of keys, and reading the heads of the audit trail. */
const TIMED =
  /^\s*(SELECT set_config\('gateway\.command'|(INSERT INTO|DELETE FROM) api_key_usage|SELECT nullif\(chain.* FROM audit_heads ORDER)/;

/** Listening connections: their other statements only check that they still listen. */
const listening = new WeakSet<object>();

let recorded: Statement[] | undefined;

/** Records all statements of this process while `work` runs, in order. Tests of a file run one at a time. */
export async function recordStatements<T>(
  work: () => Promise<T>,
): Promise<{ answer: T; statements: Statement[] }> {
  const statements: Statement[] = [];
  recorded = statements;
  try {
    return { answer: await work(), statements };
  } finally {
    recorded = undefined;
  }
}

/** Records a statement before it is sent; the returned function records its result. */
function note(connection: unknown, query: unknown): (result: unknown) => void {
  const text = typeof query === "string" ? query : String((query as { text?: unknown } | null)?.text);
  if (connection instanceof pg.Client && text.startsWith("LISTEN ")) listening.add(connection);
  if (recorded === undefined || FRAME.test(text) || TIMED.test(text) || listening.has(connection as object))
    return () => undefined;
  const statement: Statement = { text, rows: undefined };
  recorded.push(statement);
  return (result) => {
    statement.rows = (result as { rows?: unknown[] } | undefined)?.rows?.length;
  };
}

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Methods = Record<string, Method>;

/** Wraps a method whose first argument is a statement, so that it records the statement. */
function watch(owner: Methods, name: string): void {
  const send = owner[name] as Method;
  owner[name] = function (...args) {
    const done = note(this, args[0]);
    const callback = args.at(-1);
    if (typeof callback === "function") {
      args[args.length - 1] = (error: unknown, result: unknown) => {
        done(result);
        callback(error, result);
      };
    }
    const sent = send.apply(this, args);
    if (sent instanceof Promise) sent.then(done, () => undefined);
    return sent;
  };
}

// Pools send through their clients; PGlite's transactions have separate methods.
watch(pg.Client.prototype as unknown as Methods, "query");
const pglite = PGlite.prototype as unknown as Methods;
watch(pglite, "query");
watch(pglite, "exec");
const transaction = pglite["transaction"] as Method;
pglite["transaction"] = function (work) {
  return transaction.call(this, (tx: Transaction) => {
    watch(tx as unknown as Methods, "query");
    watch(tx as unknown as Methods, "exec");
    return (work as (tx: Transaction) => unknown)(tx);
  });
};
