import { useEffect, useRef, useState } from "preact/hooks";
import { GatewayFailure } from "../../../gateway/failure.js";
import { type UploadProgress, upload } from "../../../gateway/upload.js";
import { Button } from "../../../parts/button.js";
import { downloadCsv } from "../../../parts/csv.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { useDialog } from "../../../parts/forms/dialogs.js";
import { Form } from "../../../parts/forms/form.js";
import { useAttempt } from "../../../parts/states.js";
import { saveChoices } from "./activities.js";
import { Activities } from "./activity-choices.js";
import { ImportFields } from "./import-fields.js";
import { checkChoices, importAddress, parametersOf } from "./import-form.js";
import { type ImportReport, importedRows, Report, writeRows } from "./outcome.js";
import type { FileProblem, Preview } from "./preview.js";
import { PreviewTable } from "./preview-table.js";
import { ProblemTable, readProblem } from "./problems.js";
import { writeRefused } from "./refused-rows.js";
import { TemplateButton } from "./template.js";
import { useDroppedFile } from "./use-dropped-file.js";
import { usePreview } from "./use-preview.js";
import "./imports.css";

/**
 * Imports a CSV file. Previews the first rows, checks all rows, imports those without problems, and downloads the
 * others.
 */
export function ImportFile({ dropped }: { dropped: File | null }) {
  const { close } = useDialog();
  const [file, setFile] = useState(dropped);
  const [imported, setImported] = useState<File | null>(null);
  useDroppedFile(true, setFile);
  return (
    <Dialog
      title={file ? `Import ${file.name}` : "Import a CSV file"}
      onClose={() => close()}
      hasChanges={file !== null && file !== imported}
      isWide
    >
      <label>
        CSV file
        <input
          type="file"
          accept=".csv,.txt,.tsv,text/csv"
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
        />
      </label>
      {file === null ? (
        <>
          <p class="quiet">
            Drop a file here, or choose one: energy bills, meter readings, fuel, travel, or emissions in
            tonnes. You'll see a preview before anything is imported.
          </p>
          <div class="buttons">
            <TemplateButton />
            <Button label="Cancel" look="secondary outline" onClick={() => close()} />
          </div>
        </>
      ) : (
        <Steps
          key={`${file.name} ${file.lastModified} ${file.size}`}
          file={file}
          onImported={() => setImported(file)}
        />
      )}
    </Dialog>
  );
}

