import { type CbamQuarter, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import { GoodsFields } from "../goods/goods-fields.js";
import { readGoods } from "../goods/read-goods.js";
import { QUARTERS } from "../names.js";
import type { Declaration } from "./read-declarations.js";

const OPERATION = graphql(`
  mutation ConsoleAddCbamImport($declaration: UUID!, $quarter: CbamQuarter!, $goods: CbamLineInput!) {
    addCbamImport(input: { declarationId: $declaration, quarter: $quarter, goods: $goods }) { import { id } }
  }
`);

/** The form for a new import. */
export function AddImport({ declaration: { id, year } }: { declaration: Declaration }) {
  const add = async (values: FormData) => {
    const quarter = textOf(values, "quarter") as CbamQuarter;
    const goods = readGoods(values, "goods.");
    await run(OPERATION, { declaration: id, quarter, goods });
    showMessage({ text: `${goods.massT} t of ${goods.cnCode} added to the declaration of ${year}.` });
  };
  return (
    <Confirm title={`Add an import to ${year}`} action="Add" onConfirm={add}>
      <Select label="Quarter of import" name="quarter" options={QUARTERS} />
      <GoodsFields path="goods." />
    </Confirm>
  );
}
