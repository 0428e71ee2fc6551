import { type HalvesTreatment, parseJson } from '../../http/json-body.ts';
import { isObject } from '../../is-object.ts';
import { type InputError, invalidInput, ProblemError, pointerTo } from '../../problems/problem.ts';
import { decodePercent } from '../percent-encoding.ts';
import { agentErrors } from './rules/actor-rules.ts';
import { isIri, isUuid, parseTimestamp } from './rules/data-types.ts';
import { type JsonObject, VERSION_OF_1, VERSION_OF_2, type XapiVersion } from './xapi-types.ts';

/** A request to the store. Header names are in lower case. */
export interface LrsRequest {
  method: string;
  /** The path below the store's own, without leading or trailing slashes: `statements`, `activities/state`. */
  resource: string;
  query: ReadonlyMap<string, string>;
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
}

/** A response of the store. */
export interface LrsResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer | null;
}

/**
 * Maximum number of parameters in a query or form. No resource needs more, and parsing hundreds of thousands takes
 * seconds.
 */
const MAX_MEMBERS = 100;
/** Maximum length of an agent in a query. A form could otherwise contain millions of members, which take seconds. */
const MAX_AGENT_LENGTH = 65_536;
const JSON_TYPE = /^application\/json(?:$|[;\s])/i;
/** Courses of 2015 to 2017 send forms as plain text: browsers label a text so if the page names no other type. */
const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|text\/plain)(?:$|[;\s])/i;
/** Header fields that a form may contain. Its other fields are query parameters. */
const FORM_HEADERS = [
  'authorization',
  'x-experience-api-version',
  'content-type',
  'content-length',
  'if-match',
  'if-none-match',
  'accept',
  'accept-language',
  'accept-encoding',
];

/** Maximum length of a header field in a form: as long as real ones. Their readers expect no longer ones. */
const MAX_HEADER_LENGTH = 16_384;
/** Names of members in forms are not percent-encoded by any client. */
const AUTHORIZATION_MEMBER = /(?:^|&)authorization=([^&]*)/i;

/**
 * Parses a query or form.
 * @param text one character per byte
 * @throws {ProblemError} `invalid-request` if a parameter is repeated, or there are too many
 */
export function readQuery(text: string): Map<string, string> {
  if (text.split('&', MAX_MEMBERS + 1).length > MAX_MEMBERS) {
    throw new ProblemError('invalid-request', `The query or form has more than ${MAX_MEMBERS} members`);
  }
  const query = new Map<string, string>();
  for (const part of text.replace(/^\?/, '').split('&')) {
    if (part === '') continue;
    const [encodedName = ''] = part.split('=', 1);
    const name = decodePercent(encodedName);
    const value = decodePercent(part.slice(encodedName.length + 1));
    if (query.has(name))
      throw invalidInput([{ pointer: pointerTo('/query', name), detail: 'must not be repeated' }]);
    if (value.includes('\0')) {
      throw invalidInput([{ pointer: pointerTo('/query', name), detail: 'must not contain NUL characters' }]);
    }
    query.set(name, value);
  }
  return query;
}

/** Whether the request is sent as a form, for clients that cannot use every method and header field. */
export function isFormRequest(method: string, query: ReadonlyMap<string, string>): boolean {
  return method === 'POST' && query.has('method');
}

/** The method of a request that is sent as a form. */
export function methodInQuery(query: ReadonlyMap<string, string>): string {
  return query.get('method')?.toUpperCase() ?? '';
}

/**
 * The credential in a form, without decoding anything else; undefined if there is none.
 * @throws {ProblemError} `invalid-request`
 */
export function authorizationInForm(body: Buffer): string | undefined {
  const encoded = AUTHORIZATION_MEMBER.exec(body.toString('latin1'))?.[1];
  if (encoded === undefined) return undefined;
  assertHeaderLength('Authorization', encoded);
  return new URLSearchParams(`authorization=${encoded}`).get('authorization') ?? undefined;
}

/** @throws {ProblemError} `invalid-request` */
function assertHeaderLength(name: string, value: string): void {
  if (value.length <= MAX_HEADER_LENGTH) return;
  throw invalidInput([
    { pointer: pointerTo('/query', name), detail: `must have at most ${MAX_HEADER_LENGTH} characters` },
  ]);
}

/**
 * Returns the request that a form contains (xAPI 1.0.3, section 1.3 of "Communication"), and other requests unchanged.
 * @throws {ProblemError} `invalid-request`
 */
