import { useEffect, useRef, useState } from "preact/hooks";
import { GatewayFailure } from "../../../gateway/failure.js";
import { type Sent, upload } from "../../../gateway/upload.js";
import { Button } from "../../../parts/button.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { useDialog } from "../../../parts/forms/dialogs.js";
import { Form } from "../../../parts/forms/form.js";
import { keepChoices } from "./activities.js";
import { Activities } from "./activity-choices.js";
import { ImportFields } from "./import-fields.js";
import { checkColumns, type FileProblem, importAddress, readProblem } from "./import-form.js";
import { type ImportReport, ProblemTable, Report } from "./outcome.js";
import { type Head, readHead } from "./read-head.js";
import { useDroppedFile } from "./use-dropped-file.js";

const HEAD_BYTES = 65_536;

interface Opened {
  readonly file: File;
  readonly head: Head;
}

/**
 * Imports a CSV file. It guesses the columns, which the user can correct; the gateway checks the file before it imports
 * it.
 */
export function ImportFile({ dropped }: { dropped: File | null }) {
  const { close } = useDialog();
  const [file, setFile] = useState(dropped);
  useDroppedFile(true, setFile);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [problems, setProblems] = useState<readonly FileProblem[]>([]);
  const [report, setReport] = useState<ImportReport | null>(null);
  const [sent, setSent] = useState<Sent | undefined>();
  const forget = () => {
    setReport(null);
    setProblems([]);
  };
  useEffect(() => {
    forget();
    if (file === null) return setOpened(null);
    let isGone = false;
    file
      .slice(0, HEAD_BYTES)
      .text()
      .then((text) => isGone || setOpened({ file, head: readHead(text) }));
    return () => {
      isGone = true;
    };
  }, [file]);
  const outcome = useRef<HTMLDivElement>(null);
  // The outcome is below a long form.
  useEffect(() => outcome.current?.scrollIntoView({ block: "nearest" }), [problems, report]);
  const open = report?.activities?.unresolved ?? 0;
  const isChecked = report?.dry_run === true && open === 0;
  const send = async (values: FormData) => {
    if (opened === null) return;
    const { head, file } = opened;
    const accept = report?.questions.map(({ code }) => code) ?? [];
    const ask = async (isDryRun: boolean) => {
      const address = importAddress(values, head, file.name, { isDryRun, accept });
      setReport(await upload<ImportReport>(address, file, setSent));
    };
    const items = report?.activities?.items ?? [];
    if (open > 0) await keepChoices(items, values);
    forget();
    setSent(0);
    try {
      await ask(!isChecked).catch((failure: unknown) => {
        // An accepted question may lead to others, which a check returns.
        if (failure instanceof GatewayFailure && failure.code === "CONFIRMATION_REQUIRED") return ask(true);
        throw failure;
      });
    } catch (failure) {
      const found = failure instanceof GatewayFailure ? failure.problems : [];
      if (!found.some(({ path }) => path.startsWith("line "))) throw failure;
      setProblems(found.map(readProblem));
    } finally {
      setSent(undefined);
    }
  };
  return (
    <Dialog
      title={opened ? `Import ${opened.file.name}` : "Import a CSV file"}
      onClose={() => close()}
      isWide
    >
      {report?.dry_run === false ? (
        <>
          <Report report={report} />
          <div class="buttons">
            <Button label="Done" look="primary" onClick={() => close()} />
          </div>
        </>
      ) : (
        <>
          <label>
            CSV file
            <input
              type="file"
              accept=".csv,text/csv"
              onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
            />
          </label>
          {opened && (
            <div onInput={forget}>
              <Form
                key={opened.head.names.join()}
                submit={submitLabel(report)}
                onSubmit={send}
                onCancel={() => close()}
                check={checkColumns}
                keepsValues
              >
                <ImportFields head={opened.head} />
                <div ref={outcome} aria-live="polite">
                  {sent !== undefined && <Progress sent={sent} />}
                  {problems.length > 0 && <ProblemTable problems={problems} />}
                  {report && <Report report={report} />}
                  {report?.activities && (
                    // A choice does not invalidate the check.
                    <div onInput={(event) => event.stopPropagation()}>
                      <Activities activities={report.activities} />
                    </div>
                  )}
                </div>
              </Form>
            </div>
          )}
        </>
      )}
    </Dialog>
  );
}

const Progress = ({ sent }: { sent: Sent }) => (
  <label>
    {sent === null ? "The gateway reads the file…" : "Sending the file…"}
    <progress {...(sent !== null && { value: sent })} max={1} />
  </label>
);

function submitLabel(report: ImportReport | null): string {
  if (report?.dry_run !== true) return "Check";
  if ((report.activities?.unresolved ?? 0) > 0) return "Keep choices and check";
  return report.questions.length > 0 ? "Import anyway" : "Import";
}
