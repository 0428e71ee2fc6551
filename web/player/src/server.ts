import type { LearningStatus } from '../../../src/player/attempts/attempt.ts';
import type {
  PageResponse as AnyPageResponse,
  UnitInContents,
  UnitResponse,
  UnitsResponse,
} from '../../../src/player/page-responses.ts';
import type { ActivityTreeDefinition } from '../../../src/player/scorm/sequencing/activity-definition.ts';
import type { SequencingState } from '../../../src/player/scorm/sequencing/tracking.ts';
import { MOST_SLOWNESS, SLOW_BYTES_PER_MS } from '../../../src/player/slow-connection.ts';
import type { TimeLimit } from '../../../src/player/time-limit.ts';
import { SECOND_MS } from '../../../src/time/units.ts';

/** Requests of the page to the server, below the launch's token. */

export type { TimeLimit, UnitsResponse };
/** What a page starts with. */
export interface PageResponse extends AnyPageResponse {
  sequencing: { tree: ActivityTreeDefinition; state: SequencingState | null } | null;
}
/** The recorded result of a unit or of the whole course. */
export type Result = LearningStatus;
/** A unit of the course, as the table of contents shows it. */
export type Unit = UnitInContents;
/** How the page opens a unit. */
export type UnitStart = UnitResponse;

/**
 * Why a page records nothing any longer. `over`: the launch has expired, or is not valid any more. `outdated`: the
 * registration plays another version.
 */
export type End = 'superseded' | 'reset' | 'over' | 'outdated' | 'deleted';

/** A response that reports a failure. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  /** What the service says about it; empty if it says nothing. */
  readonly text: string;

  constructor(status: number, text = '') {
    super(`the service responded with ${status}`);
    this.status = status;
    this.text = text;
  }
}

/** How often a request is sent again that came while too many others were waiting. */
const MAX_TRIES = 10;
/** The service asks for at most this. Something in front of it may ask for an hour, which no learner waits. */
const LONGEST_WAIT_S = 5;
export const OK = 200;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const REQUEST_TIMEOUT = 408;
/** The status of a write after another page has superseded this one, or the attempt was reset. Also of a closed unit. */
export const CONFLICT = 409;
const GONE = 410;
const TOO_MANY_REQUESTS = 429;
/** The status of a service that cannot be reached now. */
export const UNAVAILABLE = 503;

/** How long a request waits for its response, or for more of it. A lost connection may otherwise wait for minutes. */
const DEADLINE_MS = 20_000;

/**
 * How long a request of this size waits for its response, in milliseconds. A large body takes longer to send. The
 * service gives it more time than this.
 * @param slowness how many times slower than usual the connection may be, up to {@link MOST_SLOWNESS}
 */
export function sendingMs(bytes: number, slowness = 1): number {
  return DEADLINE_MS + (Math.min(slowness, MOST_SLOWNESS) * bytes) / SLOW_BYTES_PER_MS;
}

/** The service's response to a request. */
export interface ServiceResponse {
  status: number;
  text: string;
  retryAfter: string | null;
}

/**
 * Sends one request to the server, with a deadline.
 * @param body null for a request that only reads
 * @param options.aborter ends the request before its deadline
 * @param options.slowness as of {@link sendingMs}
 * @throws {Error} without a response
 */
