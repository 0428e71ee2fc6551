import type { Generated } from 'kysely';

/**
 * The rows of every table, as both engines hold them. Moments are integer milliseconds since the epoch,
 * flags are 0 or 1, JSON is text; what is null is said where it is.
 */
export interface Tables {
  api_clients: ApiClientRow;
  service_secrets: ServiceSecretRow;
  administrators: AdministratorRow;
  administrator_sessions: AdministratorSessionRow;
  setup_links: SetupLinkRow;
  guess_budgets: GuessBudgetRow;
  accounts: AccountRow;
  folders: FolderRow;
  courses: CourseRow;
  course_versions: CourseVersionRow;
  equivalents: EquivalentRow;
  equivalent_courses: EquivalentCourseRow;
  bundles: BundleRow;
  bundle_contents: BundleContentRow;
  account_contents: AccountContentRow;
  registrations: RegistrationRow;
  player_launches: PlayerLaunchRow;
  player_attempts: PlayerAttemptRow;
  player_units: PlayerUnitRow;
  idempotency_keys: IdempotencyKeyRow;
  webhooks: WebhookRow;
  webhook_subtopics: WebhookSubtopicRow;
  webhook_focuses: WebhookFocusRow;
  webhook_triggers: WebhookTriggerRow;
  webhook_statistics: WebhookStatisticsRow;
  webhook_trends: WebhookTrendRow;
  event_trends: EventTrendRow;
  deliveries: DeliveryRow;
  delivery_attempts: DeliveryAttemptRow;
  listed_deliveries: ListedDeliveryRow;
  delivery_listing: DeliveryListingRow;
  queue_lines: QueueLineRow;
  queue_messages: QueueMessageRow;
  shared_bodies: SharedBodyRow;
  queue_dead_letters: QueueDeadLetterRow;
  task_leases: TaskLeaseRow;
  instances: InstanceRow;
}

export interface ApiClientRow {
  client_id: string;
  name: string;
  /** Stands as `user` in the messages of events that the client causes. */
  email: string;
  /** Space-separated, as in OAuth. */
  scopes: string;
  /** SHA-256 of the secret, hexadecimal: secrets are 256 random bits, which no dictionary holds. */
  secret_hash: string;
  enabled: number;
  /** Tokens carry it; raising it ends those that were given out. */
  token_generation: number;
  created_at: number;
  last_used_at: number | null;
  /** Counts the changes of what is said of it. */
  revision: number;
}

/** An instance that runs on the database. */
export interface InstanceRow {
  /** Made at its start. */
  instance: string;
  host_name: string;
  /** JSON: what it holds of the settings that all instances must share. */
  settings: string;
  seen_at: number;
}

export interface ServiceSecretRow {
  name: string;
  value: string;
}

export interface AdministratorRow {
  id: Generated<number>;
  /** As it was given: `user` in the messages of events that the administrator causes. */
  email: string;
  /** The address in the one spelling that is compared. */
  email_key: string;
  /** Null until the administrator tells it. */
  name: string | null;
  role: string;
  enabled: number;
  /** Argon2id in the PHC string format; null until a first password is set. */
  password_hash: string | null;
  created_at: number;
  last_sign_in_at: number | null;
}

export interface AdministratorSessionRow {
  id: Generated<number>;
  /** SHA-256 of the cookie's value, hexadecimal: the values are 256 random bits. */
  token_hash: string;
  administrator_id: number;
  user_agent: string;
  /** Of the last use that was noted; null when it is not known. */
  address: string | null;
  created_at: number;
  /** To the minute. */
  last_seen_at: number;
}

/** A link that lets whoever has it set a password, once. */
export interface SetupLinkRow {
  /** Whom the link is for; a later one takes the place of an earlier one. */
  subject: string;
  /** SHA-256 of the link's token, hexadecimal. */
  token_hash: string;
  /** Null: makes the first administrator. */
  administrator_id: number | null;
  expires_at: number;
}

/** How many wrong passwords someone may still send. */
export interface GuessBudgetRow {
  budget: string;
  /** When the budget is full again; each failure moves it further away. */
  full_at: number;
}

