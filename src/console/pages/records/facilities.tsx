import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { countryOf } from "../../parts/countries.js";
import { useDialog } from "../../parts/forms/use-dialog.js";
import { Paging } from "../../parts/paging.js";
import { ShowAll, useShowsAll } from "../../parts/show-all.js";
import { Empty, Shown } from "../../parts/states.js";
import { Table } from "../../parts/table.js";
import { ArchiveFacility } from "./facilities/archive-facility.js";
import { CreateFacility } from "./facilities/create-facility.js";
import { EditFacility } from "./facilities/edit-facility.js";
import { type Facility, READ_FACILITIES } from "./facilities/read-facilities.js";

type Open = { readonly what: "create" } | FacilityAction;

interface FacilityAction {
  readonly what: "edit" | "archive";
  readonly facility: Facility;
}

/** The organization's facilities, and the ways to add, change and archive them. */
export function Facilities() {
  const { after = null } = useAddress().query;
  const includeArchived = useShowsAll();
  const answer = useQuery(READ_FACILITIES, { includeArchived, after });
  const mayWrite = useScope("write:emissions");
  const { open, setOpen, close } = useDialog<Open>(answer.reload);
  return (
    <>
      <div class="row">
        <ShowAll label="Show archived facilities" />
        {mayWrite && (
          <button type="button" onClick={() => setOpen({ what: "create" })}>
            Create facility
          </button>
        )}
      </div>
      <Shown answer={answer} as="table">
        {({ facilities }) =>
          facilities && (
            <>
              <FacilityTable facilities={facilities.nodes} onOpen={mayWrite ? setOpen : null} />
              <Paging pageInfo={facilities.pageInfo} />
            </>
          )
        }
      </Shown>
      {open?.what === "create" && <CreateFacility onClose={close} />}
      {open?.what === "edit" && <EditFacility facility={open.facility} onClose={close} />}
      {open?.what === "archive" && <ArchiveFacility facility={open.facility} onClose={close} />}
    </>
  );
}

interface FacilityTableProps {
  readonly facilities: readonly Facility[];
  /** Null for people who may not change them. */
  readonly onOpen: ((action: FacilityAction) => void) | null;
}

function FacilityTable({ facilities, onOpen }: FacilityTableProps) {
  if (facilities.length === 0) {
    return <Empty>There are no facilities yet. Records and imports can name them once they are there.</Empty>;
  }
  return (
    <Table
      caption="Facilities"
      rows={facilities}
      columns={[
        { title: "Name", wraps: true, cell: ({ name }) => <bdi>{name}</bdi> },
        { title: "Code", wraps: true, cell: ({ code }) => code },
        {
          title: "Country",
          wraps: true,
          cell: ({ country }) => (country === null ? "–" : countryOf(country)),
        },
        {
          title: "Status",
          cell: ({ archivedAt }) => (
            <span class={archivedAt === null ? "key-status" : "key-status expired"}>
              {archivedAt === null ? "Active" : "Archived"}
            </span>
          ),
        },
        ...(onOpen
          ? [
              {
                title: "Change",
                isActions: true,
                cell: (facility: Facility) => (
                  <>
                    <button type="button" class="quiet" onClick={() => onOpen({ what: "edit", facility })}>
                      Edit
                    </button>
                    <button type="button" class="quiet" onClick={() => onOpen({ what: "archive", facility })}>
                      {facility.archivedAt === null ? "Archive" : "Bring back"}
                    </button>
                  </>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}
