import type { IncomingHttpHeaders } from 'node:http';
import { isSubtopic, type Subtopic } from '../src/events/catalogue.ts';
import type {
  AccountResource,
  BundleResource,
  CourseResource,
  FolderResource,
  RegistrationResource,
  RegistrationStatusResource,
} from '../src/events/event.ts';
import type { Attempt, Target } from './targets.ts';

/** A postback's body. */
export interface Message {
  readonly subtopic: Subtopic;
  readonly timestamp: string;
  readonly user: string;
  readonly resource: Resource;
}

interface Resource {
  readonly account?: AccountResource;
  readonly content?: {
    readonly course?: CourseResource;
    readonly folder?: FolderResource;
    readonly bundle?: BundleResource;
  };
  readonly registration?: RegistrationResource & Partial<RegistrationStatusResource>;
}

/** A request that a target received. */
export interface Arrival extends Attempt {
  readonly target: Target;
  /** Null if the target responded without reading it. */
  readonly message: Message | null;
  readonly headers: IncomingHttpHeaders;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The message in a body, or null if it has none. */
export function readMessage(body: unknown): Message | null {
  if (typeof body !== 'object' || body === null) return null;
  const { subtopic, timestamp, user, resource } = body as Record<keyof Message, unknown>;
  const isMessage =
    isSubtopic(subtopic) &&
    typeof timestamp === 'string' &&
    typeof user === 'string' &&
    typeof resource === 'object';
  return isMessage ? (body as Message) : null;
}

/** The subject of a message, in a few words, without control characters for the terminal. */
export function essenceOf({ resource }: Message): string {
  const { account, content, registration } = resource;
  const parts: string[] = [];
  if (registration !== undefined) parts.push(statusOf(registration));
  if (content?.course !== undefined) {
    const { name, version_id, learning_standard, location } = content.course;
    parts.push(`${name} v${version_id}, ${learning_standard}, ${location}`);
  } else if (content?.bundle !== undefined)
    parts.push(`bundle ${content.bundle.name}, ${content.bundle.location}`);
  else if (content?.folder !== undefined) {
    const { contents, name, location } = content.folder;
    const path = location === '' ? name : `${location} > ${name}`;
    const added = contents.map(({ name, type }) => `${type.toLowerCase()} ${name}`);
    parts.push([...added, path].join(', '));
  }
  if (account !== undefined && parts.length > 0) parts.push(account.name);
  else if (account !== undefined) parts.push(`${account.name}, ${account.enabled ? 'active' : 'inactive'}`);
  return parts.join(' · ').replaceAll(/\p{Cc}/gu, '�');
}

function statusOf(registration: RegistrationResource & Partial<RegistrationStatusResource>): string {
  const { learner_id: learner, completion, success, score } = registration;
  if (completion === undefined) return learner;
  return `${learner}: ${completion}, ${success}${score == null ? '' : `, score ${score}`}`;
}
