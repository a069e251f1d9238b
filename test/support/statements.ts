import { PGlite, type Transaction } from "@electric-sql/pglite";
import pg from "pg";

/** One statement as it went to the database. */
export interface Statement {
  readonly text: string;
  /** How many rows came back; undefined until then, and where it failed. */
  rows: number | undefined;
}

/** What begins and ends transactions or passes messages on, which is no question to the database. */
const FRAME = /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET TRANSACTION|LISTEN|UNLISTEN|NOTIFY)\b/i;

/** Statements of background jobs: recording the use of keys, and reading the heads of the audit trail. */
const TIMED =
  /^\s*(SELECT set_config\('gateway\.command'|(INSERT INTO|DELETE FROM) api_key_usage|SELECT nullif\(chain.* FROM audit_heads ORDER)/;

/** Connections that listen: what else they send only finds out whether they still do. */
const listening = new WeakSet<object>();

let recorded: Statement[] | undefined;

/** Every statement that this process sends to a database while `work` runs, in order; tests of a file run one by one. */
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

/** Notes a statement that is about to be sent; the result is told to what it returns. */
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

/** Puts a note in front of a method whose first argument is a statement, which it tells its result to. */
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

// A pool asks through its clients; PGlite's transactions have methods of their own.
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
