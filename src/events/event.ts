import type { AssetType, ContentType, Subtopic } from './catalogue.ts';

/** `resource.account` of a message. */
export interface AccountResource {
  id: number;
  name: string;
  enabled: boolean;
}

/** `resource.content.course` of a message. */
export interface CourseResource {
  id: number;
  name: string;
  /** 0 at import, then counting up. */
  version_id: number;
  learning_standard: string;
  /** Folder names from the root, joined with ` > `. */
  location: string;
}

/** An entry of resource.content.folder.contents. */
export interface FolderContent {
  type: AssetType;
  id: number;
  name: string;
}

/** `resource.content.folder` of a message. */
export interface FolderResource {
  id: number;
  name: string;
  /** The path of its parent folder, without its own name. Empty for the root. */
  location: string;
  contents: FolderContent[];
}

/** `resource.content.bundle` of a message. */
export interface BundleResource {
  id: number;
  name: string;
  location: string;
}

/** `resource.registration` of a message. */
export interface RegistrationResource {
  account_id: number;
  registration_id: string;
  course_id: number;
  learner_id: string;
}

/** `resource.registration` of a status update. `score` is 0–100, `duration` whole seconds. */
export interface RegistrationStatusResource extends RegistrationResource {
  completion: string;
  success: string;
  score: number | null;
  duration: number;
  completion_dt: string | null;
}

interface AccountEventResource {
  account: AccountResource;
}

interface AccountContentEventResource {
  account: AccountResource;
  content: { course?: CourseResource; folder: FolderResource; bundle?: BundleResource };
}

interface CourseEventResource {
  content: { course: CourseResource };
}

interface RegistrationLaunchedResource {
  account: AccountResource;
  content: { course: CourseResource };
  registration: RegistrationResource;
}

interface RegistrationStatusUpdatedResource {
  account: AccountResource;
  content: { course: CourseResource };
  registration: RegistrationStatusResource;
}

/** The members of `resource`, by subtopic, in the order in which they are sent. */
export interface EventResources {
  ACCOUNT_CREATED: AccountEventResource;
  ACCOUNT_ACTIVATION_UPDATED: AccountEventResource;
  ACCOUNT_DELETED: AccountEventResource;
  CONTENT_ADDED_TO_ACCOUNT: AccountContentEventResource;
  CONTENT_REMOVED_FROM_ACCOUNT: AccountContentEventResource;
  COURSE_IMPORTED: CourseEventResource;
  COURSE_VERSION_UPLOADED: CourseEventResource;
  COURSE_VERSION_PUBLISHED: CourseEventResource;
  REGISTRATION_LAUNCHED: RegistrationLaunchedResource;
  REGISTRATION_STATUS_UPDATED: RegistrationStatusUpdatedResource;
}

/** An asset that a content focus may name. */
export interface ContentReference {
  type: ContentType;
  id: number;
}

/** Something that happened to the service's content, of one subtopic. */
export interface EventOf<S extends Subtopic> {
  subtopic: S;
  /** Who did it: an administrator's or API client's e-mail address, or a learner's id. */
  user: string;
  resource: EventResources[S];
  /** The account that an account focus must match; null if the event concerns none. */
  accountId: number | null;
  /**
   * What a content focus must match one of: the assets themselves and everything that contains them. With a registration
   * for an equivalent, the equivalent is the first.
   */
  content: readonly ContentReference[];
}

/** An event of any subtopic. */
export type ServiceEvent = { [S in Subtopic]: EventOf<S> }[Subtopic];

/** Takes events inside the transaction of the change that caused them. `Tx` is the database's transaction. */
export interface EventPublisher<Tx> {
  /**
   * Takes all events of a change, in their order; a transaction publishes once. All of them get one timestamp, which is
   * drawn here: where the change has its place in the order of events.
   */
  publish(tx: Tx, ...events: readonly ServiceEvent[]): Promise<void>;
}
