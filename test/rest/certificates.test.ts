import { createPublicKey, hash, verify as verifySignature } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCertificateKey } from "../../src/access/secrets/certificate-key.js";
import type { Body } from "../support/answers.js";
import { addRecord } from "../support/fixtures.js";
import { CERTIFICATE_KEY, type Envelope, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";
import { prepareVerification, verify, YEAR } from "../support/verification.js";

const gateway = useGateway();

const shownOf = async (number: string): Promise<{ json: Body; page: string }> => ({
  json: (await gateway.call<Envelope>(`/v1/verification/certificates/${number}/verify`)).body.data,
  page: (await gateway.call<string>(`/certificates/${number}`)).body,
});
const rename = (id: string, name: string) =>
  gateway.database.prisma.organization.update({ where: { id }, data: { name } });

describe("/certificates/{number}", () => {
  it("shows the names that were signed, and an organization's new name next to its old one", async () => {
    const { ada, vera } = await prepareVerification(gateway);
    const { request } = await verify(ada, vera);
    const number = request.certificate_number;
    const before = await shownOf(number);
    await rename(ada.organization.id, "Well-Known <b>Company</b>");
    await rename(vera.organization.id, "Well-Known Auditors");
    await gateway.database.prisma.user.update({ where: { id: vera.user.id }, data: { name: "Famous" } });
    const { json, page } = await shownOf(number);
    expect(json).toEqual(before.json);
    expect(json).toMatchObject({
      organization: ada.organization.name,
      verifier: { name: "Vera Verifier", organization: vera.organization.name },
    });
    const renamed = " <small>now called Well-Known &#60;b&#62;Company&#60;/b&#62;</small></td>";
    expect(page).toContain(`<td>${ada.organization.name}${renamed}`);
    expect(page.replace(renamed, "</td>")).toBe(before.page);
  });

  it("describes the verification in words and grouped numbers", async () => {
    const { ada, vera } = await prepareVerification(gateway);
    const { slug, name } = ada.organization;
    await addRecord(gateway.database, slug, { recordedOn: "2025-02-01", co2eTonnes: "12345678.125" });
    const { request } = await verify(ada, vera);
    const { page } = await shownOf(request.certificate_number);
    const cells = [...page.matchAll(/<th scope="row">([^<]*)<\/th><td[^>]*>([^<]*)<\/td>/g)];
    expect(Object.fromEntries(cells.map(([, header, cell]) => [header, cell]))).toMatchObject({
      "Verified for": name,
      "Verified by": `Vera Verifier, ${vera.organization.name}`,
      Period: "1 Jan 2025 to 31 Dec 2025",
      Level: "Limited assurance (negative conclusion)",
      Conclusion:
        "Unmodified: nothing came to the verifier&#39;s attention that suggests the total is not fairly stated.",
      Materiality: "5 %",
      Records: "4",
      Issued: "20 Nov 2026",
      "Scope 1": "12,345,778.625 tCO₂e",
      Total: "12,345,978.875 tCO₂e",
    });
  });

  it("shows a certificate in the original format, whose signature still verifies", async () => {
    const { ada, vera } = await prepareVerification(gateway);
    const { request } = await verify(ada, vera);
    const key = await createCertificateKey({
      certificateKey: CERTIFICATE_KEY,
      databaseUrl: undefined,
      dataDir: "",
    })();
    const { slug, id: organizationId, name } = ada.organization;
    const number = "CGW-2026-000001";
    const statement = `{"boundary":"operational_control","certificate_number":"${number}","level":"limited","materiality_pct":"5","opinion":"unmodified","organization":"${slug}","period":{"from":"2025-01-01","to":"2025-12-31"},"record_count":3,"scopes":[{"co2e_tonnes":"300.75","scope":"scope_1"}],"total_co2e_tonnes":"300.75"}`;
    const signed = { digest: hash("sha256", statement), signature: key?.sign(statement) ?? "" };
    const keyId = key?.kid ?? "";
    await gateway.database.prisma.certificate.create({
      data: {
        organizationId,
        number,
        requestId: request.id,
        opinion: "unmodified",
        statement,
        ...signed,
        kid: keyId,
        issuedAt: NOW,
      },
    });
    const { json, page } = await shownOf(number);
    expect(json).toEqual({
      number,
      organization: slug,
      verifier: null,
      issued_at: NOW.toISOString(),
      period: YEAR,
      scopes: [{ scope: "scope_1", co2e_tonnes: "300.75" }],
      total_co2e_tonnes: "300.75",
      level: "limited",
      opinion: "unmodified",
      status: "valid",
      superseded_by: null,
      statement: JSON.parse(statement),
      statement_text: statement,
      ...signed,
      key_id: keyId,
    });
    const published = await gateway.call<Body>("/.well-known/cgw-certificate-keys.json");
    const etag = published.headers.get("etag") ?? "";
    const again = await gateway.call("/.well-known/cgw-certificate-keys.json", {
      headers: { "If-None-Match": etag },
    });
    expect([etag, again.status]).toEqual([expect.stringMatching(/^"[\w-]{22}(-br|-gzip)?"$/), 304]);
    const jwk = published.body.keys.find(({ kid }: Body) => kid === keyId);
    const publicKey = createPublicKey({ format: "jwk", key: jwk });
    const signature = Buffer.from(json.signature, "base64");
    expect(verifySignature(null, Buffer.from(json.statement_text), publicKey, signature)).toBe(true);
    expect(page).toContain(`<td>${slug} <small>now called ${name}</small></td>`);
    for (const text of [number, signed.digest, "20 Nov 2026", "Operational control"])
      expect(page).toContain(text);
    expect(page).not.toContain("Verified by");
  });
});

describe("/certificates/{number} with an unknown number", () => {
  const path = "/certificates/CGW-2026-NOWHERE1";
  it("answers 404, as a page to a browser and in the envelope to a program", async () => {
    const page = await gateway.call<string>(path, { headers: { Accept: "text/html,*/*;q=0.8" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(page.body).toContain("There is no certificate with this number. Check the number");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const { status, body } = await gateway.call<Envelope>(path);
    expect([status, body.error?.code]).toEqual([404, "NOT_FOUND"]);
  });
});

describe("the certificate key of an embedded database", () => {
  it("is created without a restart once its folder is writable", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gateway-key-"));
    const dataDir = join(folder, "data");
    await writeFile(dataDir, "a file where the folder has to be");
    const read = createCertificateKey({ certificateKey: undefined, databaseUrl: undefined, dataDir });
    await expect(read()).rejects.toMatchObject({ code: "ENOTDIR" });
    await rm(dataDir);
    const made = await read();
    expect(made?.kid).toMatch(/^[0-9a-f]{16}$/);
    expect((await read())?.kid).toBe(made?.kid);
    await rm(folder, { recursive: true });
  });
});
