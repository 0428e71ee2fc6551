import { serviceAddress } from './addresses.ts';
import { isUnattended } from './attention.ts';
import { ApiError, HTTP_NOT_FOUND, isNotFound, PROBLEM_TYPE, UnreachableError } from './errors.ts';
import { assertOwnSession } from './own-session.ts';

/** The time limit of a response. Uploads have no such limit: see upload.ts. */
const DEADLINE_MS = 30_000;
/** The time limit of a deletion of a record with all that belongs to it: hundreds of thousands of records take minutes. */
export const LONG_DELETION_MS = 600_000;
const HTTP_NO_CONTENT = 204;
const HTTP_NOT_MODIFIED = 304;
/** Signing in and out. */
const SESSION = '/ui/api/session';
/** Number of cached responses. The service does not send them again while they are unchanged. */
const MAX_KEPT = 60;
/** Clocks that differ by less are considered equal. */
const CLOCK_TOLERANCE_MS = 2_500;
/** Milliseconds that the service's clock is ahead, as far as known. */
let knownAhead = 0;

/** What a request can carry. */
export interface RequestOptions {
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** The `ETag` that was read, or null: the change is rejected (412) if someone else has changed the record since. */
  ifMatch?: string | null;
  /** See newIdempotencyKey. */
  idempotencyKey?: string;
  /** The time limit of the response, for calls that wait for another system. */
  deadlineMs?: number;
}

/** A record, with the `ETag` that a change sends back as `ifMatch`. */
export interface Read<T> {
  record: T;
  etag: string | null;
}

/** A response, and the difference between the clock of the service and this one. */
export interface Timed<T> {
  record: T;
  /** Milliseconds that the service's clock is ahead; 0 if they nearly agree. */
  clockAhead: number;
}

/** A key for one creation. Send the same one again after a lost response. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/**
 * Sends a request to the service. The browser adds the cookie of the session.
 * @throws {ApiError} if the response is a problem; {UnreachableError} if there is no response
 */
export async function request<T = void>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  return (await send<T>(method, path, options)).record;
}

/**
 * Deletes a record. Succeeds if it no longer exists: someone else has deleted it, or the service has finished a deletion
 * after a proxy stopped waiting.
 */
export async function deleteIfPresent(
  path: string,
  options: Pick<RequestOptions, 'deadlineMs'> = {},
): Promise<void> {
  try {
    await request('DELETE', path, options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Reads a record with its `ETag`. Throws the same errors as `request`. */
export async function readRecord<T>(path: string, signal?: AbortSignal): Promise<Read<T>> {
  const { record, etag } = await send<T>('GET', path, { signal });
  return { record, etag };
}

/** Replaces a record, and returns it with its new `ETag`. Throws the same errors as `request`. */
export async function replaceRecord<T>(path: string, options: RequestOptions): Promise<Read<T>> {
  const { record, etag } = await send<T>('PUT', path, options);
  return { record, etag };
}

/** Like `request`, for records with times in the near future. */
export async function requestTimed<T>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Timed<T>> {
  const { record, date } = await send<T>(method, path, options);
  return { record, clockAhead: clockAhead(date) };
}

/** The record of a timed response: what a poll of it compares. */
export function recordOf<T>({ record }: Timed<T>): T {
  return record;
}

/** The latest responses by path, the oldest first. */
const kept = new Map<string, { tag: string; body: unknown }>();

function keep(path: string, tag: string | null, body: unknown): void {
  kept.delete(path);
  // Strong tags are revisions of records, which do not cover every member.
  if (tag?.startsWith('W/') !== true) return;
  kept.set(path, { tag, body });
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}

async function send<T>(
  method: string,
  path: string,
  options: RequestOptions,
): Promise<Read<T> & { date: string | null }> {
  if (method !== 'GET' && path !== SESSION) assertOwnSession();
  const deadline = AbortSignal.timeout(options.deadlineMs ?? DEADLINE_MS);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  if (options.ifMatch != null) headers['if-match'] = options.ifMatch;
  if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey;
  // The service ends the session of a page that nobody uses.
  if (method === 'GET' && isUnattended()) headers['coursewire-unattended'] = '1';
  const cached = method === 'GET' ? kept.get(path) : undefined;
  if (cached !== undefined) headers['if-none-match'] = cached.tag;
  let response: Response;
  let text: string;
  try {
    response = await fetch(serviceAddress(path), {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal: options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]),
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    text = response.status === HTTP_NO_CONTENT ? '' : await response.text();
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    throw new UnreachableError(error);
  }
  const date = response.headers.get('date');
  const tag = unchangedByProxies(response.headers.get('etag'));
  if (cached !== undefined && response.status === HTTP_NOT_MODIFIED)
    return { record: cached.body as T, etag: tag, date };
  const body = parsed(text);
  if (!response.ok) throw problemFrom(response.status, body, response.headers.get('retry-after'));
  if (method === 'GET') keep(path, tag, body);
  return { record: body as T, etag: tag, date };
}

/** The tag of a revision as the service sent it: a proxy that compresses the response makes `"3"` weak or `"3-gzip"`. */
function unchangedByProxies(tag: string | null): string | null {
  return tag === null ? null : tag.replace(/^(?:W\/)?"(\d{1,15})(?:[-;](?:gzip|br|deflate|zstd))?"$/, '"$1"');
}

/**
 * From the header field `Date`, which has a precision of one second and is as old as its response. A small difference from
 * what is known changes nothing, so that a countdown does not jump.
 */
function clockAhead(date: string | null): number {
  const measured = Date.parse(date ?? '') - Date.now();
  if (Math.abs(measured - knownAhead) > CLOCK_TOLERANCE_MS) knownAhead = measured;
  return knownAhead;
}

/**
 * The error for an unsuccessful response. A 502, 503 or 504 of a proxy means that the service did not respond. Its 404
 * also means that, because it sends one while the service is being replaced. The service itself reports a missing
 * record with a problem. Proxies send problems of other types.
 */
export function problemFrom(status: number, body: unknown, retryAfter: string | null): Error {
  const isProblemBody = typeof body === 'object' && body !== null;
  const isOfProxy =
    status === HTTP_NOT_FOUND ? !isOwnProblem(body) : !isProblemBody && status >= 502 && status <= 504;
  if (isOfProxy) return new UnreachableError(`status ${status}`);
  const seconds = Number(retryAfter ?? Number.NaN);
  return new ApiError(
    status,
    isProblemBody ? (body as Record<string, unknown>) : {},
    Number.isFinite(seconds) ? seconds : null,
  );
}

function isOwnProblem(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('type' in body)) return false;
  return typeof body.type === 'string' && body.type.startsWith(PROBLEM_TYPE);
}

/** JSON, or undefined for anything else. */
export function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
