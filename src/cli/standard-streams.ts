import { FAILURE, SIGNALLED } from './exit.ts';

/** The number of SIGPIPE. Other programs whose reader has ended are ended by it. */
const SIGPIPE = 13;
const CLOSED_PIPE = SIGNALLED + SIGPIPE;

let isOutputWatched = false;
let isOutputLost = false;
let areErrorsWatched = false;

/**
 * Writes to standard output. If that fails, the command still does its work: it may have created something, or be in the
 * middle of a change. The failure decides the exit code. A reader that has ended (`| head`) is no error, so nothing is
 * reported, as in other programs, which SIGPIPE ends. Node ignores that signal.
 */
export function writeOutput(text: string): void {
  // Not earlier: a service writes its log to the same descriptor in its own way.
  if (!isOutputWatched) {
    isOutputWatched = true;
    process.stdout.on('error', noteOutputFailure);
  }
  process.stdout.write(text);
}

/** Writes to standard error. If that fails, there is no other place to report it. */
export function writeErrors(text: string): void {
  if (!areErrorsWatched) {
    areErrorsWatched = true;
    process.stderr.on('error', () => {});
  }
  process.stderr.write(text);
}

/** Node reports each failed write after the write has returned. */
function noteOutputFailure({ code, message }: NodeJS.ErrnoException): void {
  if (isOutputLost) return;
  isOutputLost = true;
  // The command may have failed, too, which is more important.
  process.exitCode ||= code === 'EPIPE' ? CLOSED_PIPE : FAILURE;
  if (code !== 'EPIPE') writeErrors(`coursewire: the output cannot be written: ${message}\n`);
}
