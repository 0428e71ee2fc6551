import { shortened } from '../../observability/shortened.ts';
import { LOWEST_FAILURE_STATUS } from '../history/postback-failure.ts';

/** The longest explanation, in characters. */
const MAX_LENGTH = 200;
/** Members of JSON bodies in which targets usually say what went wrong, the most specific ones first. */
const MEMBERS = [
  'detail',
  'message',
  'error_description',
  'reason',
  'error',
  'title',
  'description',
] as const;
/** How deep such members are searched for: `{ "errors": [{ "error": { "message": … } }] }`. */
const MAX_DEPTH = 4;
const LOOKS_LIKE_MARKUP = /^\s*</;
const TITLE = /<title[^>]{0,200}>([^<]{1,400})</i;
/** The entities of HTML that occur in titles, and the characters that they are in place of. */
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;
const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};
const MAX_CODE_POINT = 0x10_ff_ff;
const BYTE_ORDER_MARK = /^\uFEFF/;
/** In place of bytes that were not text. */
const REPLACEMENT = /\uFFFD/g;
/** A text may have this many replacement characters, or this share of them. Compressed bodies have more. */
const MAX_REPLACEMENTS = 2;
const MAX_REPLACED_SHARE = 0.1;

/** A failed attempt, as its target may explain it. */
export interface ExplainedFailure {
  /** Null without a response. */
  readonly status: number | null;
  /** The body of the response; null without a response. */
  readonly body: string | null;
  /** Why the attempt failed (`403 Forbidden`); null if it is not known. */
  readonly reason: string | null;
}

/**
 * The explanation of a failure in the body of a target's response, as one short line. It is a member such as `message`
 * of a JSON body, the title of a page, or plain text. Null if the body says nothing that the reason does not say. If
 * only the rest of a successful response is missing, the body does not explain the failure.
 * @param censored removes secrets from a text before it is shortened
 */
export function responseExplanation(
  { status, body, reason }: ExplainedFailure,
  censored: (text: string) => string = (text) => text,
): string | null {
  if (body === null || status === null || status < LOWEST_FAILURE_STATUS) return null;
  const line = censored(saidInBody(body.replace(BYTE_ORDER_MARK, '')))
    .slice(0, MAX_LENGTH * 2)
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  if (line === '' || !isReadable(line)) return null;
  if (
    censored(reason ?? '')
      .toLowerCase()
      .includes(line.toLowerCase())
  )
    return null;
  return shortened(line, MAX_LENGTH);
}

function saidInBody(body: string): string {
  if (LOOKS_LIKE_MARKUP.test(body)) return withoutEntities(TITLE.exec(body)?.[1] ?? '');
  return saidInJson(body) ?? body;
}

function withoutEntities(text: string): string {
  return text.replaceAll(ENTITY, (entity, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return NAMED_ENTITIES[name.toLowerCase()] ?? entity;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    const character = code > MAX_CODE_POINT ? entity : String.fromCodePoint(code);
    return character.isWellFormed() ? character : entity;
  });
}

/** Whether a line is text, and not for example compressed. */
function isReadable(line: string): boolean {
  const replacements = line.match(REPLACEMENT)?.length ?? 0;
  return replacements <= Math.max(MAX_REPLACEMENTS, line.length * MAX_REPLACED_SHARE);
}

/** The explanation in a JSON body; an empty text if there is none. Undefined if the body is no JSON. */
function saidInJson(body: string): string | undefined {
  if (!/^\s*["[{]/.test(body)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  return saidIn(value, MAX_DEPTH) ?? '';
}

function saidIn(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  if (typeof value !== 'object' || value === null || depth === 0) return null;
  if (Array.isArray(value)) return saidIn(value[0], depth - 1);
  const members = value as Record<string, unknown>;
  for (const name of MEMBERS) {
    const said = Object.hasOwn(members, name) ? saidIn(members[name], depth - 1) : null;
    if (said !== null) return said;
  }
  return Object.hasOwn(members, 'errors') ? saidIn(members.errors, depth - 1) : null;
}
