import { isDeepStrictEqual } from "node:util";
import { expect, onTestFinished } from "vitest";
import type { Database } from "../../src/data/database/types.js";
import { INTERNAL_ERROR_MESSAGE } from "../../src/http/answer/failure.js";
import { median, timed } from "./durations.js";
import { type Answer, type Client, type Envelope, makeKey, makeOrganization } from "./server.js";

/** Result and duration of a request. */
export interface Outcome {
  /** Milliseconds by the monotonic clock of this process. */
  readonly sentAt: number;
  readonly ms: number;
  /** Duration of a simultaneous request that does not need the failing service: a busy machine slows both. */
  readonly controlMs: number;
  /** An `error` is a well-formed answer with a time to retry; any other unexpected answer is in `wrong`. */
  readonly result: "right" | "error" | { readonly wrong: unknown };
}

/** A request with the check of its answer. */
type Question = (client: Client) => Promise<Outcome["result"]>;

export interface ConstantLoad {
  /** Outcomes of all completed requests. */
  readonly outcomes: readonly Outcome[];
  /** Resolves when `count` more requests have been sent. */
  sent(count: number): Promise<void>;
  /** Stops sending, and waits for all answers. */
  stop(): Promise<readonly Outcome[]>;
}

const ORGANIZATIONS = 6;
const DAYS = 600;
const PATHS = ["/emissions", "/compliance", "/credits", "/benchmarks", "/market"];
const RANGE = "query ($range: DateRangeInput) { emissions(range: $range) { recordCount totalCo2eTonnes } }";

/** Creates organizations with one tonne a day, and questions about them with keys whose use Redis counts. */
export async function makeQuestions(database: Database): Promise<readonly Question[]> {
  const questions: Question[] = [];
  for (let number = 0; number < ORGANIZATIONS; number += 1) {
    const slug = await makeOrganization(database);
    const { key } = await makeKey(database, slug);
    await database.transaction(({ execute }) =>
      execute(
        `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
         SELECT id, current_date - day, 'scope_1', 1 FROM organizations, generate_series(1, ${DAYS}) AS day
         WHERE slug = $1`,
        [slug],
      ),
    );
    questions.push(...PATHS.map((path) => askRest(path, key)), ...PATHS.map(() => askGraph(key)));
  }
  return questions;
}

/** Returns a request to an endpoint. The data must always equal that of its first answer. */
function askRest(path: string, key: string): Question {
  let data: unknown;
  return async (client) => {
    const answer = await client.rest(path, key);
    if (answer.status !== 200) return isOrderlyRefusal(answer) ? "error" : { wrong: answer };
    data ??= answer.body.data;
    const isRight = answer.body.success && isDeepStrictEqual(answer.body.data, data);
    return isRight && answer.headers.has("ratelimit") ? "right" : { wrong: answer };
  };
}

/** Returns a request for random days, so that the cache cannot answer it. */
function askGraph(key: string): Question {
  return async (client) => {
    const [from, to] = [1, 1].map(() => Math.ceil(Math.random() * DAYS)).sort((a, b) => b - a) as [
      number,
      number,
    ];
    const range = { from: daysAgo(from), to: daysAgo(to) };
    const { status, headers, body } = await client.graphql(RANGE, key, { range });
    const count = from - to + 1;
    const { emissions } = body.data ?? {};
    if (status === 200 && emissions?.recordCount === count && emissions.totalCo2eTonnes === count)
      return "right";
    const [error] = body.errors ?? [];
    const isOrderly = error?.extensions.code === "INTERNAL_ERROR" && headers.get("retry-after") === "2";
    // With a cached key, only the field is null.
    const isWhole = status === 500 ? body.data === undefined : status === 200 && emissions === null;
    return isOrderly && isWhole ? "error" : { wrong: { status, headers, body } };
  };
}

function isOrderlyRefusal({ status, headers, body }: Answer<Envelope>): boolean {
  const { request_id, timestamp } = body.meta ?? {};
  return (
    status === 500 &&
    headers.get("retry-after") === "2" &&
    body.error?.code === "INTERNAL_ERROR" &&
    isDeepStrictEqual(body, {
      success: false,
      data: null,
      error: { code: "INTERNAL_ERROR", message: body.error.message },
      meta: { request_id, timestamp, version: "1.0" },
    }) &&
    request_id === headers.get("x-request-id") &&
    (body.error.message === INTERNAL_ERROR_MESSAGE ||
      body.error.message.startsWith("The request took longer"))
  );
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** Warms up a new process with two rounds of all questions; every answer must be right. */
export async function askAll(client: Client, questions: readonly Question[]): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    for (const question of questions) expect(await question(client)).toBe("right");
  }
}

/** Number of questions that may wait for answers, so that a slow machine is asked less often. */
export const MAX_PENDING = 30;

/**
 * Asks the questions in turn at a constant rate. Along with each, calls `controlPath`, which does not need the failing
 * service.
 */
export function startLoad(
  client: () => Client,
  questions: readonly Question[],
  controlPath: string,
  perSecond = 60,
): ConstantLoad {
  const outcomes: Outcome[] = [];
  const pending = new Set<Promise<void>>();
  let count = 0;
  const ask = async (question: Question) => {
    const target = client();
    const sentAt = performance.now();
    const ms = () => performance.now() - sentAt;
    const asked = question(target).catch((wrong: unknown) => ({ wrong }));
    const [answer, controlMs] = await Promise.all([
      asked.then((result) => ({ ms: ms(), result })),
      target.call(controlPath).then(ms, () => 0),
    ]);
    outcomes.push({ ...answer, sentAt, controlMs });
  };
  const timer = setInterval(() => {
    if (pending.size === MAX_PENDING) return;
    const question = questions[count % questions.length] as Question;
    count += 1;
    const asked = ask(question).finally(() => pending.delete(asked));
    pending.add(asked);
  }, 1_000 / perSecond);
  onTestFinished(() => clearInterval(timer));
  return {
    outcomes,
    async sent(more) {
      const goal = count + more;
      await expect.poll(() => count).toBeGreaterThanOrEqual(goal);
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
      return outcomes;
    },
  };
}

/** Times answers, each of which must be a 200. */
export function timeAnswers() {
  const outcomes: Pick<Outcome, "ms" | "result">[] = [];
  const ask = async (question: Promise<{ status: number }>) => {
    const { ms, result } = await timed(() => question);
    expect(result.status).toBe(200);
    outcomes.push({ ms, result: "right" });
  };
  return { outcomes, ask };
}

/** Summarizes outcomes as a row of the table in docs/figures.md. */
export function describeOutcomes(fault: string, outcomes: readonly Pick<Outcome, "ms" | "result">[]): string {
  const of = (kind: string) => outcomes.filter(({ result }) => result === kind).length;
  const slowest = Math.max(0, ...outcomes.map(({ ms }) => ms));
  return `| ${fault} | ${outcomes.length} | ${of("right")} | ${of("error")} | ${Math.round(slowest)} ms |`;
}

/** Returns how many times as long requests take as simultaneous ones that do not need the failing service. */
export const slowness = (outcomes: readonly Outcome[]): number =>
  median(outcomes.map(({ ms }) => ms)) / median(outcomes.map(({ controlMs }) => controlMs));

/** Returns the outcomes whose result is not allowed. */
export const unexpected = (outcomes: readonly Outcome[], ...allowed: readonly Outcome["result"][]) =>
  outcomes.filter(({ result }) => !allowed.includes(result));
