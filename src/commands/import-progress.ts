import { Presets, SingleBar } from "cli-progress";

export interface Progress {
  /** How far the file has been read. */
  update(bytes: number, rows: number): void;
  /** The file is read; what is being done now. */
  step(text: string): void;
  stop(): void;
}

const QUIET: Progress = { update: () => undefined, step: () => undefined, stop: () => undefined };

/** A bar on a terminal, with the time left by the bytes of the file; nothing elsewhere. */
export function showProgress(stream: NodeJS.WriteStream, size: number): Progress {
  if (!stream.isTTY) return QUIET;
  const start = performance.now();
  const format = "{bar} {percentage}% | {rows} rows | {speed} rows/s | {eta_formatted} left";
  const bar = new SingleBar(
    { stream, format, hideCursor: true, clearOnComplete: true },
    Presets.shades_classic,
  );
  bar.start(Math.max(size, 1), 0, { rows: 0, speed: 0 });
  return {
    update(bytes, rows) {
      const speed = Math.round((1_000 * rows) / Math.max(performance.now() - start, 1));
      bar.update(bytes, { rows, speed });
    },
    step(text) {
      bar.stop();
      stream.write(`${text}\n`);
    },
    stop: () => bar.stop(),
  };
}