export function unwrapForm(request: LrsRequest): LrsRequest {
  if (!isFormRequest(request.method, request.query)) return request;
  if (request.query.size > 1) {
    throw new ProblemError(
      'invalid-request',
      'Apart from the method, the members of the query must be in the form',
    );
  }
  const contentType = request.headers['content-type'];
  if (contentType !== undefined && !FORM_TYPE.test(contentType)) {
    throw new ProblemError('invalid-request', 'A request with a method in its query must be a form');
  }
  const query = readQuery(request.body.toString('latin1'));
  const headers = { ...request.headers };
  delete headers['content-type'];
  delete headers['content-length'];
  for (const [name, value] of [...query]) {
    if (!FORM_HEADERS.includes(name.toLowerCase())) continue;
    assertHeaderLength(name, value);
    headers[name.toLowerCase()] = value;
    query.delete(name);
  }
  const content = query.get('content');
  query.delete('content');
  const method = methodInQuery(request.query);
  if (/^2\.0/.test(headers['x-experience-api-version'] ?? '')) {
    throw new ProblemError('invalid-request', 'xAPI 2.0 has no requests in forms');
  }
  const carriesBody = method === 'PUT' || method === 'POST';
  if (carriesBody) {
    headers['content-type'] ??= 'application/json';
    if (content === undefined && isJsonType(headers['content-type'])) {
      throw new ProblemError('invalid-request', 'The form has no member named content');
    }
  }
  return { ...request, method, query, headers, body: Buffer.from(content ?? '') };
}

/** The xAPI version that a request specifies. @throws {ProblemError} `invalid-request` */
export function versionOf(headers: LrsRequest['headers']): XapiVersion {
  const version = headers['x-experience-api-version'] ?? '';
  if (VERSION_OF_1.test(version)) return '1.0.3';
  if (VERSION_OF_2.test(version)) return '2.0.0';
  throw new ProblemError(
    'invalid-request',
    version === ''
      ? 'The header field X-Experience-API-Version is missing'
      : 'The header field X-Experience-API-Version names an unsupported version; use 1.0.x or 2.0.x',
  );
}

/** Whether a media type is JSON. */
export function isJsonType(contentType: string): boolean {
  return JSON_TYPE.test(contentType);
}

/**
 * @param maxMembers maximum for all objects and arrays together
 * @throws {ProblemError} `malformed-json`, `invalid-request`
 */
export function readJson(body: Buffer, maxMembers: number, halves: HalvesTreatment): unknown {
  if (body.length === 0) throw new ProblemError('invalid-request', 'The body is missing');
  return parseJson(body, maxMembers, maxMembers, halves);
}

/** Reads query parameters one at a time, and reports all errors together at the end. */
export class QueryReader {
  readonly #query: ReadonlyMap<string, string>;
  readonly #ignored: ReadonlySet<string>;
  readonly #known = new Set<string>();
  readonly #errors: InputError[] = [];

  /** @param ignored names of parameters that no resource knows, but that are no errors */
  constructor(query: ReadonlyMap<string, string>, ignored: ReadonlySet<string> = new Set()) {
    this.#query = query;
    this.#ignored = ignored;
  }

  /** An optional parameter. */
  text(name: string): string | null {
    this.#known.add(name);
    return this.#query.get(name) ?? null;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === null) this.refuse(name, 'is required');
    return value ?? '';
  }

  iri(name: string, value: string | null = this.text(name)): string | null {
    const wrong = value === null ? null : isIri(value);
    if (wrong !== null) this.refuse(name, wrong);
    return value;
  }

  requiredIri(name: string): string {
    const value = this.required(name);
    if (value !== '') this.iri(name, value);
    return value;
  }

  uuid(name: string): string | null {
    const value = this.text(name);
    const wrong = value === null ? null : isUuid(value);
    if (wrong !== null) this.refuse(name, wrong);
    return value;
  }

  flag(name: string): boolean {
    return this.oneOf(name, ['true', 'false']) === 'true';
  }

  oneOf(name: string, values: readonly string[]): string | null {
    const value = this.text(name);
    if (value !== null && !values.includes(value)) this.refuse(name, `must be one of ${values.join(', ')}`);
    return value;
  }

  count(name: string): number | null {
    const value = this.text(name);
    if (value === null) return null;
    if (!/^\d{1,9}$/.test(value)) this.refuse(name, 'must be a whole number');
    return Number(value);
  }

  moment(name: string): number | null {
    const value = this.text(name);
    if (value === null) return null;
    const moment = parseTimestamp(value);
    if (moment === null) this.refuse(name, 'must be a date and time as in RFC 3339');
    return moment;
  }

  agent(name: string): JsonObject | null {
    const value = this.text(name);
    if (value === null) return null;
    if (value.length > MAX_AGENT_LENGTH) {
      this.refuse(name, `must have at most ${MAX_AGENT_LENGTH} characters`);
      return null;
    }
    let agent: unknown;
    try {
      agent = parseJson(Buffer.from(value), undefined, undefined, 'replace');
    } catch {
      this.refuse(name, 'must be an agent in JSON');
      return null;
    }
    this.#errors.push(...agentErrors(agent, pointerTo('/query', name)));
    // If it is not an object, the error was already reported.
    return isObject(agent) ? agent : null;
  }

  requiredAgent(name: string): JsonObject {
    if (this.text(name) === null) this.refuse(name, 'is required');
    return this.agent(name) ?? {};
  }

  /** Reports all errors, including parameters that were not read. @throws {ProblemError} `invalid-request` */
  end(): void {
    for (const name of this.#query.keys())
      if (!this.#known.has(name) && !this.#ignored.has(name)) this.refuse(name, 'is not a known member');
    if (this.#errors.length > 0) throw invalidInput(this.#errors);
  }

  /** Records an error in a parameter. */
  refuse(name: string, detail: string): void {
    this.#errors.push({ pointer: pointerTo('/query', name), detail });
  }
}
