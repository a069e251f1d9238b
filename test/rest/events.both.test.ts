import { CloudEvent, HTTP } from "cloudevents";
import { createClient } from "graphql-sse";
import { describe, expect, it } from "vitest";
import { STREAM_LIMITS } from "../../src/actions/events/streams.js";
import { revokeKeyById } from "../../src/actions/keys/revoke-key.js";
import type { GatewayEvent } from "../../src/data/events/to-event.js";
import type { Scope } from "../../src/domain/scopes.js";
import { openEventStream } from "../support/event-stream.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { type Envelope, makeKey, NOW, startGateway } from "../support/server.js";
import { useGateway } from "../support/use.js";

interface Page {
  readonly items: GatewayEvent[];
  readonly next_cursor: string;
  readonly has_more: boolean;
  readonly head: string;
}

const gateway = useGateway();

const withKey = (key: string) => ({ "X-API-Key": key });
const asPerson = ({ session }: TestPerson) => ({ Authorization: `Bearer ${session.token}` });

async function list(headers: Record<string, string>, query = ""): Promise<Page> {
  const { status, body } = await gateway.call<Envelope>(`/v1/events${query}`, { headers });
  expect([query, status, body.error]).toEqual([query, 200, null]);
  return body.data as Page;
}
async function refusal(headers: Record<string, string>, path: string) {
  const { status, body } = await gateway.call<Envelope>(path, { headers });
  return [status, body.error?.code, body.error?.message];
}
const openStream = (headers: Record<string, string>, query = "", to = gateway) =>
  openEventStream(`${to.url}/v1/events/stream${query}`, { headers });

/** Signs up an owner, and creates a key with these scopes in the owner's organization. */
async function makeOwner(scopes: readonly Scope[] = ["read:emissions"]) {
  const owner = await signUp(gateway);
  const { key, id } = await makeKey(gateway.database, owner.organization.slug, { scopes: [...scopes] });
  return { owner, key, keyId: id };
}
/** Sends a change that must succeed. */
async function send(person: TestPerson, path: string, json: object, method = "POST") {
  const answer = await person.call(path, { method, json });
  expect([path, answer.status < 300, answer.body.error]).toEqual([path, true, null]);
  learnKeys((answer.body.data as { key?: string } | null)?.key ?? "");
  return answer;
}
const KEY = { name: "SEED-K", scopes: ["read:emissions"], tier: "free" };
const DEADLINE = { framework: "EU_CBAM", title: "SEED-T", due_date: "2027-01-31" };
const addFacility = (owner: TestPerson, code: string) =>
  send(owner, "/v1/facilities", { code, name: `SEED-F ${code}`, country: "DE" });
const typesOf = (events: readonly GatewayEvent[]) => events.map(({ type }) => type);

