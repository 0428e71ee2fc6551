import type { AlertFiringRow, AlertNoticeRow, AlertRuleRow, AlertTroubleRow } from './rows/alert-rows.ts';
import type { AuditEntryRow } from './rows/audit-rows.ts';
import type {
  AccountContentRow,
  AccountRow,
  BundleContentRow,
  BundleRow,
  CourseRow,
  CourseVersionRow,
  EquivalentCourseRow,
  EquivalentRow,
  FolderRow,
  RegistrationRow,
} from './rows/content-rows.ts';
import type {
  AdministratorRow,
  AdministratorSessionRow,
  ApiClientRow,
  GuessBudgetRow,
  SetupLinkRow,
} from './rows/identity-rows.ts';
import type {
  PlayerAttemptRow,
  PlayerLaunchRow,
  PlayerLearnerValueRow,
  PlayerUnitRow,
} from './rows/player-rows.ts';
import type { QueueDeadLetterRow, QueueLineRow, QueueMessageRow, SharedBodyRow } from './rows/queue-rows.ts';
import type {
  DeliveryAttemptRow,
  DeliveryListingRow,
  DeliveryRow,
  EventBlockRow,
  EventRow,
  EventTrendRow,
  ListedDeliveryRow,
  WebhookFocusRow,
  WebhookRow,
  WebhookStatisticsRow,
  WebhookSubtopicRow,
  WebhookTrendRow,
  WebhookTriggerRow,
} from './rows/webhook-rows.ts';

export type * from './rows/alert-rows.ts';
export type * from './rows/audit-rows.ts';
export type * from './rows/content-rows.ts';
export type * from './rows/identity-rows.ts';
export type * from './rows/player-rows.ts';
export type * from './rows/queue-rows.ts';
export type * from './rows/webhook-rows.ts';

/**
 * The rows of every table, the same in both engines. Times are integer milliseconds since the epoch, flags are 0 or
 * 1, and JSON is text. The meaning of null is documented where it is allowed.
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
  player_learner_values: PlayerLearnerValueRow;
  idempotency_keys: IdempotencyKeyRow;
  webhooks: WebhookRow;
  webhook_subtopics: WebhookSubtopicRow;
  webhook_focuses: WebhookFocusRow;
  webhook_triggers: WebhookTriggerRow;
  webhook_statistics: WebhookStatisticsRow;
  webhook_trends: WebhookTrendRow;
  event_trends: EventTrendRow;
  events: EventRow;
  event_blocks: EventBlockRow;
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
  audit_entries: AuditEntryRow;
  alert_rules: AlertRuleRow;
  alert_firings: AlertFiringRow;
  alert_notices: AlertNoticeRow;
  alert_troubles: AlertTroubleRow;
}

/** An instance that is running on the database. */
export interface InstanceRow {
  /** Generated at its startup. */
  instance: string;
  host_name: string;
  /** JSON: its values of the settings that all instances must share, and whether it delivers. */
  settings: string;
  seen_at: number;
}

/** A fact about the installation, which may be a secret. */
export interface ServiceSecretRow {
  name: string;
  value: string;
}

/** The first response to a request with an `Idempotency-Key`. */
export interface IdempotencyKeyRow {
  client_id: string;
  idempotency_key: string;
  fingerprint: string;
  status: number;
  headers: string;
  body: string;
  created_at: number;
}

/** The instance that does a housekeeping task. */
export interface TaskLeaseRow {
  task: string;
  token: string;
  /** While an instance does the task: the end of its lease. Afterwards: until when the task rests. */
  leased_until: number;
}
