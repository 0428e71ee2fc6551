import { ProblemError } from '../../problems/problem.ts';
import { statusOf } from './s3-failures.ts';

/** Names of errors after a limit of time, which their messages do not mention. */
const LATE_NAMES: ReadonlySet<string> = new Set(['AbortError', 'TimeoutError']);
/** Names of errors that say less than their messages. */
const GENERIC_NAMES: ReadonlySet<string> = new Set(['Error', 'AggregateError', 'Unknown', 'UnknownError']);

/**
 * Why a content store cannot be used, for operators: the name and the message of the cause, and the status that a server
 * returned. Clients get only the problem `unavailable`.
 */
export function storeFailureReason(error: unknown): string {
  const cause = error instanceof ProblemError ? error.cause : error;
  const status = statusOf(cause);
  return textOf(cause) + (status === undefined ? '' : ` (status ${status})`);
}

function textOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (LATE_NAMES.has(cause.name)) return 'no response in time';
  const { code } = cause as NodeJS.ErrnoException;
  const message = cause.message || (code ?? '');
  if (message === '') return cause.name;
  return GENERIC_NAMES.has(cause.name) || message.includes(cause.name)
    ? message
    : `${cause.name}: ${message}`;
}
