import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FRAMEWORKS, type Framework } from "../../src/domain/enums.js";
import {
  type CataloguedDeadline,
  readDeadlineCatalogue,
} from "../../src/files/reference/deadline-catalogue.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { addDeadline } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Answer, type Envelope, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/compliance/deadlines";

let catalogue: readonly CataloguedDeadline[];
const gateway = useGateway();
beforeAll(async () => {
  catalogue = await readDeadlineCatalogue(REFERENCE_FOLDER);
});
beforeEach(() => gateway.setNow(NOW));

interface Deadline {
  readonly id: string;
  readonly title: string;
}
type Adopted = Answer<Envelope & { data: { added: Deadline[]; already_present: Deadline[] } }>;

const adopt = (person: TestPerson, framework: string) =>
  person.call(`${PATH}/adopt`, { json: { framework } }) as Promise<Adopted>;
const cited = (framework: Framework) => catalogue.filter((entry) => entry.framework === framework);

describe("POST /v1/compliance/deadlines/adopt", () => {
  it("adds the framework's deadlines from the catalogue, with their sources, once", async () => {
    const ada = await signUp(gateway);
    const first = await adopt(ada, "EU_CBAM");
    const { added, already_present } = first.body.data;
    expect([first.status, first.headers.get("location"), already_present]).toEqual([201, PATH, []]);
    expect(added).toEqual(
      cited("EU_CBAM").map(({ framework, title, is_duty, due_date, recurrence, source, source_url }) => ({
        id: expect.any(String),
        framework,
        title,
        duty: is_duty,
        due_date,
        status: "pending",
        overdue: false,
        completed_on: null,
        evidence: null,
        owner: null,
        recurrence,
        source,
        source_url,
        version: 1,
      })),
    );
    const [renamed] = added as [Deadline];
    const patch = { title: "Mark-up", due_date: "2027-01-02" };
    await ada.call(`${PATH}/${renamed.id}`, { method: "PATCH", json: patch });
    const again = await adopt(ada, "EU_CBAM");
    expect([again.status, again.headers.get("location"), again.body.data.added]).toEqual([200, null, []]);
    expect(again.body.data.already_present.map(({ id }) => id)).toEqual(added.map(({ id }) => id));
    expect(again.body.data.already_present[0]).toMatchObject(patch);
  });

  it("skips deadlines that exist (same framework, day and title) and those in the past", async () => {
    const ada = await signUp(gateway);
    const [plan, ...others] = cited("SG_CCS") as [CataloguedDeadline, ...CataloguedDeadline[]];
    const { title, due_date: dueDate } = plan;
    const own = await addDeadline(gateway.database, ada.organization.slug, {
      framework: "SG_CCS",
      title,
      dueDate,
      status: "waived",
    });
    const { added, already_present } = (await adopt(ada, "SG_CCS")).body.data;
    expect(added.map((deadline) => deadline.title)).toEqual(others.map((entry) => entry.title));
    expect(already_present).toEqual([
      expect.objectContaining({ id: own.id, status: "waived", source: null }),
    ]);

    const eve = await signUp(gateway, { now: new Date("2028-01-01T10:00:00Z") });
    gateway.setNow(new Date("2028-01-01T10:00:00Z"));
    const later = (await adopt(eve, "SG_CCS")).body.data;
    const left = cited("SG_CCS").filter((entry) => entry.due_date >= "2028-01-01");
    expect([later.added.map((one) => one.title), later.already_present]).toEqual([
      left.map((entry) => entry.title),
      [],
    ]);
  });

  it("adds each deadline once when two people adopt at the same time", async () => {
    const ada = await signUp(gateway);
    const answers = await Promise.all([adopt(ada, "CCTS"), adopt(ada, "CCTS")]);
    const added = answers.flatMap(({ body }) => body.data.added);
    expect(added.map(({ title }) => title).toSorted()).toEqual(
      cited("CCTS")
        .map(({ title }) => title)
        .toSorted(),
    );
  });

  it("refuses an unknown framework", async () => {
    expect((await adopt(await signUp(gateway), "ISO")).status).toBe(422);
  });
});

describe("the catalogue of deadlines", () => {
  it("covers every framework, with unique ids and titles and a source for each deadline", () => {
    expect(new Set(catalogue.map(({ framework }) => framework))).toEqual(new Set(FRAMEWORKS));
    for (const key of [({ id }: CataloguedDeadline) => id, keyOf])
      expect(new Set(catalogue.map(key)).size).toBe(catalogue.length);
    expect(catalogue.filter(({ source, source_url }) => !source || !URL.canParse(source_url))).toEqual([]);
  });

  it("separates duties from events that need no action", () => {
    const titlesOf = (isDuty: boolean) =>
      cited("SBTi").flatMap(({ title, is_duty }) => (is_duty === isDuty ? [title] : []));
    expect(titlesOf(true)).toEqual(["Last day for new submissions under V1.3.1", "Five-year target review"]);
    expect(titlesOf(false)).toContain("SBTi Renewal Policy expected");
  });

  it("has no year in the title of a recurring deadline", () => {
    const years = catalogue.filter(({ recurrence, title }) => recurrence && /\b20\d\d\b(?!-)/.test(title));
    expect(years).toEqual([]);
  });

  it("is listed in GraphQL before and after a framework's deadlines are adopted", async () => {
    const ada = await signUp(gateway);
    const { body } = await ada.graphql(`{ compliance { cataloguedDeadlines(framework: SBTi) {
      id framework title isDuty dueDate precision recurrence basis note source sourceUrl } } }`);
    expect(body.data.compliance.cataloguedDeadlines).toEqual(
      cited("SBTi").map(({ is_duty, due_date, source_url, precision, recurrence, ...entry }) => ({
        ...entry,
        isDuty: is_duty,
        dueDate: due_date,
        sourceUrl: source_url,
        precision: precision.toUpperCase(),
        recurrence: recurrence?.toUpperCase() ?? null,
      })),
    );
    const adopted = await ada.graphql(
      "mutation { adoptDeadlines(input: { framework: SBTi }) { addedDeadlines { title } presentDeadlines { title } } }",
    );
    expect(adopted.body.data.adoptDeadlines).toEqual({
      addedDeadlines: cited("SBTi").map(({ title }) => ({ title })),
      presentDeadlines: [],
    });
  });
});

const keyOf = ({ framework, title, due_date }: CataloguedDeadline) => `${due_date} ${framework} ${title}`;
