import { type ConsoleIdentitiesQuery, graphql } from "../../../../generated/console.js";
import { useQuery } from "../../../gateway/use-query.js";
import { Moment } from "../../../parts/moment.js";
import { LoadedField } from "../../../parts/states.js";
import { type Column, Table } from "../../../parts/table.js";

const READ = graphql(`
  query ConsoleIdentities {
    viewer { identities(first: 100) { id organizationName createdAt lastUsedAt } }
  }
`);

type Identity = NonNullable<ConsoleIdentitiesQuery["viewer"]>["identities"][number];

const COLUMNS: readonly Column<Identity>[] = [
  { title: "Organization", wraps: true, cell: ({ organizationName }) => <bdi>{organizationName}</bdi> },
  { title: "Linked", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { title: "Last used", cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
];

/** The organizations whose identity providers sign the user in. */
export function Identities() {
  const answer = useQuery(READ, {});
  return (
    <section class="card">
      <h2>Single sign-on</h2>
      <LoadedField answer={answer} skeleton="line" field="viewer">
        {({ identities }) =>
          identities.length === 0 ? (
            <p>You don't sign in through an organization's identity provider.</p>
          ) : (
            <>
              <p>You sign in through the identity providers of these organizations.</p>
              <Table caption="Organizations that sign you in" rows={identities} columns={COLUMNS} />
            </>
          )
        }
      </LoadedField>
    </section>
  );
}
