import { useEffect, useRef, useState } from "preact/hooks";
import { upload } from "../../../gateway/upload.js";
import { useAttempt } from "../../../parts/states.js";
import { importAddress, type Parameters, parametersOf, SPLITTING } from "./import-form.js";
import type { Preview } from "./preview.js";

/** Maximum number of bytes sent to the gateway to guess the format. */
const HEAD_BYTES = 65_536;

/**
 * The gateway's preview of a file. `change` updates it after the user has changed a field. `generation` increases
 * whenever the columns are guessed again.
 */
export function usePreview(file: File) {
  const [{ preview, generation }, setState] = useState<{ preview: Preview | null; generation: number }>({
    preview: null,
    generation: 0,
  });
  const { attempt, complaint } = useAttempt();
  const latest = useRef(0);
  /** Names of the fields that the user has changed since the columns were guessed. */
  const touched = useRef(new Set<string>());
  const read = (parameters: Parameters, isNew: boolean) =>
    attempt(async () => {
      const turn = ++latest.current;
      const head = file.slice(0, HEAD_BYTES);
      const isLatest = () => turn === latest.current;
      const address = importAddress("import/preview", parameters);
      const found = await upload<Preview>(address, head, () => undefined).catch((failure) => {
        if (isLatest()) throw failure;
        return null;
      });
      if (found === null || !isLatest()) return;
      setState((before) => ({ preview: found, generation: before.generation + (isNew ? 1 : 0) }));
    });
  useEffect(() => {
    read([], true);
  }, []);
  const change = (values: FormData, name: string) => {
    if (preview === null) return;
    if ((SPLITTING as readonly string[]).includes(name)) {
      touched.current.clear();
      const isSplitting = ([parameter]: Parameters[number]) =>
        (SPLITTING as readonly string[]).includes(parameter);
      read(parametersOf(values, preview).filter(isSplitting), true);
    } else {
      touched.current.add(name);
      read(
        parametersOf(values, preview, (other) => !touched.current.has(other)),
        false,
      );
    }
  };
  return { preview, generation, complaint, change };
}
