import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useScope } from "../../gateway/viewer.js";
import { Button } from "../../parts/button.js";
import { showMessage } from "../../parts/messages.js";
import { useAttempt } from "../../parts/states.js";
import { UNDO_IMPORT } from "../records/imports/undo-import.js";

const LOAD = graphql(`
  mutation ConsoleLoadSample {
    loadSampleData(input: {}) { import { id } }
  }
`);

interface SampleProps {
  /** Id of the sample's import; null if no sample is loaded. */
  readonly id: string | null;
  /** Reads the page's data again. */
  readonly onChanged: () => void;
}

/** Warns that the figures include sample data, or offers to load it. Shows only what the user may do. */
export function Sample({ id, onChanged }: SampleProps) {
  const { attempt, complaint } = useAttempt();
  const may = useScope(id === null ? "manage:organization" : "write:emissions");
  const work = async () => {
    await (id === null ? run(LOAD, {}) : run(UNDO_IMPORT, { id }));
    showMessage({ text: `Sample data ${id === null ? "loaded" : "removed"}.` });
    onChanged();
  };
  if (id === null && !may) return null;
  return (
    <section class="announcement" aria-label="Sample data">
      <div>
        <p>
          {id === null
            ? "Want to look around first? Load two years of made-up records. You can remove them with one click."
            : "These figures include made-up sample data."}
        </p>
        {complaint}
      </div>
      {may && (
        <Button label={`${id === null ? "Load" : "Remove"} sample data`} onClick={() => attempt(work)} />
      )}
    </section>
  );
}
