import { createPublicKey, hash, randomUUID, verify as verifySignature } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { Body } from "../support/answers.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { type Answer, type Envelope, makeKey, NOW, startGateway } from "../support/server.js";
import { useGateway } from "../support/use.js";
import {
  accept,
  completeStep,
  DECISION,
  draft,
  prepareVerification,
  REQUESTS,
  requestInput,
  step,
  submitTo,
  tokenOf,
  verify,
  YEAR,
} from "../support/verification.js";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const refusal = ({ status, body }: Answer<Envelope>) => [status, body.error];
const read = async (person: TestPerson, path: string): Promise<Body> => (await person.call(path)).body.data;
const nobody = (email: string) => ({
  email,
  email_confirmed: false,
  name: null,
  organization: null,
  account_created_at: null,
  accepted_at: null,
  confirmed_at: null,
});
const conflict = (message: string, path = "status") => [
  409,
  { code: "CONFLICT", message, details: [{ path, message }] },
];

describe("/v1/verification/requests", () => {
  it("drafts a request once, hidden from its verifier", async () => {
    const { ada, vera } = await prepareVerification(gateway);
    const { request, path, ...made } = await draft(ada, vera, { scopes: ["scope_2", "scope_1"] });
    expect([made.status, made.headers.get("location"), made.headers.get("etag")]).toEqual([
      201,
      path,
      expect.stringMatching(/^"1-/),
    ]);
    const { slug, name } = ada.organization;
    expect(request).toEqual({
      id: expect.any(String),
      number: "VR-2026-0001",
      organization: { slug, name },
      period: YEAR,
      scopes: ["scope_1", "scope_2"],
      inventory: null,
      level: "limited",
      materiality_pct: 5,
      materiality_pct_exact: "5",
      status: "draft",
      verifier: nobody(vera.user.email),
      verifier_email: vera.user.email,
      verifier_link_expires_at: null,
      locked: false,
      assigned: false,
      snapshot: null,
      opinion: null,
      statement: null,
      certificate_number: null,
      created_at: NOW.toISOString(),
      version: 1,
      findings: [],
      history: [
        {
          from_status: null,
          status: "draft",
          changed_by: "organization",
          note: null,
          changed_at: NOW.toISOString(),
        },
      ],
    });
    const again = await draft(ada, vera, { scopes: ["scope_1", "scope_2"], materiality_pct: "5.0" });
    expect([again.status, again.request]).toEqual([200, request]);
    const other = await draft(ada, vera, { level: "reasonable" });
    expect(other.request.number).toBe("VR-2026-0002");
    const listed = await read(ada, `${REQUESTS}?status=draft&limit=1`);
    expect(listed).toEqual({ items: [expect.any(Object)], next_cursor: expect.any(String) });
    expect((await vera.call(path)).status).toBe(404);
    expect((await read(vera, "/v1/verification/assignments")).items).toEqual([]);
  });

  it("reports all problems of a request together", async () => {
    const { ada, vera } = await prepareVerification(gateway);
    const refused = async (more: object) => refusal(await draft(ada, vera, more));
    const wrong = {
      period: { from: "2026-01-01", to: "2026-11-20" },
      scopes: [],
      materiality_pct: 0,
      verifier_email: "nobody",
    };
    expect(await refused(wrong)).toEqual([
      422,
      {
        code: "VALIDATION_FAILED",
        message: expect.any(String),
        details: [
          {
            path: "materiality_pct",
            message: "materiality_pct must be above 0 and at most 100 with at most 4 decimals (got 0).",
          },
          {
            path: "verifier_email",
            message:
              'verifier_email must be an e-mail address of at most 254 characters, such as ada@example.com (got "nobody").',
          },
          { path: "period.to", message: "period.to must be in the past (got 2026-11-20)." },
          { path: "scopes", message: "scopes must have at least one scope." },
        ],
      },
    ]);
    expect(await refused({ materiality_pct: "100.0001" })).toMatchObject([422, {}]);
    expect(await refused({ level: "total" })).toMatchObject([422, { details: [{ path: "level" }] }]);
  });

  it("leads from a draft to a certificate with a verifiable digest and signature", async () => {
    const { ada, vera, records } = await prepareVerification(gateway);
    const { path, request: drafted } = await draft(ada, vera);
    const lines = records
      .map(({ id, recordedOn, scope, co2eTonnes }) =>
        [id, recordedOn.toISOString().slice(0, 10), scope, co2eTonnes.toFixed(6)].join("|"),
      )
      .toSorted();
    const submitted = await completeStep(ada, path, "submit");
    const total = (scope: string, tonnes: string) => ({
      scope,
      co2e_tonnes: Number(tonnes),
      co2e_tonnes_exact: tonnes,
    });
    expect(submitted).toEqual({
      ...drafted,
      status: "submitted",
      locked: true,
      version: 2,
      verifier_link: expect.any(String),
      verifier_link_expires_at: "2026-12-20T10:00:00.000Z",
      snapshot: {
        number: 1,
        taken_at: NOW.toISOString(),
        record_count: 3,
        totals: [total("scope_1", "100.5"), total("scope_2", "200.25"), total("scope_3", "0")],
        total_co2e_tonnes: 300.75,
        total_co2e_tonnes_exact: "300.75",
        digest: hash("sha256", lines.map((line) => `${line}\n`).join("")),
      },
      history: [
        {
          from_status: "draft",
          status: "submitted",
          changed_by: "organization",
          note: null,
          changed_at: NOW.toISOString(),
        },
        ...drafted.history,
      ],
    });
    await accept(vera, tokenOf(submitted));
    await completeStep(ada, path, "verifier/confirm");
    expect((await read(vera, "/v1/verification/assignments")).items).toMatchObject([
      { id: submitted.id, assigned: true, status: "submitted" },
    ]);

    const exported = await vera.call<string>(`${path}/records/export`);
    expect([exported.status, exported.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    const [header, ...rows] = exported.body.trimEnd().split("\n");
    expect([header, rows]).toEqual([
      "id,recorded_on,scope,co2e_tonnes",
      lines.map((line) => line.replaceAll("|", ",")),
    ]);
    const page = await read(vera, `${path}/records?limit=2`);
    expect([page.items.length, page.next_cursor]).toEqual([2, expect.any(String)]);
    const next = await read(vera, `${path}/records?limit=2&cursor=${page.next_cursor}`);
    expect([...page.items, ...next.items].map(({ id }) => id)).toEqual(
      records.map(({ id }) => id).toSorted(),
    );

    const reviewed = await completeStep(vera, path, "start");
    expect([reviewed.status, reviewed.assigned]).toEqual(["in_review", true]);
    const decided = await completeStep(vera, path, "decide", DECISION);
    expect(decided).toMatchObject({ status: "verified", locked: true, ...DECISION, version: 6 });
    const number = decided.certificate_number;
    expect(number).toMatch(/^CGW-2026-\d{6}-[0-9A-HJKMNP-TV-Z]{8}$/);

    const certificate = await read(ada, `/v1/verification/certificates/${number}`);
    expect(certificate.statement).toEqual({
      format: 2,
      certificate_number: number,
      issued_on: "2026-11-20",
      level: "limited",
      materiality_pct: "5",
      opinion: "unmodified",
      organization: ada.organization,
      period: YEAR,
      record_count: 3,
      snapshot_digest: submitted.snapshot.digest,
      total_co2e_tonnes: "300.75",
      verifier: { name: "Vera Verifier", organization: vera.organization.name },
      scopes: [
        { co2e_tonnes: "100.5", scope: "scope_1" },
        { co2e_tonnes: "200.25", scope: "scope_2" },
        { co2e_tonnes: "0", scope: "scope_3" },
      ],
    });
    expect(await read(ada, "/v1/verification/certificates")).toEqual({
      items: [certificate],
      next_cursor: null,
    });

    // Without any credentials.
    const shown = (await gateway.call<Envelope>(`/v1/verification/certificates/${number}/verify`)).body
      .data as Body;
    const { statement, statement_text, digest, signature, key_id } = certificate;
    expect(shown).toEqual({
      number,
      organization: ada.organization.name,
      issued_at: NOW.toISOString(),
      verifier: statement.verifier,
      period: YEAR,
      scopes: statement.scopes,
      total_co2e_tonnes: "300.75",
      level: "limited",
      opinion: "unmodified",
      status: "valid",
      superseded_by: null,
      statement,
      statement_text,
      digest,
      signature,
      key_id,
    });
    const published = await gateway.call<Body>("/.well-known/cgw-certificate-keys.json");
    expect(published.headers.get("cache-control")).toBe("public, max-age=300");
    const jwk = published.body.keys.find(({ kid }: Body) => kid === key_id);
    const key = createPublicKey({ format: "jwk", key: jwk });
    const isSigned = (text: string) =>
      verifySignature(null, Buffer.from(text), key, Buffer.from(signature, "base64"));
    expect([hash("sha256", statement_text), isSigned(statement_text)]).toEqual([digest, true]);
    expect(isSigned(statement_text.replace("300.75", "200.75"))).toBe(false);

    const html = await gateway.call<string>(`/certificates/${number}`);
    expect([html.status, html.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const texts = [number, ada.organization.name, "300.75 tCO₂e", digest, signature, "<svg", "Valid"];
    for (const text of [
      ...texts,
      `Vera Verifier, ${vera.organization.name}`,
      "Limited assurance",
      "Unmodified",
    ]) {
      expect(html.body).toContain(text);
    }
    expect(html.body).not.toContain("now called");
    expect(html.body).not.toContain(vera.user.email);
    expect(refusal(await vera.call(`${path}/records`))).toEqual(
      conflict(
        "The request is verified. Its verifier can read the records only from its submission to the decision.",
      ),
    );
  });

  it("reports lines of an import that would change the locked period", async () => {
    const { ada, vera } = await prepareVerification(gateway);
    const send = async (query: string, rows: string) => {
      const { status, body } = await ada.call<Envelope>(`/v1/emissions/import?map.recorded_on=Day${query}`, {
        method: "POST",
        headers: { "Content-Type": "text/csv" },
        body: `Day,scope,co2e_tonnes,reference\n${rows}`,
      });
      const { details } = (body.error ?? {}) as { details?: unknown };
      return [status, details ?? body.data];
    };
    const existing = "2025-11-30,2,3,one\n2025-12-01,2,4,two\n";
    expect(await send("", existing)).toMatchObject([200, { inserted: 2 }]);
    const { path } = await draft(ada, vera);
    await submitTo(ada, vera, path);
    const fault = (line: number, day: string) => ({
      path: `line ${line}, column Day`,
      message: `expected no change from 2025-01-01 to 2025-12-31, a period locked for verification, got a new or changed record of ${day}`,
    });
    const changed = "2025-11-30,2,3,one\n2026-01-02,2,4,two\n2025-03-04,1,5,new\n2026-03-04,1,5,later\n";
    expect(await send("&dry_run=true", changed)).toEqual([
      422,
      [fault(3, "2026-01-02"), fault(4, "2025-03-04")],
    ]);
    expect(await send("&dry_run=true", `${existing}2026-03-04,1,5,later\n`)).toMatchObject([
      200,
      { inserted: 1, updated: 0, already_present: 2 },
    ]);
  });

  const STEPS = ["submit", "resubmit", "withdraw", "reopen", "start", "request-changes", "decide"] as const;
  const BY_VERIFIER: readonly string[] = ["start", "request-changes", "decide"];
  const WAYS: Record<string, readonly (typeof STEPS)[number][]> = {
    draft: [],
    submitted: ["submit"],
    in_review: ["submit", "start"],
    changes_requested: ["submit", "start", "request-changes"],
    verified: ["submit", "start", "decide"],
    rejected: ["submit", "start"],
    withdrawn: ["submit", "withdraw"],
  };
  const ALLOWED: Record<string, readonly string[]> = {
    draft: ["submit", "withdraw"],
    submitted: ["withdraw", "start"],
    in_review: ["withdraw", "request-changes", "decide"],
    changes_requested: ["resubmit", "withdraw"],
    verified: ["reopen"],
    rejected: [],
    withdrawn: [],
  };
  it.each(Object.entries(WAYS))("allows only the steps of its state: %s", async (state, way) => {
    const { ada, vera } = await prepareVerification(gateway);
    const { path } = await draft(ada, vera);
    const bodyOf = (name: string) => (name === "decide" ? DECISION : undefined);
    const by = (name: string) => (BY_VERIFIER.includes(name) ? vera : ada);
    for (const name of way) {
      if (name === "submit") await submitTo(ada, vera, path);
      else await completeStep(by(name), path, name, bodyOf(name));
    }
    if (state === "rejected")
      await completeStep(vera, path, "decide", { opinion: "adverse", statement: "Wrong." });
    const before = await read(ada, path);
    expect(before.status).toBe(state);
    for (const name of STEPS.filter((name) => !ALLOWED[state]?.includes(name))) {
      const { status, body } = await step(by(name), path, name, bodyOf(name));
      // A draft is hidden from the verifier.
      const isHidden = state === "draft" && BY_VERIFIER.includes(name);
      expect([name, status, body.error?.code]).toEqual([
        name,
        isHidden ? 404 : 409,
        isHidden ? "NOT_FOUND" : "CONFLICT",
      ]);
    }
    expect(await read(ada, path)).toEqual(before);
    for (const name of ALLOWED[state] ?? []) {
      const { status, body } = await step(by(name), path, name, bodyOf(name), '"99"');
      expect([name, status, body.error?.message]).toEqual([
        name,
        409,
        `VERSION_MISMATCH: If-Match is "99", and the current version is "${before.version}". Read it again.`,
      ]);
    }
    const [first] = ALLOWED[state] ?? [];
    if (first) await completeStep(by(first), path, first, bodyOf(first));
  });

  it("refuses an unmodified opinion if misstatements reach the materiality", async () => {
    const { ada, vera, records } = await prepareVerification(gateway);
    const { path } = await draft(ada, vera);
    const find = (json: object) =>
      step(vera, path, "findings", { text: "Wrong meter.", severity: "high", ...json });
    await submitTo(ada, vera, path);
    expect(refusal(await find({}))).toEqual(
      conflict("The request is submitted. Findings can be recorded only while it is in review."),
    );
    await completeStep(vera, path, "start");
    const first = await find({ record_id: records[0]?.id, misstatement_tonnes: 10 });
    const finding = first.body.data as Body;
    expect([first.status, finding]).toEqual([
      201,
      {
        id: expect.any(String),
        snapshot_number: 1,
        record_id: records[0]?.id,
        text: "Wrong meter.",
        severity: "high",
        misstatement_tonnes: 10,
        misstatement_tonnes_exact: "10",
        created_at: NOW.toISOString(),
      },
    ]);
    expect(first.headers.get("location")).toBe(`${path}/findings/${finding.id}`);
    const again = await find({ record_id: records[0]?.id, misstatement_tonnes: "10.0" });
    expect([again.status, again.body.data]).toEqual([200, finding]);
    expect(
      refusal(await find({ record_id: randomUUID(), text: " ", misstatement_tonnes: "0.0000001" })),
    ).toMatchObject([422, { details: [{ path: "text" }, { path: "misstatement_tonnes" }] }]);
    expect(refusal(await find({ record_id: randomUUID() }))).toMatchObject([
      422,
      {
        details: [
          { path: "record_id", message: "record_id must be the id of one of the request's records." },
        ],
      },
    ]);
    await find({ misstatement_tonnes: "-5.1" });
    expect(refusal(await step(vera, path, "decide", DECISION))).toEqual([
      422,
      {
        code: "VALIDATION_FAILED",
        message:
          "opinion cannot be unmodified: misstatements of 15.1 t in 300.75 t (5.02 %) reach the materiality of 5 %.",
        details: expect.any(Array),
      },
    ]);
    // Findings of one snapshot do not count against the next.
    await completeStep(vera, path, "request-changes", { note: "Please correct r-1." });
    await completeStep(ada, path, "resubmit");
    await completeStep(vera, path, "start");
    await find({ misstatement_tonnes: "15" });
    const decided = await completeStep(vera, path, "decide", DECISION);
    expect(decided).toMatchObject({ status: "verified", snapshot: { number: 2 } });
    expect(decided.history[3]).toMatchObject({ status: "changes_requested", note: "Please correct r-1." });
  });

  it("supersedes a certificate when its request is reopened and verified again", async () => {
    const { ada, vera } = await prepareVerification(gateway);
    const { path, request } = await verify(ada, vera);
    const first = request.certificate_number;
    const stateOf = async (number: string) => {
      const { status, superseded_by } = await read(ada, `/v1/verification/certificates/${number}`);
      return [status, superseded_by];
    };
    const reopened = await completeStep(ada, path, "reopen", { note: "A meter was wrong." });
    expect(reopened).toMatchObject({ status: "changes_requested", locked: false, opinion: null });
    expect(await stateOf(first)).toEqual(["superseded", null]);
    await completeStep(ada, path, "resubmit");
    await completeStep(vera, path, "start");
    const second = (await completeStep(vera, path, "decide", DECISION)).certificate_number;
    expect([second > first, await stateOf(first), await stateOf(second)]).toEqual([
      true,
      ["superseded", second],
      ["valid", null],
    ]);
    const html = await gateway.call<string>(`/certificates/${first}`);
    expect(html.body).toContain(`<a href="/certificates/${second}">${second}</a>`);
  });

  it("requires recent authentication for a decision", async () => {
    const { ada, vera } = await prepareVerification(gateway);
    const { path } = await draft(ada, vera);
    await submitTo(ada, vera, path);
    await completeStep(vera, path, "start");
    gateway.setNow(new Date(NOW.getTime() + 11 * 60_000));
    expect(refusal(await step(vera, path, "decide", DECISION))).toMatchObject([
      403,
      { code: "REAUTHENTICATION_REQUIRED" },
    ]);
  });

  it("lets admins and the verifier write, lets members and keys read, and refuses everybody else", async () => {
    const { ada, vera, owner } = await prepareVerification(gateway);
    const { slug } = ada.organization;
    const editor = await addMember(gateway, slug, "editor");
    expect((await editor.call(REQUESTS, { json: requestInput(vera) })).status).toBe(403);
    const { path, request } = await draft(ada, vera);
    expect((await step(editor, path, "submit")).status).toBe(403);
    await submitTo(owner, vera, path);
    expect((await read(editor, path)).id).toBe(request.id);
    expect((await read(editor, `${path}/records`)).items).toHaveLength(3);
    const byKey = async (key: string, url: string) =>
      (await gateway.call<Envelope>(url, { headers: { "X-API-Key": key } })).status;
    const { key } = await makeKey(gateway.database, slug, { scopes: ["read:emissions"] });
    const veras = await makeKey(gateway.database, vera.organization.slug, { scopes: ["read:emissions"] });
    expect([await byKey(key, path), await byKey(key, REQUESTS), await byKey(veras.key, path)]).toEqual([
      200, 200, 404,
    ]);
    expect(await byKey(key, "/v1/verification/assignments")).toBe(401);

    // Refused: the organization itself, a stranger and a colleague of the verifier.
    const colleague = await addMember(gateway, vera.organization.slug, "owner");
    const stranger = await signUp(gateway);
    for (const person of [ada, colleague, stranger]) {
      for (const name of ["start", "request-changes", "decide", "findings"]) {
        const body =
          name === "decide" ? DECISION : name === "findings" ? { text: "x", severity: "low" } : undefined;
        expect([name, (await step(person, path, name, body)).status]).toEqual([name, 404]);
      }
    }
    for (const person of [colleague, stranger]) {
      for (const url of [path, `${path}/records`, `${path}/records/export`]) {
        const { status, headers } = await person.call(url);
        expect([url, status, headers.get("Content-Type")]).toEqual([
          url,
          404,
          "application/json; charset=utf-8",
        ]);
      }
      expect((await step(person, path, "withdraw")).status).toBe(404);
      expect((await read(person, "/v1/verification/assignments")).items).toEqual([]);
    }
    // The verifier sees only the request, nothing else of the organization.
    expect((await read(vera, "/v1/emissions/records")).items).toEqual([]);
    expect((await step(vera, path, "withdraw")).status).toBe(404);
    await completeStep(vera, path, "start");
  });
});

describe("/v1/verification/certificates/{number}/verify", () => {
  it("answers 404 to similar numbers, and limits lookups of unknown numbers by address", async () => {
    const { ada, vera } = await prepareVerification(gateway);
    const { request } = await verify(ada, vera);
    const number: string = request.certificate_number;
    const near = [
      number.toLowerCase(),
      number.slice(0, -1),
      `${number}0`,
      `${number}%20`,
      number.replace("2026", "2025"),
    ];
    for (const each of [...near, "%00", "CGW-2026-999999", encodeURIComponent("' OR 1=1")]) {
      for (const url of [`/v1/verification/certificates/${each}/verify`, `/certificates/${each}`]) {
        expect([url, (await gateway.call(url)).status]).toEqual([url, 404]);
      }
      expect((await ada.call(`/v1/verification/certificates/${each}`)).status).toBe(404);
    }
    const stranger = await signUp(gateway);
    expect((await stranger.call(`/v1/verification/certificates/${number}`)).status).toBe(404);

    const strict = await startGateway({ database: gateway.database, env: { AUTH_FAILURES_PER_MINUTE: "2" } });
    const statuses = [];
    for (let tries = 0; tries < 3; tries += 1) {
      statuses.push((await strict.call("/v1/verification/certificates/CGW-2026-999999/verify")).status);
    }
    const page = await strict.call<string>("/certificates/CGW-2026-999999", {
      headers: { Accept: "text/html" },
    });
    await strict.stop();
    expect(statuses).toEqual([404, 404, 429]);
    expect(page.status).toBe(429);
    expect(page.body).toContain("<h1>Certificate not shown</h1>");
    expect(page.body).not.toContain("Check the number");
  });
});
