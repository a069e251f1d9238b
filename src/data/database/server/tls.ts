import { connect } from "node:net";
import pg from "pg";

/** Error codes of Node.js for a certificate that it does not accept. */
const NOT_TRUSTED =
  /^(SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|CERT_|ERR_TLS|ERR_SSL|EPROTO)/;

/** Returns true for the error of a connection whose certificate Node.js does not accept. */
export const isUntrusted = (error: unknown): boolean =>
  NOT_TRUSTED.test((error as { code?: string }).code ?? "");

/** Returns what to do if one of these connections failed because of TLS; undefined for any other failure. */
export function findTlsRemedy(error: unknown, urls: readonly (string | undefined)[]): string | undefined {
  const { code = "", path, message } = error as NodeJS.ErrnoException;
  if (isUntrusted(error))
    return "The certificate of PostgreSQL is not trusted. Add sslrootcert=<file of its CA> to the URL, and use a host name of the certificate. See TLS to PostgreSQL in docs/operations.md.";
  if (/does not support SSL/.test(message))
    return "PostgreSQL does not use TLS. Enable it there (ssl = on), or set sslmode=disable or sslmode=prefer in the URL. See TLS to PostgreSQL in docs/operations.md.";
  if (/no encryption|SSL off/.test(message))
    return "PostgreSQL demands TLS. Set sslmode=verify-full in the URL. See TLS to PostgreSQL in docs/operations.md.";
  if (path !== undefined && urls.flatMap(listFiles).includes(path))
    return `Correct sslrootcert, sslcert or sslkey in the URL: the file ${code === "ENOENT" ? "does not exist" : "cannot be read"}. See TLS to PostgreSQL in docs/operations.md.`;
  return undefined;
}

/** Lists the files that a URL names. */
const listFiles = (url: string | undefined) => {
  if (url === undefined) return [];
  const { searchParams } = new URL(url);
  return ["sslrootcert", "sslcert", "sslkey"].map((name) => searchParams.get(name));
};

const MODE = /([?&]sslmode=)([^&]*)/;

/**
 * Returns a URL with the `sslmode` that the driver has for it. `require` and `verify-ca` are `verify-full`, because
 * the driver has always checked the certificate and host for them, and warns of it. `prefer` and `allow` use TLS,
 * without checking the certificate, if the server does at present. Does not change a URL with `uselibpqcompat`.
 */
export async function withTlsMode(url: string): Promise<string> {
  const mode = MODE.exec(url)?.[2];
  if (/[?&]uselibpqcompat=true/.test(url)) return url;
  if (mode === "require" || mode === "verify-ca") return url.replace(MODE, "$1verify-full");
  if (mode !== "prefer" && mode !== "allow") return url;
  return url.replace(MODE, `$1${(await usesTls(url)) ? "no-verify" : "disable"}`);
}

/** SSLRequest of PostgreSQL's protocol. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const TIME_LIMIT_MS = 2_000;

/** Returns true if a server accepts TLS, or does not answer. */
function usesTls(url: string): Promise<boolean> {
  const { host, port } = new pg.Client({ connectionString: url.replace(MODE, "$1disable") });
  // A Unix socket has no TLS.
  if (host.startsWith("/")) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIME_LIMIT_MS });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("connect", () => socket.write(SSL_REQUEST));
    socket.on("data", (data) => end(data.toString("latin1") !== "N"));
    for (const event of ["error", "timeout", "close"]) socket.on(event, () => end(true));
  });
}
