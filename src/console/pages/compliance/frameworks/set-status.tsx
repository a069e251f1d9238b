import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Edit } from "../../../parts/forms/edit.js";
import { FRAMEWORK_NAMES } from "../../../parts/frameworks.js";
import { nameOf } from "../../../parts/names.js";
import type { FrameworkState } from "../read-compliance.js";
import { StatusFields, setStatus } from "./status-fields.js";

const READ = graphql(`
  query ConsoleFrameworkStates {
    compliance { frameworks { framework status note version } }
  }
`);

type State = Pick<FrameworkState, "framework" | "status" | "note" | "version">;

/** Sets the organization's status in a framework. */
export function SetStatus({ state }: { state: State }) {
  const { framework } = state;
  const read = async () => {
    const { compliance } = await run(READ, {});
    return compliance?.frameworks.find((one) => one.framework === framework);
  };
  return (
    <Edit<State>
      title={`Status: ${FRAMEWORK_NAMES[framework]}`}
      row={state}
      read={read}
      save={(values, { version }) => setStatus(framework, version, values)}
      describe={({ status, note }) => ({ Status: nameOf(status), Note: note })}
    >
      {({ status, note }) => <StatusFields status={status} note={note} />}
    </Edit>
  );
}
