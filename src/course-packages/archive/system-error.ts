/** Whether the machine is at fault (no space left, no permission, a bad disk), not the input. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
