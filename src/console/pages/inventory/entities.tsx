import { type ConsoleEntitiesQuery, type FinancialControl, graphql } from "../../../generated/console.js";
import type { Problem } from "../../gateway/failure.js";
import { run } from "../../gateway/run.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { Button } from "../../parts/button.js";
import { countryOf } from "../../parts/countries.js";
import { thisYear, todayInUtc } from "../../parts/days.js";
import { Checkbox } from "../../parts/fields/checkboxes.js";
import { Field } from "../../parts/fields/field.js";
import { NumberField } from "../../parts/fields/number.js";
import { Select } from "../../parts/fields/select.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { need, optionalOf, textOf, textsOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { monthOf } from "../../parts/moment.js";
import { Exact } from "../../parts/numbers.js";
import { LoadedField } from "../../parts/states.js";
import { type Column, List } from "../../parts/table.js";
import { useRows } from "../cbam/goods/use-rows.js";
import { CountryField, readCountry } from "../records/facilities/country.js";

const READ = graphql(`
  query ConsoleEntities($after: String) {
    entities(first: 25, after: $after) {
      nodes {
        code
        name
        country
        parent
        holdings { from equityShareExact financialControl operationalControl }
        facilityCount
        version
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const SAVE = graphql(`
  mutation ConsoleSaveEntity($input: SaveEntityInput!) { saveEntity(input: $input) { entity { code version } } }
`);

type Entity = NonNullable<ConsoleEntitiesQuery["entities"]>["nodes"][number];
type Holding = Entity["holdings"][number];

const CONTROLS: Readonly<Record<FinancialControl, string>> = {
  FULL: "Full",
  JOINT: "Joint, with partners",
  NONE: "None",
};

/** Maximum number of holdings of an entity. */
const MAX_HOLDINGS = 120;

/** The companies that the organization holds, with the current holding in each. */
export function Entities() {
  const { after = null } = useAddress().query;
  const answer = useQuery(READ, { after });
  const maySave = useScope("request:verification");
  return (
    <Dialogs onClosed={answer.reload}>
      <div class="row">
        <p class="quiet">
          Companies in which you hold a share. Facilities without an entity belong to the organization and
          count in full. Choose a facility's entity under <a href="/console/records/facilities">Facilities</a>
          .
        </p>
        {maySave && <DialogButton label="Add entity" look="primary" opens={<SaveEntity />} />}
      </div>
      <LoadedField answer={answer} skeleton="table" field="entities">
        {(entities) => (
          <List caption="Entities" {...entities} columns={COLUMNS} actions={maySave && actionsFor}>
            No entities yet, so all your facilities count in full. Add subsidiaries and joint ventures that
            you hold in part.
          </List>
        )}
      </LoadedField>
    </Dialogs>
  );
}

/** Returns a share from 0 to 1 in percent: "0.375" is 37.5. */
const percentOf = (share: string): number => Number((Number(share) * 100).toFixed(2));

const holdingNow = ({ holdings }: Entity): Holding | undefined =>
  holdings.findLast(({ from }) => from <= todayInUtc().slice(0, 7));

const COLUMNS: readonly Column<Entity>[] = [
  { title: "Name", wraps: true, cell: ({ name }) => <bdi>{name}</bdi> },
  { title: "Code", wraps: true, cell: ({ code }) => code },
  { title: "Country", wraps: true, cell: ({ country }) => (country === null ? "–" : countryOf(country)) },
  { title: "Held by", wraps: true, cell: ({ parent }) => parent ?? "The organization" },
  {
    title: "Share",
    isNumber: true,
    cell: (entity) => <Exact value={percentOf(holdingNow(entity)?.equityShareExact ?? "0")} unit="%" />,
  },
  {
    title: "Control",
    wraps: true,
    cell: (entity) => {
      const now = holdingNow(entity);
      if (!now) return `Not held before ${monthOf(entity.holdings[0]?.from ?? "")}`;
      return `Financial: ${CONTROLS[now.financialControl].toLowerCase()}. ${now.operationalControl ? "Operated by you" : "Operated by others"}`;
    },
  },
  { title: "Facilities", isNumber: true, cell: ({ facilityCount }) => <Exact value={facilityCount} /> },
];

const actionsFor = (entity: Entity) => (
  <DialogButton label="Edit" look="quiet" opens={<SaveEntity entity={entity} />} />
);

const NEW: Holding = {
  from: `${thisYear() - 1}-01`,
  equityShareExact: "1",
  financialControl: "FULL",
  operationalControl: true,
};

/** The form for an entity with all its holdings. */
function SaveEntity({ entity }: { entity?: Entity }) {
  const { keys, add, remove } = useRows(entity?.holdings.length ?? 1);
  const send = async (values: FormData) => {
    const { code, name } = textsOf(values, "code", "name");
    await run(SAVE, {
      input: {
        code: entity?.code ?? code,
        name,
        country: readCountry(values),
        parent: optionalOf(values, "parent"),
        holdings: keys.map((_, index) => readHolding(values, index)),
        expectedVersion: entity?.version ?? null,
      },
    });
    showMessage({ text: `${name} saved.` });
  };
  const check = (values: FormData): readonly Problem[] =>
    keys.flatMap((_, index) => checkHolding(values, index));
  return (
    <Confirm
      title={entity ? `Edit ${entity.name}` : "Add an entity"}
      action="Save"
      onConfirm={send}
      check={check}
    >
      <Field label="Name" name="name" value={entity?.name ?? ""} />
      <div class="pair">
        {!entity && <Field label="Code" name="code" hint="Short and unique. You can't change it later" />}
        <CountryField value={entity?.country ?? ""} />
        <Field
          label="Held by"
          name="parent"
          value={entity?.parent ?? ""}
          hint="Code of another entity. Leave empty for the organization itself"
        />
      </div>
      {keys.map((key, index) => (
        <HoldingFields
          key={key}
          index={index}
          holding={entity?.holdings[key] ?? NEW}
          {...(keys.length > 1 && { onRemove: () => remove(key) })}
        />
      ))}
      {keys.length < MAX_HOLDINGS && (
        <p>
          <Button label="Add a later holding" onClick={add} />
        </p>
      )}
    </Confirm>
  );
}

interface HoldingFieldsProps {
  readonly index: number;
  readonly holding: Holding;
  readonly onRemove?: () => void;
}

function HoldingFields({ index, holding, onRemove }: HoldingFieldsProps) {
  const path = `holdings[${index}].`;
  return (
    <fieldset class="card">
      <legend>Holding {index + 1}</legend>
      <div class="pair">
        <Field label="From month" name={`${path}from`} type="month" value={holding.from} />
        <NumberField
          label="Equity share"
          name={`${path}equityShare`}
          unit="%"
          isRequired
          value={String(percentOf(holding.equityShareExact))}
          rule={(share) => (Number(share) >= 0 && Number(share) <= 100 ? null : "Enter 0 to 100 %.")}
        />
        <Select
          label="Financial control"
          name={`${path}financialControl`}
          options={CONTROLS}
          value={holding.financialControl}
        />
      </div>
      <Checkbox
        label="You operate it"
        name={`${path}operationalControl`}
        defaultChecked={holding.operationalControl}
      />
      {onRemove && <Button label={`Remove holding ${index + 1}`} onClick={onRemove} />}
    </fieldset>
  );
}

const readHolding = (values: FormData, index: number) => {
  const path = `holdings[${index}].`;
  return {
    from: textOf(values, `${path}from`),
    equityShare: (Number(textOf(values, `${path}equityShare`)) / 100).toFixed(4),
    financialControl: textOf(values, `${path}financialControl`) as FinancialControl,
    operationalControl: values.has(`${path}operationalControl`),
  };
};

const checkHolding = (values: FormData, index: number): readonly Problem[] => {
  const { from } = readHolding(values, index);
  const months = values.getAll(`holdings[${index}].from`);
  const share = textOf(values, `holdings[${index}].equityShare`);
  return [
    ...need(
      `holdings[${index}].from`,
      months.length > 0 && /^\d{4}-\d{2}$/.test(from),
      "Enter a month, e.g. 2025-07.",
    ),
    ...need(`holdings[${index}].equityShare`, !/\.\d{3}/.test(share), "Enter at most 2 decimals."),
  ];
};