describe("GET /v1/events", () => {
  it("lists changes by ids and field names only, without any entered value", async () => {
    const { owner } = await makeOwner();
    const { head } = await list(asPerson(owner));
    const created = await send(owner, "/v1/emissions/records", {
      recorded_on: "2026-01-15",
      scope: "scope_1",
      co2e_tonnes: 8_154_711,
      reference: "SEED-R",
      note: "SEED-N",
      source: "SEED-S",
      category: "SEED-C",
    });
    const { id } = created.body.data as { id: string };
    const path = `/v1/emissions/records/${id}`;
    const changed = await send(owner, path, { co2e_tonnes: 8_154_712, note: "SEED-N2" }, "PATCH");
    await send(owner, path, { reason: "SEED-D" }, "DELETE");
    await send(owner, "/v1/compliance/deadlines", DEADLINE);
    const batch = { reference: "SEED-B", credit_type: "VCS", vintage: 2024, quantity: 91_173 };
    await send(owner, "/v1/credits/batches", batch);
    await send(owner, "/v1/api-keys", KEY);
    await send(owner, "/v1/invitations", { email: "seed-i@example.org", role: "viewer" });
    await addMember(gateway, owner.organization.slug, "editor", {
      name: "SEED-M",
      email: "seed-m@example.org",
    });
    const page = await list(asPerson(owner), `?after=${head}`);
    expect(typesOf(page.items)).toEqual([
      "emission_record.created",
      "emission_record.updated",
      "emission_record.deleted",
      "deadline.created",
      "credit_batch.created",
      "api_key.created",
      "member.created",
    ]);
    const { items } = page;
    expect(items[1]).toEqual({
      specversion: "1.0",
      id: expect.stringMatching(/^\d+-[0-9a-f]{16}$/),
      type: "emission_record.updated",
      source: `${gateway.url}/organizations/${owner.organization.id}`,
      subject: `emission_record/${id}`,
      time: items[1]?.timestamp,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      datacontenttype: "application/json",
      data: {
        organization_id: owner.organization.id,
        seq: Number(items[1]?.id.split("-")[0]),
        id,
        version: 2,
        changed: ["co2e_tonnes", "note"],
        href: `/v1/emissions/records/${id}`,
        actor: { type: "user", id: owner.user.id },
        request_id: changed.headers.get("x-request-id"),
      },
    });
    // Whole words, as ids consist of digits and the letters a to f.
    expect(JSON.stringify(page)).not.toMatch(/seed|\b815471\b|\b91173\b|@|\bAda\b|Acme/i);
    // The CloudEvents SDK reads them in structured mode.
    for (const item of items) {
      const read = HTTP.toEvent({
        headers: { "content-type": "application/cloudevents+json" },
        body: JSON.stringify(item),
      }) as CloudEvent<unknown>;
      expect([read.validate(), read.id, read.data]).toEqual([true, item.id, item.data]);
      expect(new CloudEvent({ ...item }).validate()).toBe(true);
    }
  });

  it("shows each caller only the types that its scopes allow", async () => {
    const { owner, key } = await makeOwner(["read:compliance"]);
    const viewer = await addMember(gateway, owner.organization.slug, "viewer");
    const { head } = await list(asPerson(owner));
    await addFacility(owner, "A");
    await send(owner, "/v1/compliance/deadlines", DEADLINE);
    await send(owner, "/v1/api-keys", KEY);
    const after = `?after=${head}`;
    const pages = await Promise.all(
      [asPerson(owner), asPerson(viewer), withKey(key)].map((headers) => list(headers, after)),
    );
    expect(pages.map(({ items }) => typesOf(items))).toEqual([
      ["facility.created", "deadline.created", "api_key.created"],
      ["facility.created", "deadline.created"],
      ["deadline.created"],
    ]);
    expect(new Set(pages.map(({ next_cursor, head: end }) => `${next_cursor} ${end}`)).size).toBe(1);
    const some = await list(
      asPerson(owner),
      `${after}&types=facility.*,deadline.created&types=api_key.revoked`,
    );
    expect(typesOf(some.items)).toEqual(["facility.created", "deadline.created"]);
    // A known type outside the key's scopes is left out, not refused.
    expect(typesOf((await list(withKey(key), `${after}&types=facility.*`)).items)).toEqual([]);
    const { key: other } = await makeKey(gateway.database, owner.organization.slug, {
      scopes: ["read:benchmarks"],
    });
    expect((await refusal(withKey(other), "/v1/events"))[0]).toBe(401);
  });

  it("refuses unknown types and parameters, and cursors that have expired", async () => {
    const { owner, key } = await makeOwner();
    await addFacility(owner, "A");
    const { head } = await list(withKey(key));
    const [seq] = head.split("-");
    expect(await refusal(withKey(key), "/v1/events?types=facility.*,weather.changed")).toEqual([
      400,
      "BAD_REQUEST",
      'query.types: expected event types such as facility.updated or facility.*, got "weather.changed"',
    ]);
    for (const query of ["after=4711", "limit=0", "limit=1001", "since=1"])
      expect([query, (await refusal(withKey(key), `/v1/events?${query}`))[0]]).toEqual([query, 400]);
    for (const path of ["/v1/events", "/v1/events/stream"]) {
      const refused = await refusal(withKey(key), `${path}?after=${seq}-0123456789abcdef`);
      expect(refused.slice(0, 2)).toEqual([410, "CURSOR_EXPIRED"]);
    }
  });
});

