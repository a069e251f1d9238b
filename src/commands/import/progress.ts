import { Presets, SingleBar } from "cli-progress";

/** Shows the progress of an import. */
export interface ProgressDisplay {
  /** Shows how much of the file has been read. */
  update(bytes: number, rows: number): void;
  /** Shows the current step after the file has been read. */
  step(text: string): void;
  /** Restores the terminal. May be called more than once. */
  stop(): void;
}

const QUIET: ProgressDisplay = { update: () => undefined, step: () => undefined, stop: () => undefined };

/**
 * Shows a progress bar with the time left while the file is read, then each step with the seconds elapsed. If the size
 * is unknown (0), as for a pipe, shows only the rows and the speed. Shows nothing if the stream is not a terminal.
 */
export function showProgress(stream: NodeJS.WriteStream, size: number): ProgressDisplay {
  if (!stream.isTTY) return QUIET;
  const start = performance.now();
  const numbers = "{rows} rows | {speed} rows/s";
  const format = size > 0 ? `Reading {bar} {percentage}% | ${numbers} | {left} left` : `Reading | ${numbers}`;
  const bar = new SingleBar(
    // Fits into 80 columns even with the largest numbers.
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

/** Shows a message with the seconds elapsed. Returns a function that ends the line. */
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
