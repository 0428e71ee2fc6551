/** Exit codes of the program. */
export const SUCCESS = 0;
export const FAILURE = 1;
export const WRONG_USE = 2;
/** Shells and container engines report a process that signal N ended as this plus N. */
export const SIGNALLED = 128;

/** The arguments of the program or of a command are wrong. The message says why. */
export class UsageError extends Error {
  override name = 'UsageError';
}
