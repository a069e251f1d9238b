import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { Moment } from "../../parts/moment.js";
import { Exact } from "../../parts/numbers.js";
import { LoadedField } from "../../parts/states.js";
import { type Column, List } from "../../parts/table.js";
import { DeleteMapping, EditMapping } from "./mappings/change-mapping.js";
import { type Mapping, READ_MAPPINGS } from "./mappings/read-mappings.js";

/** The emission factors chosen for activity names in imported files. */
export function Mappings() {
  const { after = null } = useAddress().query;
  const answer = useQuery(READ_MAPPINGS, { after });
  const mayWrite = useScope("write:emissions");
  return (
    <Dialogs onClosed={answer.reload}>
      <LoadedField answer={answer} skeleton="table" field="activityMappings">
        {(mappings) => (
          <List caption="Mappings" {...mappings} columns={COLUMNS} actions={mayWrite && actionsFor}>
            No mappings yet. When an import can't find an emission factor, it asks you for one and saves your
            choice here.
          </List>
        )}
      </LoadedField>
    </Dialogs>
  );
}

const COLUMNS: readonly Column<Mapping>[] = [
  { title: "Text", wraps: true, cell: ({ text }) => <bdi>{text}</bdi> },
  { title: "Unit", cell: ({ unit, unitAs }) => (unitAs === null ? unit : `${unit}, read as ${unitAs}`) },
  { title: "Region", cell: ({ region }) => region ?? "All" },
  {
    title: "Factor",
    wraps: true,
    cell: ({ factor }) =>
      factor
        ? `${factor.activity}, ${factor.factorExact} kg per ${factor.unit} (${factor.region})`
        : "No longer exists",
  },
  { title: "Edition", cell: ({ factor, fixedYear }) => (fixedYear ? factor?.sourceYear : "By year") },
  { title: "Records", isNumber: true, cell: ({ recordCount }) => <Exact value={recordCount} /> },
  { title: "Changed", wraps: true, cell: ({ updatedAt }) => <Moment at={updatedAt} /> },
];

const actionsFor = (mapping: Mapping) => (
  <>
    <DialogButton label="Edit" look="quiet" opens={<EditMapping mapping={mapping} />} />
    <DialogButton label="Delete" look="quiet" opens={<DeleteMapping mapping={mapping} />} />
  </>
);