export async function send(
  path: string,
  body: string | null,
  {
    keepalive = false,
    aborter = new AbortController(),
    slowness = 1,
  }: { keepalive?: boolean; aborter?: AbortController; slowness?: number } = {},
): Promise<ServiceResponse> {
  let timer = setTimeout(() => aborter.abort(), sendingMs(byteLength(body ?? ''), slowness));
  const goOn = () => {
    clearTimeout(timer);
    timer = setTimeout(() => aborter.abort(), DEADLINE_MS);
  };
  try {
    const response = await fetch(`../${path}`, {
      method: body === null ? 'GET' : 'POST',
      headers: {
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        accept: 'application/json',
      },
      body,
      keepalive,
      signal: aborter.signal,
    });
    return {
      status: statusOf({ status: response.status, type: response.headers.get('content-type') }),
      text: await textOf(response, goOn),
      retryAfter: response.headers.get('retry-after'),
    };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The status of a response. Only the service itself can refuse a request. A proxy in front of it may respond with 404
 * while the service is being replaced. It may also say that its session has ended, or that a body is too large or looks
 * dangerous.
 * @param response.type its media type; null without one
 */
export function statusOf({ status, type }: { status: number; type: string | null }): number {
  if (!isRefusal(status)) return status;
  const isOfService =
    type?.startsWith('application/problem+json') ||
    // The outcome of a write of an older page.
    (status === CONFLICT && type?.startsWith('application/json'));
  return isOfService ? status : UNAVAILABLE;
}

/** Reads a body. The suspend data of a course may take long on a slow connection. @param onPart called at each part */
async function textOf({ body }: Response, onPart: () => void): Promise<string> {
  onPart();
  const watch = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform: (part, controller) => {
      onPart();
      controller.enqueue(part as Uint8Array<ArrayBuffer>);
    },
  });
  return await new Response(body?.pipeThrough(watch)).text();
}

/** The length of a text in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * Sends a request to the server.
 * @param maxTries how often it is sent if too many others are waiting
 * @throws {Refusal}, as of a service that cannot be reached if there is too long to wait
 * @throws {Error} without a response
 */
export async function post<T>(path: string, body: unknown = {}, maxTries = MAX_TRIES): Promise<T> {
  for (let tries = 1; ; tries++) {
    const { status, text, retryAfter } = await send(path, JSON.stringify(body));
    if (status >= 200 && status < 300) return JSON.parse(text) as T;
    if (status !== TOO_MANY_REQUESTS || tries === maxTries) throw new Refusal(status, text);
    const seconds = Number(retryAfter) || 1;
    if (seconds > LONGEST_WAIT_S) throw new Refusal(UNAVAILABLE);
    await new Promise((resolve) => setTimeout(resolve, seconds * SECOND_MS));
  }
}

/** Why the page records nothing any longer, after a request that failed; null if that may be only for now. */
export function endOf(error: unknown): End | null {
  if (!(error instanceof Refusal)) return null;
  const { status, text } = error;
  if (status === FORBIDDEN) return reasonOf(text) === 'reset' ? 'reset' : 'superseded';
  return endOfLaunch(status, text);
}

/** Why no write of the page is recorded any longer; null if the service rejects only this one, or cannot be reached. */
export function endOfWrites({ status, text }: Pick<ServiceResponse, 'status' | 'text'>): End | null {
  if (status === CONFLICT) {
    const outcome = reasonOf(text);
    return outcome === 'reset' || outcome === 'superseded' ? outcome : null;
  }
  return endOfLaunch(status, text);
}

/** Whether a unit did not open because its prerequisites are not met. */
export function isUnitClosed(error: unknown): boolean {
  return error instanceof Refusal && error.status === CONFLICT && reasonOf(error.text) === 'unit-closed';
}

function endOfLaunch(status: number, text: string): End | null {
  // The registration, its course or the unit was just deleted, and the service still knows the launch.
  if (status === NOT_FOUND) return 'deleted';
  if (status !== GONE) return null;
  const reason = reasonOf(text);
  return reason === 'deleted' || reason === 'outdated' ? reason : 'over';
}

/** The reason in a problem, or the outcome of a write. */
export function reasonOf(text: string): unknown {
  try {
    const { reason, outcome } = JSON.parse(text) as { reason?: unknown; outcome?: unknown };
    return reason ?? outcome;
  } catch {
    return null;
  }
}

/** Whether a status means that another try would also fail. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== REQUEST_TIMEOUT && status !== TOO_MANY_REQUESTS;
}
