import { useState } from "preact/hooks";
import { type CbamBasis, type ConsoleCbamGoodsQuery, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { COUNTRIES } from "../../../parts/countries.js";
import { Field } from "../../../parts/fields/field.js";
import { NumberField } from "../../../parts/fields/number.js";
import { Search } from "../../../parts/fields/search.js";
import { Select } from "../../../parts/fields/select.js";
import type { Import } from "../declarations/read-declarations.js";
import { BASES, OTHER_COUNTRIES, originOf } from "../names.js";
import { Precursors } from "./precursors.js";
import { RouteField } from "./route-field.js";

const FIND = graphql(`
  query ConsoleCbamGoods($search: String!) {
    cbamGoods(search: $search, first: 50) { cnCode name heading }
  }
`);

type Good = ConsoleCbamGoodsQuery["cbamGoods"][number];

const ORIGINS = [...COUNTRIES, OTHER_COUNTRIES];

interface GoodsFieldsProps {
  /** Prefix of the field names: the path of the goods in the input, e.g. `lines[0].`. */
  readonly path: string;
  /** The import to edit; omitted for new goods. */
  readonly imported?: Import;
}

/** The fields of imported goods. */
export function GoodsFields({ path, imported }: GoodsFieldsProps) {
  const [basis, setBasis] = useState<CbamBasis>(imported?.basis ?? "DEFAULT");
  const [found, setFound] = useState<Good | null>(null);
  const [code, setCode] = useState(imported?.cnCode ?? "");
  const choose = (good: Good | null) => {
    setFound(good);
    if (good) setCode(good.cnCode);
  };
  return (
    <>
      <Search<Good>
        label="Goods"
        name={`${path}goods`}
        hint="Search by name or CN code, e.g. “screws”. Your choice fills in the code"
        chosen={found}
        find={findGoods}
        labelOf={({ name }) => name}
        onChoose={choose}
      >
        {({ cnCode, name, heading }) => (
          <>
            {cnCode} {name} <span class="quiet">{heading}</span>
          </>
        )}
      </Search>
      <div class="pair">
        <Field
          label="CN code"
          name={`${path}cnCode`}
          hint="4 to 8 digits, e.g. 7208 36 00"
          value={code}
          onInput={(text) => {
            setCode(text);
            setFound(null);
          }}
        />
        <Select
          label="Country of origin"
          name={`${path}country`}
          options={ORIGINS}
          labelOf={originOf}
          value={imported?.country ?? ""}
          none="Choose"
        />
        <NumberField
          label="Net mass"
          name={`${path}massT`}
          value={String(imported?.massT ?? "")}
          unit="t"
          isRequired
          hint="In tonnes"
        />
        <RouteField path={path} value={imported?.route ?? ""} />
        <Select
          label="Basis of emissions"
          name={`${path}basis`}
          options={BASES}
          value={basis}
          onChange={setBasis}
        />
        {basis === "ACTUAL" && (
          <>
            <NumberField
              label="Direct emissions"
              name={`${path}directTco2ePerT`}
              value={String(imported?.directTco2ePerT ?? "")}
              unit="tCO₂e/t"
              hint="tCO₂e per tonne of goods"
            />
            <NumberField
              label="Indirect emissions"
              name={`${path}indirectTco2ePerT`}
              value={String(imported?.indirectTco2ePerT ?? "")}
              unit="tCO₂e/t"
              hint="tCO₂e per tonne. Only for cement, fertilisers and agglomerated iron ore (2601 12 00)"
            />
          </>
        )}
        <NumberField
          label="Reduction"
          name={`${path}reductionTco2e`}
          value={String(imported?.reductionTco2e || "")}
          unit="tCO₂e"
          hint="In tCO₂e, for a carbon price paid in the country of origin"
        />
      </div>
      {basis === "ACTUAL" && <Precursors path={path} precursors={imported?.precursors ?? []} />}
    </>
  );
}

const findGoods = async (search: string, signal: AbortSignal) =>
  (await run(FIND, { search }, signal)).cbamGoods;
