import { countOf } from "../../../domain/texts/count-of.js";
import "./inventory.css";
import {
  type ConsoleEmissionStreamsQuery,
  graphql,
  type InventoryLine,
  type MapStreamInput,
  type StreamMethod,
} from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { Button } from "../../parts/button.js";
import { TextArea } from "../../parts/fields/field.js";
import { NumberField } from "../../parts/fields/number.js";
import { Select } from "../../parts/fields/select.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { Form } from "../../parts/forms/form.js";
import { changesOf, optionalOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { nameOf } from "../../parts/names.js";
import { Sum } from "../../parts/numbers.js";
import { Paging } from "../../parts/paging.js";
import { Empty, LoadedField, useAttempt } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";
import { answerIn, lineName, linesOf, METHODS, YES_OR_NO } from "./names.js";

const READ = graphql(`
  query ConsoleEmissionStreams($after: String) {
    emissionStreams(first: 50, after: $after) {
      nodes {
        scope
        category
        line
        suggestedLine
        method
        activityUncertaintyPercentExact
        factorUncertaintyPercentExact
        renewable
        note
        co2eTonnes
        version
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const MAP = graphql(`
  mutation ConsoleMapStream($input: MapStreamInput!) { mapStream(input: $input) { stream { version } } }
`);

type Stream = NonNullable<ConsoleEmissionStreamsQuery["emissionStreams"]>["nodes"][number];

/** The values that the table edits. */
type Mapping = Pick<
  MapStreamInput,
  "line" | "method" | "activityUncertaintyPercent" | "factorUncertaintyPercent"
>;

const mappingOf = (stream: Stream): Mapping => ({
  line: stream.line,
  method: stream.method,
  activityUncertaintyPercent: stream.activityUncertaintyPercentExact,
  factorUncertaintyPercent: stream.factorUncertaintyPercentExact,
});

/** Changes parts of a stream's mapping and keeps the rest. Without a line, removes the mapping. */
async function change(stream: Stream, changes: Partial<MapStreamInput>): Promise<void> {
  const { scope, category, renewable, note, version } = stream;
  const parts = changes.line === null ? changes : { ...mappingOf(stream), renewable, note, ...changes };
  await run(MAP, { input: { scope, category, expectedVersion: version, ...parts } });
}

/** One form for a page of streams, with their lines, methods and uncertainties. */
export function Streams() {
  const { after = null } = useAddress().query;
  const answer = useQuery(READ, { after });
  return (
    <Dialogs onClosed={answer.reload}>
      <p class="quiet">
        A stream is all records of one scope and category. Map it to the line where the inventory reports it.
      </p>
      <LoadedField answer={answer} skeleton="table" field="emissionStreams">
        {({ nodes, pageInfo }) => (
          <>
            {nodes.length === 0 ? (
              <Empty>No records yet. Add records, then map their categories here.</Empty>
            ) : (
              <StreamForm key={after} streams={nodes} onSaved={answer.reload} />
            )}
            <Paging pageInfo={pageInfo} />
          </>
        )}
      </LoadedField>
    </Dialogs>
  );
}

interface StreamFormProps {
  readonly streams: readonly Stream[];
  readonly onSaved: () => void;
}

function StreamForm({ streams, onSaved }: StreamFormProps) {
  const mayWrite = useScope("write:emissions");
  const { attempt, complaint } = useAttempt();
  const suggested = streams.filter(({ line, suggestedLine }) => line === null && suggestedLine !== null);
  const unmapped = streams.filter(({ line }) => line === null).length;
  /** Saves streams one by one. A failure does not undo the ones already saved. */
  const saveAll = async (changes: readonly (readonly [Stream, Partial<MapStreamInput>])[]) => {
    try {
      for (const [stream, changed] of changes) await change(stream, changed);
      showMessage({ text: `${countOf(changes.length, "stream")} saved.` });
    } finally {
      onSaved();
    }
  };
  const accept = () =>
    attempt(() => saveAll(suggested.map((stream) => [stream, { line: stream.suggestedLine }])));
  const save = (values: FormData) =>
    saveAll(
      streams.flatMap((stream, index) => {
        const changed = changesOf(mappingOf(stream), readMapping(values, index));
        if (Object.keys(changed).length === 0) return [];
        // Editing a stream also accepts its suggested line, which the user has seen.
        const line = stream.line === null && stream.suggestedLine;
        return [[stream, { ...(line && { line }), ...changed }]] as const;
      }),
    );
  const rows = streams.map((stream, index) => ({
    ...stream,
    index,
    id: `${stream.scope} ${stream.category}`,
  }));
  const table = (
    <Table caption="Streams" rows={rows} columns={[...NAMES, ...FIELDS]} actions={mayWrite && actionsFor} />
  );
  return (
    <>
      <div class="row">
        <p>
          {unmapped === 0
            ? "All streams on this page are mapped."
            : `${unmapped} of ${streams.length} streams on this page are not mapped.`}
        </p>
        {mayWrite && suggested.length > 0 && (
          <Button
            label={`Accept ${countOf(suggested.length, "suggestion")}`}
            look="primary"
            onClick={accept}
          />
        )}
      </div>
      {complaint}
      <div class="cells">
        {mayWrite ? (
          <Form submit="Save changes" onSubmit={save} keepsValues>
            {table}
          </Form>
        ) : (
          <fieldset disabled>{table}</fieldset>
        )}
      </div>
    </>
  );
}

type Row = Stream & { readonly index: number };

const nameStream = ({ category }: Pick<Stream, "category">) => category ?? "No category";

const NAMES: readonly Column<Row>[] = [
  {
    title: "Stream",
    wraps: true,
    cell: (stream) => (
      <>
        <bdi>{nameStream(stream)}</bdi> <small class="quiet">{nameOf(stream.scope)}</small>
      </>
    ),
  },
  { title: "tCO₂e", isNumber: true, cell: ({ co2eTonnes }) => <Sum value={co2eTonnes} /> },
];

const FIELDS: readonly Column<Row>[] = [
  {
    title: "Line",
    cell: ({ index, scope, category, line, suggestedLine }) => (
      <Select
        label={`Line of ${nameStream({ category })}`}
        name={`line:${index}`}
        options={linesOf(scope)}
        labelOf={lineName}
        value={line ?? ""}
        none={suggestedLine && line === null ? `${lineName(suggestedLine)} (suggested)` : "Not mapped"}
      />
    ),
  },
  {
    title: "Method",
    cell: ({ index, category, method }) => (
      <Select
        label={`Method of ${nameStream({ category })}`}
        name={`method:${index}`}
        options={METHODS}
        value={method ?? ""}
        none="Not specified"
      />
    ),
  },
  {
    title: "Activity ± %",
    cell: ({ index, category, activityUncertaintyPercentExact }) => (
      <NumberField
        label={`Activity uncertainty of ${nameStream({ category })}`}
        name={`activity:${index}`}
        unit="%"
        value={activityUncertaintyPercentExact ?? ""}
      />
    ),
  },
  {
    title: "Factor ± %",
    cell: ({ index, category, factorUncertaintyPercentExact }) => (
      <NumberField
        label={`Factor uncertainty of ${nameStream({ category })}`}
        name={`factor:${index}`}
        unit="%"
        value={factorUncertaintyPercentExact ?? ""}
      />
    ),
  },
];

/** Reads the mapping from a row's fields. */
const readMapping = (values: FormData, index: number): Mapping => ({
  line: optionalOf(values, `line:${index}`) as InventoryLine | null,
  method: optionalOf(values, `method:${index}`) as StreamMethod | null,
  activityUncertaintyPercent: optionalOf(values, `activity:${index}`),
  factorUncertaintyPercent: optionalOf(values, `factor:${index}`),
});

const actionsFor = (stream: Row) =>
  stream.line && <DialogButton label="Note" look="quiet" opens={<EditNote stream={stream} />} />;

/** Edits the fields that few streams need: a note, and whether a fuel is renewable. */
const EditNote = ({ stream }: { stream: Stream }) => (
  <Confirm
    title={nameStream(stream)}
    action="Save"
    onConfirm={(values) =>
      change(stream, { renewable: answerIn(values, "renewable"), note: optionalOf(values, "note") })
    }
  >
    <Select
      label="Renewable fuel"
      name="renewable"
      options={YES_OR_NO}
      value={stream.renewable === null ? "" : `${stream.renewable}`}
      none="Unknown"
    />
    <TextArea label="Note on the method" name="note" value={stream.note ?? ""} />
  </Confirm>
);
