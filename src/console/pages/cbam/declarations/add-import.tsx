import { type CbamQuarter, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Select } from "../../../parts/fields/select.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { Form, textOf } from "../../../parts/forms/form.js";
import { GoodsFields } from "../goods/goods-fields.js";
import { checkNumbers, readGoods } from "../goods/read-goods.js";
import { QUARTERS } from "../years.js";
import type { Declaration } from "./read-declarations.js";

const OPERATION = graphql(`
  mutation ConsoleAddCbamImport($declaration: UUID!, $quarter: CbamQuarter!, $goods: CbamLineInput!) {
    addCbamImport(declaration: $declaration, quarter: $quarter, goods: $goods) { id }
  }
`);

interface AddImportProps {
  readonly declaration: Declaration;
  readonly onClose: () => void;
}

/** The form of an import. Somebody else may add another one meanwhile. */
export function AddImport({ declaration: { id, year }, onClose }: AddImportProps) {
  const add = async (values: FormData) => {
    const quarter = textOf(values, "quarter") as CbamQuarter;
    await run(OPERATION, { declaration: id, quarter, goods: readGoods(values, "") });
    onClose();
  };
  return (
    <Dialog title={`Add an import of ${year}`} onClose={onClose}>
      <Form submit="Add" onSubmit={add} onCancel={onClose} check={checkNumbers}>
        <Select
          label="Quarter of import"
          name="quarter"
          options={Object.keys(QUARTERS)}
          call={(quarter) => QUARTERS[quarter as CbamQuarter]}
        />
        <GoodsFields path="" />
      </Form>
    </Dialog>
  );
}
