import { randomUUID } from 'node:crypto';
import { ProblemError } from '../../../problems/problem.ts';

/** Bodies of type `multipart/mixed` (RFC 2046), in which statements with attachments are sent and returned. */

/** A part. Header names are in lower case. */
export interface Part {
  headers: Readonly<Record<string, string>>;
  content: Buffer;
}

const MAX_PARTS = 101;
const MAX_HEADER_BYTES = 8_192;
const LINE_END = Buffer.from('\r\n');
const HEADER_END = Buffer.from('\r\n\r\n');
/** RFC 2046 section 5.1.1. */
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const CONTROL = /[\0\r\n]/;

/**
 * Splits a body into its parts.
 * @throws {ProblemError} `invalid-request`
 */
export function readMultipart(contentType: string, body: Buffer): Part[] {
  const match = BOUNDARY.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw malformed('The Content-Type has no boundary');
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // So that a delimiter at the very start of the body is found too.
  const whole = Buffer.concat([LINE_END, body]);
  const parts: Part[] = [];
  let at = whole.indexOf(delimiter);
  while (at >= 0) {
    let from = at + delimiter.length;
    if (whole.subarray(from, from + 2).toString('latin1') === '--') return parts;
    while (whole[from] === 0x20 || whole[from] === 0x09) from += 1;
    if (!whole.subarray(from, from + LINE_END.length).equals(LINE_END)) {
      throw malformed('A boundary of the multipart body is followed by something else');
    }
    const next = whole.indexOf(delimiter, from);
    if (next < 0) break;
    if (parts.length === MAX_PARTS) throw malformed(`The body has more than ${MAX_PARTS} parts`);
    parts.push(readPart(whole.subarray(from, next)));
    at = next;
  }
  throw malformed('The multipart body does not end with its boundary');
}

/** @param bytes start with the line end of the delimiter */
function readPart(bytes: Buffer): Part {
  const end = bytes.indexOf(HEADER_END);
  if (end < 0 || end > MAX_HEADER_BYTES)
    throw malformed('A part of the multipart body has no end of its header');
  const headers: Record<string, string> = {};
  for (const line of bytes
    .toString('latin1', LINE_END.length, Math.max(end, LINE_END.length))
    .split('\r\n')) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    if (!HEADER_NAME.test(name) || CONTROL.test(line))
      throw malformed('A header field of a part is malformed');
    headers[name.toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { headers, content: bytes.subarray(end + HEADER_END.length) };
}

/** Joins parts into a body, with its `Content-Type`. */
export function writeMultipart(parts: readonly Part[]): { contentType: string; body: Buffer } {
  const boundary = `coursewire-${randomUUID()}`;
  const pieces = parts.flatMap(({ headers, content }) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return [Buffer.from(`--${boundary}\r\n${lines.join('')}\r\n`), content, LINE_END];
  });
  return {
    contentType: `multipart/mixed; boundary=${boundary}`,
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

function malformed(detail: string): ProblemError {
  return new ProblemError('invalid-request', detail);
}
