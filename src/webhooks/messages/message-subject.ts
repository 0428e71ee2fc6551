/**
 * Maximum length of a message that is parsed. Longer ones name only their account, because their list of content may
 * be very long.
 */
const MAX_PARSED_LENGTH = 32_768;
const ACCOUNT_OF_LONG = /"resource":\{"account":(\{"id":\d+,"name":"(?:[^"\\]|\\.){0,1000}")/;

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
    content?: { course?: Named; folder?: { contents?: (Named & { type?: unknown })[] } };
    registration?: { learner_id?: unknown; registration_id?: unknown };
  };
}

interface Named {
  id?: unknown;
  name?: unknown;
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
  const first = named(contents[0]);
  return {
    account: named(account),
    course: named(content?.course),
    learner_id: text(registration?.learner_id),
    registration_id: text(registration?.registration_id),
    content: first === null ? null : { type: text(contents[0]?.type) ?? '', ...first },
    content_count: contents.length,
  };
}

function subjectOfLong(body: string): MessageSubject {
  const found = ACCOUNT_OF_LONG.exec(body)?.[1];
  return {
    account: found === undefined ? null : named(parse(`${found}}`) as Named),
    course: null,
    learner_id: null,
    registration_id: null,
    content: null,
    content_count: 0,
  };
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

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
