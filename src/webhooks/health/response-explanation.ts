import { shortened } from '../../observability/shortened.ts';

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

/**
 * What a target says about a failure in the body of its response, as one short line. It is a member such as `message`
 * of a JSON body, the title of a page, or plain text. Null if the body says nothing.
 * @param censored removes secrets from a text before it is shortened
 */
export function responseExplanation(
  body: string | null,
  censored: (text: string) => string = (text) => text,
): string | null {
  if (body === null) return null;
  const text = LOOKS_LIKE_MARKUP.test(body) ? (TITLE.exec(body)?.[1] ?? '') : (saidInJson(body) ?? body);
  const line = censored(text)
    .slice(0, MAX_LENGTH * 2)
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  if (line === '') return null;
  return shortened(line, MAX_LENGTH);
}

/** What a JSON body says; an empty text if it says nothing. Undefined if the body is no JSON. */
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
