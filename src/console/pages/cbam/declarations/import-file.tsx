import { countOf } from "../../../../domain/texts/count-of.js";
import { run } from "../../../gateway/run.js";
import { Button } from "../../../parts/button.js";
import { Labelled } from "../../../parts/fields/labelled.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { showMessage } from "../../../parts/messages.js";
import { addImports } from "./add-imports.js";
import { downloadTemplate } from "./export-imports.js";
import { type Declaration, READ_DECLARATION } from "./read-declarations.js";

/** Adds the imports of a CSV file to a declaration, all or none. */
export function ImportFile({ declaration: { id, year } }: { declaration: Declaration }) {
  const add = async (values: FormData) => {
    const file = values.get("file");
    if (!(file instanceof File) || file.size === 0) throw new Error("Choose a file.");
    if (file.size > MAX_BYTES)
      throw new Error("The file is larger than 1 MB. A declaration has at most 200 imports.");
    const { readImports } = await import("./import-csv.js");
    const imports = readImports(await file.text());
    await addImports(id, imports);
    const { cbamDeclaration: now } = await run(READ_DECLARATION, { id });
    showMessage({
      text: `${countOf(imports.length, "import")} added to the declaration of ${year}. It now has ${now?.imports.length}.`,
    });
  };
  return (
    <Confirm title={`Import a file into ${year}`} action="Import" onConfirm={add}>
      <p>
        Choose a CSV file with one row per good, quarter and country of origin. Either all rows are added, or
        none. <Button label="Download a template" look="link" onClick={downloadTemplate} />
      </p>
      <Labelled label="File" name="file">
        {(attributes) => <input {...attributes} type="file" accept=".csv,text/csv" />}
      </Labelled>
    </Confirm>
  );
}

const MAX_BYTES = 1_000_000;
