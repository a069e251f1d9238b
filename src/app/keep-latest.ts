/**
 * Creates a function that returns the value read last, at first `start`, and has it read again in the background. A
 * failed read keeps the value.
 */
export function keepLatest<Value>(
  read: () => Promise<Value>,
  start: Value,
  warn: (error: unknown) => void,
): () => Value {
  let latest = start;
  let isReading = false;
  const renew = async () => {
    try {
      latest = await read();
    } catch (error) {
      warn(error);
    } finally {
      isReading = false;
    }
  };
  return () => {
    // Deferred, so that the metrics that show the value do not count this read.
    if (!isReading) setImmediate(renew);
    isReading = true;
    return latest;
  };
}
