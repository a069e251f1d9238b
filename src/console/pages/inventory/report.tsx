import { capitalize } from "../../../domain/texts/capitalize.js";
import { type ConsoleVsmeReportQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useAddress } from "../../parts/address.js";
import { Field } from "../../parts/fields/field.js";
import { Form } from "../../parts/forms/form.js";
import { textsOf } from "../../parts/forms/values.js";
import { writeDay } from "../../parts/moment.js";
import { writeDecimal } from "../../parts/numbers.js";
import { Empty, Loaded } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";
import { useYear, YearBar } from "./year.js";

const READ = graphql(`
  query ConsoleVsmeReport($year: Int!, $turnover: String, $lei: String) {
    vsmeReport(year: $year, turnover: $turnover, lei: $lei) {
      facts { concept value unit period { from to } dimensions paragraph }
      absent { concept dimensions paragraph reason }
    }
  }
`);

type Report = NonNullable<ConsoleVsmeReportQuery["vsmeReport"]>;
type Fact = Report["facts"][number];
type Absence = Report["absent"][number];

/** The VSME facts of a year, the missing ones with reasons, and the report file. */
export function Report() {
  const year = useYear();
  const { query, change } = useAddress();
  const { turnover = "", lei = "" } = query;
  const answer = useQuery(READ, { year, turnover: turnover || null, lei: lei || null });
  const parameters = new URLSearchParams({ ...(turnover && { turnover }), ...(lei && { lei }) });
  return (
    <>
      <YearBar year={year} />
      <p class="quiet">
        Energy, emissions and targets for a VSME report (B3 and C3). Download it as xBRL-JSON for your
        reporting software.
      </p>
      <div class="inline">
        <Form
          key={`${turnover} ${lei}`}
          submit="Apply"
          onSubmit={async (values) => change(textsOf(values, "turnover", "lei"))}
        >
          <Field
            label="Turnover"
            name="turnover"
            value={turnover}
            hint="Business metric in a currency, e.g. revenue"
          />
          <Field label="LEI" name="lei" value={lei} hint="Legal Entity Identifier" />
        </Form>
      </div>
      <Loaded answer={answer} skeleton="table">
        {({ vsmeReport: report }) =>
          report ? (
            <>
              <p>
                <a
                  href={`/api/v1/inventory/${year}/vsme/export?${parameters}`}
                  download={`vsme-${year}.json`}
                >
                  Download the report of {year}
                </a>
              </p>
              <section>
                <h2>Facts</h2>
                <Table caption="Facts" rows={report.facts} columns={FACT_COLUMNS}>
                  No facts yet.
                </Table>
              </section>
              <section>
                <h2>Missing</h2>
                <Table caption="Missing" rows={report.absent} columns={ABSENT_COLUMNS}>
                  Nothing is missing.
                </Table>
              </section>
            </>
          ) : (
            <Empty>
              No reporting policy applies to {year}. <a href={`/console/inventory?year=${year}`}>Set one</a>{" "}
              first.
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}

/** Writes the name of a concept or member in words: `vsme:TotalEnergyConsumption` is "Total energy consumption". */
function wordsOf(name: string): string {
  const words = name
    .replace(/^\w+:|Member$/g, "")
    .replace(/(?<=[a-z])(?=[A-Z\d])|(?<=\d)(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .replace(/ [A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());
  return capitalize(words);
}

const nameFact = ({ concept, dimensions }: Pick<Fact, "concept" | "dimensions">) => (
  <>
    {wordsOf(concept)}{" "}
    <small class="quiet">
      {Object.values(dimensions)
        .map((member) => wordsOf(String(member)))
        .join(", ")}
    </small>
  </>
);

const unitOf = (unit: string | null) => unit?.replace(/\w+:/g, "") ?? "";

const FACT_COLUMNS: readonly Column<Fact>[] = [
  { title: "Fact", wraps: true, cell: nameFact },
  {
    title: "Value",
    isNumber: true,
    cell: ({ value, unit }) => (unit === null ? value : `${writeDecimal(value)} ${unitOf(unit)}`),
  },
  {
    title: "Period",
    wraps: true,
    cell: ({ period: { from, to } }) => (from ? `${writeDay(from)} to ${writeDay(to)}` : writeDay(to)),
  },
  { title: "Paragraph", cell: ({ paragraph }) => paragraph },
];

const ABSENT_COLUMNS: readonly Column<Absence>[] = [
  { title: "Fact", wraps: true, cell: nameFact },
  { title: "Reason", wraps: true, cell: ({ reason }) => reason },
  { title: "Paragraph", cell: ({ paragraph }) => paragraph },
];
