import { type CbamQuarter, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import { GoodsFields } from "../goods/goods-fields.js";
import { readGoods } from "../goods/read-goods.js";
import { QUARTERS } from "../names.js";
import type { Declaration, Import } from "./read-declarations.js";

const OPERATION = graphql(`
  mutation ConsoleUpdateCbamImport(
    $declaration: UUID!
    $id: UUID!
    $version: Int!
    $quarter: CbamQuarter!
    $goods: CbamLineInput!
  ) {
    updateCbamImport(
      input: { declarationId: $declaration, id: $id, expectedVersion: $version, quarter: $quarter, goods: $goods }
    ) {
      import { id }
    }
  }
`);

/** The form that edits an import of a declaration. */
export function EditImport({ declaration, imported }: { declaration: Declaration; imported: Import }) {
  const { id, version, year } = declaration;
  const save = async (values: FormData) => {
    const quarter = textOf(values, "quarter") as CbamQuarter;
    const read = readGoods(values, "goods.");
    // The form has no field for `good`, which depends on these three.
    const isSame = (["cnCode", "country", "route"] as const).every((name) => read[name] === imported[name]);
    const goods = { ...read, good: isSame ? imported.good : null };
    await run(OPERATION, { declaration: id, id: imported.id, version, quarter, goods });
    showMessage({ text: `${goods.cnCode} saved in the declaration of ${year}.` });
  };
  return (
    <Confirm title={`Edit ${imported.cnCode}`} action="Save" onConfirm={save}>
      <Select label="Quarter of import" name="quarter" options={QUARTERS} value={imported.quarter} />
      <GoodsFields path="goods." imported={imported} />
    </Confirm>
  );
}
