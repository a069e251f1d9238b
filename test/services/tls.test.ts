import { execFileSync } from "node:child_process";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Examination, examine } from "../../src/commands/doctor/doctor.js";
import { createPostgresServer, type PostgresServer, user } from "../support/postgres-server.js";
import { makeFolder, preload, runGateway, startProcess } from "../support/process.js";
import { createRedisServer } from "../support/redis-server.js";
import { freePort } from "../support/tcp-proxy.js";

/** Creates a certificate of its own CA for 127.0.0.1. */
function makeCertificate(folder: string) {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-days",
      "2",
      ...names,
      "-keyout",
      key,
      "-out",
      certificate,
    ],
    { stdio: "pipe" },
  );
  if (user) for (const path of [folder, key, certificate]) chownSync(path, user.uid, user.gid);
  return { key, certificate };
}

describe("PostgreSQL with TLS and a CA of its own", () => {
  const folder = makeFolder();
  let secure: PostgresServer;
  let plain: PostgresServer;
  let certificate: string;
  beforeAll(async () => {
    const made = makeCertificate(folder.path);
    certificate = made.certificate;
    secure = await createPostgresServer({ ssl: "on", ssl_cert_file: certificate, ssl_key_file: made.key });
    plain = await createPostgresServer({});
    await Promise.all([secure.start(), plain.start()]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([secure?.remove(), plain?.remove()]);
    folder.remove();
  });

  /** Returns whether a command connects, and with what remedy if it does not. */
  async function attempt({ url }: PostgresServer, query: string) {
    const DATABASE_URL = `${url}?${query}`;
    const { checks } = await examine({ DATABASE_URL }, () => new Date());
    const { status, mend } = checks.find(({ check }) => check === "database") ?? {};
    return status === "ok" ? "connects" : mend;
  }

  it("connects with its certificate, and otherwise says what is missing", async () => {
    const trusted = `sslrootcert=${certificate}`;
    for (const mode of ["verify-full", "require", "verify-ca"]) {
      expect([mode, await attempt(secure, `sslmode=${mode}&${trusted}`)]).toEqual([mode, "connects"]);
      expect([mode, await attempt(secure, `sslmode=${mode}`)]).toEqual([
        mode,
        expect.stringMatching(/^The certificate of PostgreSQL is not trusted\. Add sslrootcert=/),
      ]);
    }
    for (const server of [secure, plain]) expect(await attempt(server, "sslmode=prefer")).toBe("connects");
    expect(await attempt(plain, "sslmode=require")).toMatch(/^PostgreSQL does not use TLS\./);
    expect(await attempt(secure, "sslmode=require&sslrootcert=/none")).toMatch(/^Correct sslrootcert/);
    const DATABASE_URL = `${secure.url}?sslmode=require`;
    const DATABASE_URL_FILE = join(folder.path, "url");
    writeFileSync(DATABASE_URL_FILE, DATABASE_URL);
    for (const env of [{ DATABASE_URL }, { DATA_DIR: "", DATABASE_URL_FILE }]) {
      const { code, stderr } = await runGateway(["migrate"], { env });
      expect([code, stderr]).toEqual([1, expect.stringContaining("Add sslrootcert=")]);
    }
  });

  it("does not blame the URL for another file that is missing, even if the URL contains its name", async () => {
    const env = {
      DATABASE_URL: `${secure.url}?sslmode=require&${new URLSearchParams({ sslrootcert: certificate })}`,
      GRAPHQL_TRUSTED_DOCUMENTS: "postgres",
    };
    expect((await runGateway(["migrate"], { env })).code).toBe(0);
    const { code, stderr } = await runGateway(["serve"], { env, cwd: folder.path });
    expect([code, stderr]).toEqual([1, expect.stringContaining("postgres")]);
    expect(stderr).not.toContain("sslrootcert");
  });

  it("gets only JSON into the log", async () => {
    const DATABASE_URL = `${secure.url}?sslmode=require&sslrootcert=${certificate}`;
    expect((await runGateway(["migrate"], { env: { DATABASE_URL } })).code).toBe(0);
    const NODE_OPTIONS = preload(`process.on("SIGUSR2", () => process.emitWarning("a driver warns"));`);
    const gateway = await startProcess({ env: { DATABASE_URL, NODE_OPTIONS } });
    gateway.signal("SIGUSR2");
    await expect.poll(() => gateway.stderr()).toContain('"message":"a driver warns"');
    expect((await gateway.ready()).body).toMatchObject({ database: "up" });
    await gateway.stop();
    const lines = gateway.stderr().trim().split("\n");
    expect(lines.filter((line) => !line.startsWith("{"))).toEqual([]);
  });
});

it("checks the certificate of Redis, and trusts the CA in NODE_EXTRA_CA_CERTS", async () => {
  const folder = makeFolder();
  const { key, certificate } = makeCertificate(folder.path);
  const port = await freePort();
  const files = ["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate];
  const redis = await createRedisServer(["--tls-port", String(port), ...files, "--tls-auth-clients", "no"]);
  await redis.start();
  onTestFinished(async () => {
    await redis.kill();
    folder.remove();
  });
  const attempt = async (trusted: object) => {
    const env = { REDIS_URL: `rediss://127.0.0.1:${port}`, ...trusted };
    const { stdout } = await runGateway(["doctor", "--json"], { env });
    const { checks } = JSON.parse(stdout) as Examination;
    const { status, mend } = checks.find(({ check }) => check === "redis") ?? {};
    return [status, mend];
  };
  expect(await attempt({})).toEqual([
    "failure",
    expect.stringMatching(/^Set NODE_EXTRA_CA_CERTS to a file with the CA of Redis/),
  ]);
  expect(await attempt({ NODE_EXTRA_CA_CERTS: certificate })).toEqual(["ok", null]);
});