describe("GET /v1/events/stream", () => {
  it("replays events after the last id, then continues live, in the order of the list", async () => {
    const { owner, key } = await makeOwner();
    for (const code of ["A", "B", "C"]) await addFacility(owner, code);
    const [first] = (await list(withKey(key))).items;
    const stream = await openStream({ ...withKey(key), "Last-Event-ID": first?.id ?? "" });
    const { status, headers } = stream.response;
    expect([status, headers.get("content-type"), headers.get("x-accel-buffering")]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
      "no",
    ]);
    expect(headers.get("ratelimit")).not.toBeNull();
    expect(await stream.next()).toEqual({ retry: "2000" });
    expect(await stream.next()).toEqual({ "": "", id: first?.id });
    const writing = Promise.all(Array.from({ length: 20 }, (_, index) => addFacility(owner, `N${index}`)));
    const received = await stream.events<GatewayEvent>(22);
    await writing;
    expect(received).toEqual((await list(withKey(key), `?after=${first?.id}`)).items);
    stream.close();
  });

  it("starts with the next event if it gets no id, and filters by type", async () => {
    const { owner } = await makeOwner();
    await addFacility(owner, "A");
    const stream = await openStream(asPerson(owner), "?types=facility.archived,deadline.*");
    expect(await stream.next()).toEqual({ retry: "2000" });
    expect((await stream.next())?.id).toBe((await list(asPerson(owner))).head);
    await addFacility(owner, "B");
    await send(owner, "/v1/compliance/deadlines", DEADLINE);
    expect(typesOf(await stream.events(1))).toEqual(["deadline.created"]);
    stream.close();
  });

  it("ends when its credential ends", async () => {
    const { key, keyId, owner } = await makeOwner();
    const [ofKey, ofSession] = [await openStream(withKey(key)), await openStream(asPerson(owner))];
    await revokeKeyById({ database: gateway.database, pepper: undefined, now: NOW }, keyId);
    await ofKey.rest();
    expect((await refusal(withKey(key), "/v1/events/stream"))[0]).toBe(401);
    await owner.call("/v1/auth/logout", { method: "POST" });
    await ofSession.rest();
  });

  it("allows 5 open streams a caller", async () => {
    const { key, owner } = await makeOwner();
    const streams = [];
    for (let index = 0; index < 5; index += 1) streams.push(await openStream(withKey(key)));
    expect((await refusal(withKey(key), "/v1/events/stream")).slice(0, 2)).toEqual([
      429,
      "RATE_LIMIT_EXCEEDED",
    ]);
    const other = await openStream(asPerson(owner));
    expect(other.response.status).toBe(200);
    for (const stream of [...streams, other]) stream.close();
  });

  it("refuses an unknown last id before the stream starts", async () => {
    const { key } = await makeOwner();
    for (const id of ["nonsense", "1-0123456789abcdef"]) {
      const { response } = await openStream({ ...withKey(key), "Last-Event-ID": id });
      expect([id, response.status, response.headers.get("content-type")]).toEqual([
        id,
        410,
        "application/json; charset=utf-8",
      ]);
      await response.text();
    }
  });

  it("sends heartbeats with the last id, and ends at its time limit or with the gateway", async () => {
    const limits = { ...STREAM_LIMITS, heartbeatMs: 20, pollMs: 20, maxMs: 400 };
    const short = await startGateway({ database: gateway.database, streamLimits: limits });
    const { key, owner } = await makeOwner();
    const frames = await (await openStream(withKey(key), "", short)).rest();
    const { head } = await list(asPerson(owner));
    expect(frames.slice(2)).toEqual(frames.slice(2).map(() => ({ "": "", id: head })));
    expect(frames.length).toBeGreaterThan(2);
    await short.stop();
    const other = await startGateway({ database: gateway.database });
    const stream = await openStream(withKey(key), "", other);
    await Promise.all([stream.rest(), other.stop()]);
  });
});

describe("a stream of a busy organization", () => {
  it("sends heartbeats while it filters everything out, and counts towards a limit", async () => {
    const limits = { ...STREAM_LIMITS, heartbeatMs: 200, ofOrganization: 1 };
    const short = await startGateway({ database: gateway.database, streamLimits: limits });
    const { owner, key } = await makeOwner();
    const stream = await openStream(asPerson(owner), "?types=market_price.*", short);
    const { response } = await openStream(withKey(key), "", short);
    expect([response.status, await response.text()]).toEqual([
      429,
      expect.stringContaining("An organization can have at most 1 open streams"),
    ]);
    await stream.next();
    const first = (await stream.next())?.id;
    let isAlive = false;
    const writing = (async () => {
      for (let code = 0; !isAlive && code < 500; code += 1) {
        await gateway.database.transaction(({ script }) =>
          script(`INSERT INTO facilities (organization_id, code, name)
            VALUES ('${owner.organization.id}', 'B${code}', 'Plant')`),
        );
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return isAlive;
    })();
    let frame = await stream.next();
    while (frame?.id === first) frame = await stream.next();
    isAlive = true;
    expect(frame).toEqual({ "": "", id: expect.stringMatching(/^\d+-/) });
    expect(await writing).toBe(true);
    stream.close();
    await short.stop();
  });
});

describe("a stream whose events cannot be read", () => {
  it("ends, or fails to open, and the log has the error", async () => {
    const { owner, key } = await makeOwner();
    let isBroken = false;
    const { database } = gateway;
    const broken = await startGateway({
      database: {
        ...database,
        select: (text, ...rest) =>
          isBroken && text.includes("audit_entries")
            ? Promise.reject(new Error("a broken statement"))
            : database.select(text, ...rest),
      },
    });
    const stream = await openStream(withKey(key), "", broken);
    isBroken = true;
    await addFacility(owner, "A");
    await stream.rest();
    expect(broken.log().map(({ msg }) => msg)).toContain("failed to read the events of streams");
    const { status, body } = await broken.call<{ errors: { extensions: { code: string } }[] }>(
      "/graphql/stream",
      {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "text/event-stream", ...withKey(key) },
        body: JSON.stringify({ query: "subscription { events { id } }" }),
      },
    );
    expect([status, body.errors[0]?.extensions.code]).toEqual([500, "INTERNAL_ERROR"]);
    expect(broken.log().map(({ msg }) => msg)).toContain("request failed");
    await broken.stop();
  });
});

