/**
 * Returns true if a program is missing, so that its tests are skipped with a warning. With TEST_SKIPS_NOTHING=1, as in
 * CI, throws instead.
 */
export function isMissing(program: string, isInstalled: boolean, untested: string): boolean {
  if (isInstalled) return false;
  const message = `${program} is not installed: ${untested} NOT tested`;
  if (process.env["TEST_SKIPS_NOTHING"] === "1") throw new Error(message);
  console.warn(message);
  return true;
}
