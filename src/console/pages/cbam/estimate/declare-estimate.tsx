import { countOf } from "../../../../domain/texts/count-of.js";
import type { CbamEstimateInput, CbamQuarter } from "../../../../generated/console.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { DialogButton, Dialogs } from "../../../parts/forms/dialogs.js";
import { textOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import { addImports } from "../declarations/add-imports.js";
import { startDeclaration } from "../declarations/start-declaration.js";
import { QUARTERS } from "../names.js";

/** The button that adds the goods of an estimate to the declaration of their year. */
export function DeclareEstimate({ input }: { input: CbamEstimateInput }) {
  const { year, quarter, certificatePriceEur } = input;
  const lines = [input.lines].flat();
  const declare = async (values: FormData) => {
    const id = await startDeclaration(year);
    const imported = textOf(values, "quarter") as CbamQuarter;
    await addImports(
      id,
      lines.map((goods) => ({ quarter: imported, goods })),
    );
    const href = `/console/cbam/declarations?${new URLSearchParams({ id })}`;
    showMessage({
      text: `${countOf(lines.length, "import")} added.`,
      link: { label: `Declaration of ${year}`, href },
    });
  };
  return (
    <Dialogs>
      <p>
        <DialogButton
          label={`Add to the declaration of ${year}`}
          opens={
            <Confirm title={`Add to the declaration of ${year}`} action="Add" onConfirm={declare}>
              <p>
                This creates the declaration of {year} if you don't have one yet.
                {certificatePriceEur && " It uses the published price, not your own."}
              </p>
              <Select label="Quarter of import" name="quarter" options={QUARTERS} value={quarter ?? ""} />
            </Confirm>
          }
        />
      </p>
    </Dialogs>
  );
}
