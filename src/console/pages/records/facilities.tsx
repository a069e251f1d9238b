import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { countryOf } from "../../parts/countries.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { ShowAll, useShowsAll } from "../../parts/paging.js";
import { LoadedField } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { type Column, List } from "../../parts/table.js";
import { ArchiveFacility } from "./facilities/archive-facility.js";
import { CreateFacility } from "./facilities/create-facility.js";
import { EditFacility } from "./facilities/edit-facility.js";
import { type Facility, READ_FACILITIES } from "./facilities/read-facilities.js";

/** The organization's facilities. */
export function Facilities() {
  const { after = null } = useAddress().query;
  const includeArchived = useShowsAll();
  const answer = useQuery(READ_FACILITIES, { includeArchived, after });
  const mayWrite = useScope("write:emissions");
  return (
    <Dialogs onClosed={answer.reload}>
      <div class="row">
        <ShowAll label="Show archived facilities" />
        {mayWrite && (
          <DialogButton
            label="Create facility"
            look="primary"
            parameter="create"
            opens={<CreateFacility />}
          />
        )}
      </div>
      <LoadedField answer={answer} skeleton="table" field="facilities">
        {(facilities) => (
          <List caption="Facilities" {...facilities} columns={COLUMNS} actions={mayWrite && actionsFor}>
            No facilities yet. Create one to assign records to it.
          </List>
        )}
      </LoadedField>
    </Dialogs>
  );
}

const COLUMNS: readonly Column<Facility>[] = [
  { title: "Name", wraps: true, cell: ({ name }) => <bdi>{name}</bdi> },
  { title: "Code", wraps: true, cell: ({ code }) => code },
  { title: "Country", wraps: true, cell: ({ country }) => (country === null ? "–" : countryOf(country)) },
  {
    title: "Status",
    cell: ({ archivedAt }) => <Status of={archivedAt === null ? "ACTIVE" : "ARCHIVED"} />,
  },
];

const actionsFor = (facility: Facility) => (
  <>
    <DialogButton label="Edit" look="quiet" opens={<EditFacility facility={facility} />} />
    <DialogButton
      label={facility.archivedAt === null ? "Archive" : "Restore"}
      look="quiet"
      opens={<ArchiveFacility facility={facility} />}
    />
  </>
);