export interface AccountRow {
  id: Generated<number>;
  name: string;
  enabled: number;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface FolderRow {
  id: Generated<number>;
  name: string;
  /** Null for the root alone. */
  parent_id: number | null;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface CourseRow {
  id: Generated<number>;
  name: string;
  folder_id: number;
  published_version_id: number;
  latest_version_id: number;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface CourseVersionRow {
  course_id: number;
  /** 0 at import, then counting up within the course. */
  version_id: number;
  learning_standard: string;
  title: string;
  /** JSON: the launchable units that the package describes. */
  units: string;
  /** JSON: what the import found odd but accepted. */
  warnings: string;
  /** JSON: a `CourseStructure`; null until it is read, and when it cannot be. */
  structure: string | null;
  /** The format that the structure was read in; 0 until it is read. */
  structure_format: number;
  /** Names the version's files in the content store. */
  content_key: string;
  file_count: number;
  byte_count: number;
  created_at: number;
}

/** One course in several languages. */
export interface EquivalentRow {
  id: Generated<number>;
  name: string;
  folder_id: number;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface EquivalentCourseRow {
  equivalent_id: number;
  position: number;
  course_id: number;
  /** BCP 47, in its canonical spelling. */
  language: string;
}

/** Courses and equivalents that go together. */
export interface BundleRow {
  id: Generated<number>;
  name: string;
  folder_id: number;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface BundleContentRow {
  bundle_id: number;
  position: number;
  /** COURSE or EQUIVALENT. */
  content_type: string;
  content_id: number;
}

/** What an account holds, as it was added. */
export interface AccountContentRow {
  account_id: number;
  /** COURSE, EQUIVALENT, BUNDLE or FOLDER. */
  content_type: string;
  content_id: number;
  added_at: number;
}

/** A learner's way through a course for an account. */
export interface RegistrationRow {
  /** The order of lists; what people see is `registration_id`. */
  number: Generated<number>;
  registration_id: string;
  account_id: number;
  course_id: number;
  /** The version that was published when the registration was made. */
  version_id: number;
  learner_id: string;
  completion: string;
  success: string;
  /** 0–100; null while there is none. */
  score: number | null;
  /** Whole seconds. */
  duration: number;
  completed_at: number | null;
  launched_at: number | null;
  revision: number;
  created_at: number;
  updated_at: number;
}

/** A launch: someone opened a launch link, and may play one version of a course until it expires. */
export interface PlayerLaunchRow {
  launch_id: string;
  /** Null for a preview, which records nothing. */
  registration_id: string | null;
  course_id: number;
  version_id: number;
  learner_id: string;
  mode: string;
  return_url: string | null;
  created_at: number;
  expires_at: number;
}

/** An attempt of a learner at a course: a registration has one until it is reset. */
export interface PlayerAttemptRow {
  registration_id: string;
  /** Counts from 1 within the registration. */
  number: number;
  version_id: number;
  /** How many player pages were opened in the attempt. Only the newest page may write. */
  page: number;
  /** The launch of the newest page: every other launch of the registration is superseded. */
  launch_id: string | null;
  /** JSON of what the runtime keeps for all units together; null when there is none. */
  state: string | null;
  started_at: number;
  ended_at: number | null;
}

/** A unit of an attempt, from when it was opened first. */
export interface PlayerUnitRow {
  registration_id: string;
  attempt: number;
  /** The manifest's identifier of the unit. */
  unit_id: string;
  completion: string;
  success: string;
  score: number | null;
  completed_at: number | null;
  /** Time spent in all visits. */
  duration_ms: number;
  /** Time spent before the latest visit. */
  earlier_ms: number;
  /** Page, visit and sequence of the latest write: an older one writes nothing. */
  page: number;
  visit: number;
  sequence: number;
  /** JSON of the standard's data model as the unit left it; null before the first write. */
  data: string | null;
  opened_at: number;
  updated_at: number;
}

/** The answer that a request with an `Idempotency-Key` got first. */
export interface IdempotencyKeyRow {
  client_id: string;
  idempotency_key: string;
  fingerprint: string;
  status: number;
  headers: string;
  body: string;
  created_at: number;
}

export interface WebhookRow {
  id: Generated<number>;
  name: string;
  topic: string;
  /** 1 when all subtopics of the topic apply, whatever later releases add. */
  all_subtopics: number;
  target_url: string;
  authentication_type: string;
  /** JSON of key and secret, encrypted; null for type NONE. */
  credentials: string | null;
  enabled: number;
  max_attempts: number;
  ignore_before: number | null;
  logging_mode: string;
  revision: number;
  created_at: number;
  updated_at: number;
  /** A deleted webhook stays as long as its delivery history does. */
  deleted_at: number | null;
}

export interface WebhookSubtopicRow {
  webhook_id: number;
  subtopic: string;
}

export interface WebhookFocusRow {
  webhook_id: number;
  position: number;
  focus_type: string;
  focus_id: number;
  focus_name: string | null;
}

/** The index that publishing looks webhooks up by; derived from the configuration of active webhooks. */
export interface WebhookTriggerRow {
  subtopic: string;
  /** ACCOUNT, a content type, or ANY. */
  focus_type: string;
  focus_id: number;
  webhook_id: number;
  /** 1 when the webhook has a content focus that must be met as well. */
  needs_content: number;
}

export interface WebhookStatisticsRow {
  webhook_id: number;
  valid_from: number;
  success_count: number;
  last_success_at: number | null;
  error_count: number;
  last_error_at: number | null;
  last_error_message: string | null;
  in_error: number;
}

/** Attempts of a webhook within a minute or an hour, for charts. */
export interface WebhookTrendRow {
  /** 0 for all webhooks together. */
  webhook_id: number;
  width_ms: number;
  start_at: number;
  success_count: number;
  failure_count: number;
  latency_total: number;
  latency_max: number;
  /** Attempts by class of latency: `latency_0` to `latency_12`. */
  [latency: `latency_${number}`]: number;
}

/** Events of a minute, for charts. */
export interface EventTrendRow {
  start_at: number;
  event_count: number;
}

/** A message whose delivery was tried or decided: one row a message. */
export interface DeliveryRow {
  id: Generated<number>;
  webhook_id: number;
  message_id: string;
  subtopic: string;
  status: string;
  /** As a queued message's `stored_body`. */
  body: string;
  shared_body_id: number | null;
  /** When the event occurred and its message was queued. */
  enqueued_at: number;
  updated_at: number;
  /** Attempts that were made in all, over redeliveries. */
  attempts: number;
  /** The latest attempt: when it began, its duration, its answer, why it failed. */
  attempted_at: number | null;
  duration_ms: number | null;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  status_reason: string | null;
  /** 1: the latest attempt sent its request a second time (see {@link DeliveryAttemptRow.resent}). */
  resent: Generated<number>;
}

/** A delivery in its webhook's list. SQLite's alone. */
export interface ListedDeliveryRow {
  webhook_id: number;
  delivery_id: number;
}

/** The one row of what is said of the lists. SQLite's alone. */
export interface DeliveryListingRow {
  /** The last delivery that is in its webhook's list; all before it are, none behind it is. */
  listed_to: number;
}

/** An attempt before a message's latest one. */
export interface DeliveryAttemptRow {
  delivery_id: number;
  attempt: number;
  attempted_at: number;
  duration_ms: number;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  /** 1: the target closed a kept connection as the request was written, so the request was sent once more. */
  resent: Generated<number>;
}

/** A line of messages that keep their order: a message group in FIFO queues' terms, here a webhook. */
export interface QueueLineRow {
  line_id: number;
  pending: number;
  /** When the head may be taken up: now, at its retry, or when its lease ends. Null while nothing waits. */
  available_at: number | null;
  /** Who has the head out; null when nobody has. */
  lease_token: string | null;
  /** How often the head was taken up. */
  receive_count: number;
  /** Messages with numbers up to this one are done with, whether or not they are deleted yet. */
  done_to: number;
  /** The latest moment of any message that was ever queued to the line; 0 before the first one. */
  last_enqueued_at: number;
}

export interface QueueMessageRow {
  /** The order within a line: commit order. */
  id: Generated<number>;
  line_id: number;
  message_id: string;
  label: string;
  /** The body without its shared part, a line feed in that part's place; the whole body when there is none. */
  stored_body: string;
  shared_body_id: number | null;
  enqueued_at: number;
}

/** What the messages of an event have in common, stored once. */
export interface SharedBodyRow {
  id: Generated<number>;
  text: string;
}

export interface QueueDeadLetterRow {
  id: Generated<number>;
  line_id: number;
  message_id: string;
  label: string;
  /** As a message's `stored_body`. */
  body: string;
  shared_body_id: number | null;
  enqueued_at: number;
  dead_lettered_at: number;
  /** When it is to be copied to the dead-letter queue on Amazon SQS; null: it has been, or never is. */
  copy_at: number | null;
}

/** Which instance is at a housekeeping task. */
export interface TaskLeaseRow {
  task: string;
  token: string;
  /** While an instance is at it, until when it is without a sign of life; then, until when the task rests. */
  leased_until: number;
}