/** The steps of an import: preview and options, check, result. */
function Steps({ file, onImported }: { file: File; onImported: () => void }) {
  const { close } = useDialog();
  const { preview, generation, complaint, change } = usePreview(file);
  const [problems, setProblems] = useState<readonly FileProblem[]>([]);
  const [report, setReport] = useState<ImportReport | null>(null);
  const [hasChoices, setHasChoices] = useState(false);
  const [sent, setSent] = useState<UploadProgress | undefined>();
  const outcome = useRef<HTMLDivElement>(null);
  // The outcome is below a long form.
  useEffect(() => outcome.current?.scrollIntoView({ block: "nearest" }), [problems, report]);
  const forget = () => {
    setReport(null);
    setProblems([]);
    setHasChoices(false);
  };
  if (preview === null) return complaint || <div class="skeleton short" role="status" aria-label="Loading" />;
  if (report?.dry_run === false) return <Done file={file} preview={preview} report={report} />;
  const isImport = report !== null && !hasChoices && importedRows(report) > 0;
  const send = async (values: FormData) => {
    const accept = (report?.questions ?? []).map(({ code }) => ["accept", code] as const);
    const parameters = [
      ...parametersOf(values, preview),
      ["file", file.name],
      ["skip_errors", "true"],
    ] as const;
    const ask = async (...more: (readonly [string, string])[]) => {
      const found = await upload<ImportReport>(
        importAddress("import", [...parameters, ...more]),
        file,
        setSent,
      );
      setReport(found);
      if (!found.dry_run) onImported();
    };
    const check = () => ask(["dry_run", "true"]);
    if (hasChoices) await saveChoices(report?.activities?.items ?? [], values);
    forget();
    setSent(0);
    try {
      await (isImport ? ask(...accept) : check()).catch((failure: unknown) => {
        // Accepting one question may raise others. Checking again shows them.
        if (failure instanceof GatewayFailure && failure.code === "CONFIRMATION_REQUIRED") return check();
        throw failure;
      });
    } catch (failure) {
      const found = failure instanceof GatewayFailure ? failure.problems : [];
      const inFile = found.flatMap((problem) => readProblem(problem) ?? []);
      if (inFile.length === 0) throw failure;
      setProblems(inFile);
    } finally {
      setSent(undefined);
    }
  };
  return (
    <div
      onInput={forget}
      onChange={({ target }) => {
        const { form, name } = target as HTMLInputElement;
        if (form) change(new FormData(form), name);
      }}
    >
      <Form
        key={generation}
        submit={submitLabel(report, isImport, hasChoices)}
        onSubmit={send}
        onCancel={() => sent === undefined && close()}
        check={(values) => checkChoices(values, preview)}
        keepsValues
      >
        <h3>Preview of your file</h3>
        <div class="preview">
          <PreviewTable preview={preview} />
        </div>
        {complaint}
        <ImportFields preview={preview} />
        <div ref={outcome} aria-live="polite">
          {sent !== undefined && <Progress sent={sent} />}
          {problems.length > 0 && (
            <>
              <p class="complaint">
                Nothing was imported. Correct the options above or the file, then check again.
              </p>
              <ProblemTable caption="Problems in the file" problems={problems} />
            </>
          )}
          {report && (
            <Report report={report}>
              {report.activities && (
                // Choosing a factor keeps the report, so that the user can choose the others.
                <div
                  onInput={(event) => {
                    event.stopPropagation();
                    setHasChoices(true);
                  }}
                  onChange={(event) => event.stopPropagation()}
                >
                  <Activities activities={report.activities} />
                </div>
              )}
            </Report>
          )}
        </div>
      </Form>
    </div>
  );
}

function submitLabel(report: ImportReport | null, isImport: boolean, hasChoices: boolean): string {
  if (report === null) return "Check";
  if (!isImport) return hasChoices ? "Save choices and check" : "Check again";
  const { refused, questions } = report;
  const others =
    refused.rows === 0 ? "" : `, and download the ${refused.rows === 1 ? "other" : `${refused.rows} others`}`;
  return `Import ${writeRows(importedRows(report))}${questions.length > 0 ? " anyway" : ""}${others}`;
}

interface DoneProps {
  readonly file: File;
  readonly preview: Preview;
  readonly report: ImportReport;
}

/** The result of an import. Downloads the rows that were left out. */
function Done({ file, preview, report }: DoneProps) {
  const { close } = useDialog();
  const { attempt, complaint } = useAttempt();
  const { refused, first_day: from, last_day: to } = report;
  const { encoding = "utf-8", delimiter = ",", skip_lines: skipLines = "0" } = preview.options;
  const download = () =>
    attempt(async () => {
      const format = {
        encoding,
        delimiter: delimiter === "\\t" ? "\t" : delimiter,
        skipLines: Number(skipLines),
      };
      const name = file.name.replace(/(\.\w+)?$/, "-left-out.csv");
      downloadCsv(name, await writeRefused(file, format, refused.problems));
    });
  useEffect(() => {
    if (refused.rows > 0) download();
  }, []);
  return (
    <>
      <Report report={report} />
      {refused.rows > 0 && (
        <p>
          We downloaded a file with the {writeRows(refused.rows)} that {refused.rows === 1 ? "was" : "were"}{" "}
          left out and the reasons. Correct the file, then import it.
        </p>
      )}
      {complaint}
      <div class="buttons">
        {refused.rows > 0 && (
          <Button
            label={`Download ${writeRows(refused.rows)} again`}
            look="secondary outline"
            onClick={download}
          />
        )}
        {from && (
          <a href={`/console?${new URLSearchParams({ from, to: to ?? from })}`} onClick={() => close()}>
            View chart
          </a>
        )}
        <Button label="Done" look="primary" onClick={() => close()} />
      </div>
    </>
  );
}

const Progress = ({ sent }: { sent: UploadProgress }) => (
  <label>
    {sent === null ? "Reading the file…" : "Sending the file…"}
    <progress {...(sent !== null && { value: sent })} max={1} />
  </label>
);
