import { DatabaseError } from 'pg';
import { UnbindableValueError } from '../bindable.ts';
import { DatabaseUnavailableError } from '../database.ts';
import { UnsafeNumberError } from './postgres-numbers.ts';

/**
 * Classes of SQLSTATE that mean that the server is unavailable, not that the statement is wrong: connections,
 * resources, operator intervention, system errors, internal errors, credentials, and a missing database.
 */
const UNAVAILABLE_CLASSES = new Set(['08', '28', '3D', '53', '57', '58', 'XX']);
/** The server, or the default of the session, accepts no changes. */
const READ_ONLY = '25006';
const LOCK_NOT_AVAILABLE = '55P03';
/** A read-only server, an idle or long transaction that was ended, a lock that was not available in time. */
const UNAVAILABLE_CODES = new Set([READ_ONLY, '25P03', '25P04', LOCK_NOT_AVAILABLE]);
const DEADLOCK = '40P01';
/** Serialization failure and deadlock: the whole transaction may succeed if it is run again. */
const RERUNNABLE_CODES = new Set(['40001', DEADLOCK]);
const FEATURE_NOT_SUPPORTED = '0A000';
/** The function of the server that finds stale plans. Unlike the message, its name is the same in every language. */
const PLAN_CHECK = 'RevalidateCachedQuery';
/**
 * After these, the server has closed the connection or may have: connections, an ended session, idle transaction or long
 * transaction, system and internal errors. The severity `FATAL` is translated.
 */
const ENDED_CONNECTION = /^(?:08|57P|58|XX|25P03$|25P04$)/;

/** Codes of Node for the certificate of a server whose authority it does not know. */
const UNKNOWN_AUTHORITY = /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_)/;

/** Code of Node for a certificate without the host name of the connection. */
const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';

/** The texts of `pg` and PgBouncer, which are not translated, for a statement that got no response in time. */
const NO_SERVER_CONNECTION = /^(?:Query read timeout|query_wait_timeout)/;

/** The server refused a statement. The error does not contain values, which the details of the server would quote. */
export class StatementError extends Error {
  override name = 'StatementError';
  /** The SQLSTATE, see appendix A of the PostgreSQL manual. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Whether the server rolled the transaction back for reasons outside it. */
export function isRerunnable(error: unknown): boolean {
  return error instanceof DatabaseError && (RERUNNABLE_CODES.has(error.code ?? '') || isStalePlan(error));
}

/** Whether a table of a prepared statement has changed, for example by the migration of a newer release. */
export function isStalePlan(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.code === FEATURE_NOT_SUPPORTED && error.routine === PLAN_CHECK
  );
}

/**
 * Whether the connection of an error can be used again. A read-only one cannot: a new connection may reach another
 * server, or a default that was changed since.
 */
export function isConnectionUsable(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  if (error.severity === 'FATAL' || ENDED_CONNECTION.test(error.code ?? '')) return false;
  return error.code !== READ_ONLY && !isStalePlan(error);
}

/** Whether an error of {@link translateError} means that others did not release their locks in time. */
export function isLockTimeout(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailableError && error.cause instanceof DatabaseError)) return false;
  return error.cause.code === LOCK_NOT_AVAILABLE || error.cause.code === DEADLOCK;
}

/** The error that callers get for an error of `pg`; `doing` completes the sentence "the database could not …". */
export function translateError(error: unknown, doing: string): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailableError) return error;
  if (error instanceof StatementError || error instanceof UnsafeNumberError) return error;
  if (error instanceof UnbindableValueError) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    if (!isRerunnable(error) && !UNAVAILABLE_CODES.has(code) && !UNAVAILABLE_CLASSES.has(code.slice(0, 2)))
      return new StatementError(error.message, code);
  }
  // All other errors concern the connection: refused, reset, ended, timed out.
  return new DatabaseUnavailableError(`the database could not ${doing}: ${messageOf(error)}`, {
    cause: error,
  });
}

/** Whether an error of the first statements of a connection means that a pooler has no connection to the server for it. */
export function hasNoServerConnection(error: unknown): boolean {
  return error instanceof Error && NO_SERVER_CONNECTION.test(error.message);
}

/**
 * As {@link translateError}, for an error of a new connection, including its first statements. A pooler lets clients sign in before it has a
 * connection to the server for them. `place` says where the server is, without the password.
 */
export function translateConnectError(error: unknown, place: string): unknown {
  if (!hasNoServerConnection(error)) return translateError(error, `be reached at ${place}`);
  return new DatabaseUnavailableError(
    `the database could not be reached at ${place}: signing in succeeded, but the first statement got no response. If there is a ` +
      'pooler, it probably has no free connection to the server (default_pool_size of PgBouncer, see docs/operating.md)',
    { cause: error },
  );
}

/** For a host with several addresses, `connect` throws one error for each address, without a message of its own. */
function messageOf(error: Error): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join(', ');
  const { code } = error as NodeJS.ErrnoException;
  if (code === OTHER_NAME)
    return `${error.message}. Use a name of the certificate in database_url, or sslmode=verify-ca with sslrootcert=FILE, which accepts other names`;
  if (code === LOCK_NOT_AVAILABLE)
    return `${error.message}. Another session holds the lock, such as "database copy", a migration or a person: see "Old transactions" in docs/troubleshooting.md`;
  if (!UNKNOWN_AUTHORITY.test(String(code))) return error.message;
  // Node’s message advises an option of its own, which this program does not have.
  const [reason] = error.message.split(';');
  return `${reason}. If you trust its authority, add sslrootcert=FILE to database_url, with the certificate of that authority`;
}
