import { type AssetType, CONTENT_TYPES, type ContentType } from '../../events/catalogue.ts';
import type {
  AccountResource,
  BundleResource,
  ContentReference,
  CourseResource,
  FolderResource,
  RegistrationResource,
  RegistrationStatusResource,
  ServiceEvent,
} from '../../events/event.ts';
import { parseIds } from './id-ranges.ts';

/** `resource` of any event; each subtopic has some of the members. */
export interface AnyResource {
  account?: AccountResource;
  content?: { course?: CourseResource; folder?: FolderResource; bundle?: BundleResource };
  registration?: RegistrationResource | RegistrationStatusResource;
}

/** The content of an event, as in its messages. */
export interface EventText {
  subtopic: ServiceEvent['subtopic'];
  resource: AnyResource;
  user: string;
}

/** An event of the log. */
export interface StoredEvent extends EventText {
  id: number;
  /** Epoch milliseconds. */
  occurredAt: number;
  /** The common part of its messages, as it is stored. */
  shared: string;
  sharedId: number | null;
  /** The assets that content focuses are matched with. */
  focused: ContentReference[];
  /** The webhooks that matched, by ascending id; null if the webhooks service was disabled. */
  matched: number[] | null;
  /** Further webhooks to which it was replayed, by ascending id. */
  replayed: number[];
}

/** An event whose text cannot be read. */
export interface UnreadableEvent {
  id: number;
  /** Epoch milliseconds. */
  occurredAt: number;
  /** Why, as the end of a sentence. */
  reason: string;
}

/** Whether an event cannot be read. */
export function isUnreadable(event: StoredEvent | UnreadableEvent): event is UnreadableEvent {
  return 'reason' in event;
}

/** A row of the log with its whole body. */
export interface WholeEventRow {
  id: number;
  occurred_at: number;
  shared_body_id: number | null;
  focused: string;
  matched: string | null;
  replayed: string;
}

const TYPE_OF_LETTER = new Map(CONTENT_TYPES.map((type): [string, ContentType] => [type[0]!, type]));

/** References to assets as text. */
export function formatReferences(references: readonly ContentReference[]): string {
  return references.map(({ type, id }) => `${type[0]}${id}`).join(' ');
}

/** The references in such a text. */
function parseReferences(text: string): ContentReference[] {
  if (text === '') return [];
  return text.split(' ').map((each) => ({
    type: TYPE_OF_LETTER.get(each[0]!)!,
    id: Number(each.slice(1)),
  }));
}

/** An event from its row and the common part of its messages. */
export function toStoredEvent(row: WholeEventRow, shared: string): StoredEvent {
  const { subtopic, resource, user } = JSON.parse(`{${shared}}`) as EventText;
  return {
    id: row.id,
    occurredAt: row.occurred_at,
    subtopic,
    resource,
    user,
    shared,
    sharedId: row.shared_body_id,
    focused: parseReferences(row.focused),
    matched: row.matched === null ? null : parseIds(row.matched),
    replayed: parseIds(row.replayed),
  };
}

/** The courses, equivalents and bundles that an event is about. */
export function contentOf({ content }: AnyResource): { type: AssetType; id: number; name: string }[] {
  if (content === undefined) return [];
  if (content.folder !== undefined) return content.folder.contents;
  return content.course === undefined
    ? []
    : [{ type: 'COURSE', id: content.course.id, name: content.course.name }];
}

/** The equivalent that the registration of an event is for; null if there is none. Its messages do not name it. */
export function equivalentOf({
  resource,
  focused,
}: Pick<StoredEvent, 'resource' | 'focused'>): number | null {
  const [first] = focused;
  return resource.registration !== undefined && first?.type === 'EQUIVALENT' ? first.id : null;
}