describe("POST /graphql/stream", () => {
  const EVENTS =
    "subscription Follow($after: ID, $types: [String!]) { events(after: $after, types: $types) { id type time subject data } }";
  const post = (headers: Record<string, string>, body: object, path = "/graphql/stream") =>
    gateway.call<{ errors: { message: string; extensions: { code: string } }[] }>(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream", ...headers },
      body: JSON.stringify(body),
    });

  it("sends a graphql-sse subscription the same events", async () => {
    const { owner, key } = await makeOwner();
    await addFacility(owner, "A");
    const [first] = (await list(withKey(key))).items;
    await addFacility(owner, "B");
    const client = createClient({
      url: `${gateway.url}/graphql/stream`,
      headers: withKey(key),
      retryAttempts: 0,
    });
    const results = client.iterate<{ events: GatewayEvent }>({
      query: EVENTS,
      variables: { after: first?.id, types: ["facility.*"] },
    });
    const received: GatewayEvent[] = [];
    for await (const { data, errors } of results) {
      expect(errors).toBeUndefined();
      received.push(data?.events as GatewayEvent);
      if (received.length === 1) await addFacility(owner, "C");
      if (received.length === 2) break;
    }
    const { items } = await list(withKey(key), `?after=${first?.id}`);
    expect(received).toEqual(
      items.map(({ id, type, time, subject, data }) => ({ id, type, time, subject, data })),
    );
    client.dispose();
  });

  it("refuses everything but subscriptions, which /graphql refuses", async () => {
    const { key } = await makeOwner();
    const { key: other } = await makeKey(gateway.database, (await makeOwner()).owner.organization.slug, {
      scopes: ["read:benchmarks"],
    });
    const faultOf = async (query: string, variables = {}) =>
      (await post(withKey(key), { query, variables })).body.errors[0]?.message;
    expect(await faultOf("subscription { a: events { id } b: events { id } }")).toBe(
      "Anonymous Subscription must select only one top level field.",
    );
    expect(await faultOf('mutation { renameViewer(input: { name: "Ada" }) { user { id } } }')).toBe(
      "A mutation is not supported here. Send a subscription, and a query or a mutation to POST /graphql.",
    );
    expect(await faultOf("subscription {")).toBe("Syntax Error: Expected Name, found <EOF>.");
    expect(await faultOf(EVENTS, { types: [1] })).toContain("String cannot represent a non string value: 1");
    const refused = async (headers: Record<string, string>, body: object, path?: string) => {
      const { status, body: answer } = await post(headers, body, path);
      return [status, answer.errors[0]?.extensions.code];
    };
    expect(
      await refused(withKey(key), { query: EVENTS, variables: { after: "1-0123456789abcdef" } }),
    ).toEqual([410, "CURSOR_EXPIRED"]);
    expect(await refused(withKey(key), { query: EVENTS, variables: { types: ["weather"] } })).toEqual([
      400,
      "BAD_USER_INPUT",
    ]);
    expect(await refused(withKey(key), { query: EVENTS, variables: { types: [1] } })).toEqual([
      400,
      "BAD_USER_INPUT",
    ]);
    expect(await refused(withKey(key), { query: "{ organization { id } }" })).toEqual([400, "BAD_REQUEST"]);
    expect(await refused(withKey(key), { query: "subscription {" })).toEqual([400, "BAD_REQUEST"]);
    for (const query of [
      "subscription { events @skip(if: true) { id } }",
      "subscription { events @include(if: false) { id } }",
      "subscription { ... on Subscription @skip(if: true) { events { id } } }",
      "subscription { ...F @skip(if: true) } fragment F on Subscription { events { id } }",
      "subscription { ...F } fragment F on Subscription { events @skip(if: true) { id } }",
    ])
      expect([query, await refused(withKey(key), { query })]).toEqual([query, [400, "BAD_REQUEST"]]);
    // Below the root @skip is allowed, so only the cursor is refused.
    const inner = 'subscription { events(after: "1-0123456789abcdef") { id @skip(if: true) type } }';
    expect((await refused(withKey(key), { query: inner }))[0]).toBe(410);
    expect(await refused(withKey(other), { query: EVENTS })).toEqual([401, "INVALID_KEY"]);
    expect(await refused({}, { query: EVENTS })).toEqual([401, "INVALID_KEY"]);
    const elsewhere = { ...withKey(key), Accept: "application/json" };
    expect((await refused(elsewhere, { query: EVENTS }, "/graphql"))[0]).toBe(400);
  });
});
