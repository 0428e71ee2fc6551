import { MIB } from '../../../bytes.ts';
import { commasIn, parseJson } from '../../../http/json-body.ts';
import { isObject } from '../../../is-object.ts';
import { ProblemError } from '../../../problems/problem.ts';
import { isJsonType } from '../lrs-request.ts';
import type { JsonObject } from '../xapi-types.ts';
import type { LrsDocument } from './document.ts';

/** Maximum size of a document. */
const MAX_DOCUMENT_BYTES = 4 * MIB;
/** Maximum number of members and items in a JSON document. Parsing and merging larger ones takes too long. */
export const MAX_DOCUMENT_MEMBERS = 50_000;
/** The beginning of a JSON object or array, one character a byte. It may follow a byte order mark. */
const BEGINS_AS_JSON = /^(?:\xef\xbb\xbf)?[\t\n\r ]*(?:\{[\t\n\r ]*["}]|\[[\t\n\r ]*[[{"\]\d\-tfn])/;

type Content = Pick<LrsDocument, 'contentType' | 'content'>;

/** @throws {ProblemError} `content-too-large` */
export function assertDocumentSize(content: Buffer): void {
  if (content.length <= MAX_DOCUMENT_BYTES) return;
  throw new ProblemError('content-too-large', `A document has at most ${MAX_DOCUMENT_BYTES} bytes`);
}

/**
 * Checks the limits of a JSON document that is stored as it was sent. Older courses also label other texts as JSON, in
 * which brackets and commas mean nothing. xAPI does not require that these are rejected.
 * @throws {ProblemError} `invalid-request`
 */
export function assertJsonLimits(content: Buffer): void {
  if (!BEGINS_AS_JSON.test(content.toString('latin1'))) return;
  try {
    parseJson(content, MAX_DOCUMENT_MEMBERS, MAX_DOCUMENT_MEMBERS, 'keep');
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'malformed-json') throw error;
  }
}

/**
 * Merges the members of a JSON object into those of a stored one, as a POST does.
 * @throws {ProblemError} `invalid-request`, `content-too-large`
 */
export function mergedContent(current: Content, sent: Content): Buffer {
  // Checked before parsing, because documents stored by earlier releases may exceed the limit.
  if (commasIn(current.content) + commasIn(sent.content) > MAX_DOCUMENT_MEMBERS) {
    throw new ProblemError(
      'content-too-large',
      `Documents that are merged have at most ${MAX_DOCUMENT_MEMBERS} members and items together; use PUT`,
    );
  }
  const isJson = isJsonType(sent.contentType) && isJsonType(current.contentType);
  const [before, now] = isJson ? [readObject(current.content), readObject(sent.content)] : [null, null];
  if (before === null || now === null) {
    throw new ProblemError('invalid-request', 'Only documents that are JSON objects can be merged; use PUT');
  }
  return Buffer.from(JSON.stringify({ ...before, ...now }));
}

/** Null if it is not a JSON object, even if it is labelled as JSON. */
export function readObject(content: Buffer): JsonObject | null {
  try {
    const value = parseJson(content, undefined, undefined, 'keep');
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
