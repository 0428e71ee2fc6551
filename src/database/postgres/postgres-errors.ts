import { DatabaseError } from 'pg';
import { DatabaseUnavailableError } from '../database.ts';
import { UnsafeNumberError } from './postgres-numbers.ts';

/**
 * Classes of SQLSTATE that tell of the server and not of the statement: connection, resources, an operator's
 * doing, the system, and the server's own faults; credentials and a database that are not (or no longer) right.
 */
const UNAVAILABLE_CLASSES = new Set(['08', '28', '3D', '53', '57', '58', 'XX']);
/** A read-only server (a standby after a switch-over), an idle transaction cut off, a lock not had in time. */
const UNAVAILABLE_CODES = new Set(['25006', '25P03', '55P03']);
/** Serialization failure and deadlock: the whole transaction may succeed when it is run again. */
const RERUNNABLE_CODES = new Set(['40001', '40P01']);
const FEATURE_NOT_SUPPORTED = '0A000';
const STALE_PLAN = /cached plan must not change result type/;

/** A statement was refused by the server. Of its values, which the server's details would quote, it tells nothing. */
export class StatementError extends Error {
  override name = 'StatementError';
  /** The SQLSTATE, see appendix A of the PostgreSQL manual. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** A transaction was undone by the server for reasons that do not lie in it. */
export function isRerunnable(error: unknown): boolean {
  return error instanceof DatabaseError && (RERUNNABLE_CODES.has(error.code ?? '') || isStalePlan(error));
}

/** A table that a prepared statement reads has got another shape, such as by a newer release's migration. */
export function isStalePlan(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.code === FEATURE_NOT_SUPPORTED && STALE_PLAN.test(error.message)
  );
}

/** Whether the connection that an error came from may be used again. */
export function isConnectionUsable(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity !== 'FATAL' && !isStalePlan(error);
}

/** What callers get for an error of `pg`; `doing` ends the sentence "the database could not …". */
export function translateError(error: unknown, doing: string): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailableError) return error;
  if (error instanceof StatementError || error instanceof UnsafeNumberError) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    if (!isRerunnable(error) && !UNAVAILABLE_CODES.has(code) && !UNAVAILABLE_CLASSES.has(code.slice(0, 2)))
      return new StatementError(error.message, code);
  }
  // Everything else is trouble with the connection: refused, reset, ended, too late.
  return new DatabaseUnavailableError(`the database could not ${doing}: ${messageOf(error)}`, {
    cause: error,
  });
}

/** Of a host with several addresses `connect` gives one error an address, and no message of its own. */
function messageOf(error: Error): string {
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join(', ');
}
