/** Maximum length of a message that is parsed. The list of content of longer ones may be very long, and is searched. */
const MAX_PARSED_LENGTH = 32_768;
const ACCOUNT_OF_LONG = /"resource":\{"account":(\{"id":\d+,"name":"(?:[^"\\]|\\.){0,1000}")/;
const FIRST_CONTENT_OF_LONG = /"contents":\[(\{"type":"[A-Z]+","id":\d+,"name":"(?:[^"\\]|\\.){0,1000}"\})/;
/** How each asset begins. No text contains this, because its quotation marks would be escaped. */
const CONTENT_BEGINS = '{"type":"';

/** Whom and what a message is about, in short. */
export interface MessageSubject {
  account: { id: number; name: string } | null;
  course: { id: number; name: string } | null;
  learner_id: string | null;
  registration_id: string | null;
  /** The first of the assets that were added to an account or removed from it. */
  content: { type: string; id: number; name: string } | null;
  /** The number of these assets. */
  content_count: number;
}

interface Message {
  resource?: {
    account?: Named;
    content?: { course?: Named; folder?: { contents?: Asset[] } };
    registration?: { learner_id?: unknown; registration_id?: unknown };
  };
}

interface Named {
  id?: unknown;
  name?: unknown;
}

interface Asset extends Named {
  type?: unknown;
}

/**
 * Whom and what a message is about. Members that cannot be read are null, so that a history with messages of another
 * program can be listed.
 * @param body the message as it is sent
 */
export function messageSubject(body: string): MessageSubject {
  if (body.length > MAX_PARSED_LENGTH) return subjectOfLong(body);
  const { account, content, registration } = parse(body).resource ?? {};
  const contents = content?.folder?.contents ?? [];
  return {
    account: named(account),
    course: named(content?.course),
    learner_id: text(registration?.learner_id),
    registration_id: text(registration?.registration_id),
    content: asset(contents[0]),
    content_count: contents.length,
  };
}

function subjectOfLong(body: string): MessageSubject {
  const account = ACCOUNT_OF_LONG.exec(body)?.[1];
  const first = FIRST_CONTENT_OF_LONG.exec(body);
  return {
    account: account === undefined ? null : named(parse(`${account}}`) as Named),
    course: null,
    learner_id: null,
    registration_id: null,
    content: first === null ? null : asset(parse(first[1]!) as Asset),
    content_count: first === null ? 0 : countFrom(body, first.index),
  };
}

function countFrom(body: string, start: number): number {
  let count = 0;
  for (let at = body.indexOf(CONTENT_BEGINS, start); at !== -1; at = body.indexOf(CONTENT_BEGINS, at + 1))
    count += 1;
  return count;
}

function parse(body: string): Message {
  try {
    return (JSON.parse(body) ?? {}) as Message;
  } catch {
    return {};
  }
}

function named(value: Named | undefined): { id: number; name: string } | null {
  if (typeof value?.id !== 'number' || !Number.isInteger(value.id) || typeof value.name !== 'string')
    return null;
  return { id: value.id, name: value.name };
}

function asset(value: Asset | undefined): MessageSubject['content'] {
  const found = named(value);
  return found === null ? null : { type: text(value?.type) ?? '', ...found };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
