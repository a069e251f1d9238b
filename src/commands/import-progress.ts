import { Presets, SingleBar } from "cli-progress";

export interface Progress {
  /** How far the file has been read. */
  update(bytes: number, rows: number): void;
  /** The file is read; what is being done now. */
  step(text: string): void;
  /** Leaves the terminal as it was; may be called again. */
  stop(): void;
}

const QUIET: Progress = { update: () => undefined, step: () => undefined, stop: () => undefined };

/**
 * On a terminal a bar with the time left to read the file, by its bytes, and then each step with its seconds; nothing
 * elsewhere. A file of unknown size, such as a pipe, has its rows shown only.
 */
export function showProgress(stream: NodeJS.WriteStream, size: number): Progress {
  if (!stream.isTTY) return QUIET;
  const start = performance.now();
  const numbers = "{rows} rows | {speed} rows/s";
  const format = size > 0 ? `Reading {bar} {percentage}% | ${numbers} | {left} left` : `Reading | ${numbers}`;
  const bar = new SingleBar(
    // With the largest numbers it fits into 80 columns.
    { stream, format, barsize: 20, hideCursor: true, clearOnComplete: true },
    Presets.shades_classic,
  );
  bar.start(Math.max(size, 1), 0, { rows: 0, speed: 0, left: "?" });
  let endStep: () => void = () => undefined;
  const stop = () => {
    bar.stop();
    endStep();
    endStep = () => undefined;
  };
  return {
    update(bytes, rows) {
      const seconds = Math.max(performance.now() - start, 1) / 1_000;
      const left = `${Math.ceil((seconds * (size - bytes)) / Math.max(bytes, 1))} s`;
      bar.update(bytes, { rows, speed: Math.round(rows / seconds), left });
    },
    step(text) {
      stop();
      endStep = showSeconds(stream, text);
    },
    stop,
  };
}

/** Shows a text with the seconds that go by; the returned function ends its line. */
function showSeconds(stream: NodeJS.WriteStream, text: string): () => void {
  const start = performance.now();
  const show = () => void stream.write(`\r${text} ${Math.floor((performance.now() - start) / 1_000)} s`);
  show();
  const timer = setInterval(show, 1_000);
  return () => {
    clearInterval(timer);
    stream.write("\n");
  };
}
