/**
 * The names that appear as `class` in log lines and that `custom_log_levels` accepts, with what each logs. The settings
 * reference is generated from this list. Add new classes here.
 */
export const LOG_CLASSES = {
  Service: 'startup, settings in use, readiness checks that fail, lines of the log that were lost, shutdown',
  HttpServer:
    'requests to the API and the admin UI that failed because of the service; connections beyond max_connections; proxies that are not trusted',
  TokenEndpoint: 'access tokens granted and refused',
  ApiClients:
    'Basic credentials of API clients that the learning record store refused; uses of clients that could not be recorded',
  AdministratorService:
    'administrators: signed in and out, created, changed, deleted; API clients changed in the admin UI',
  AccountService:
    'accounts created, activated, deactivated, deleted; at debug which webhooks an ACCOUNT event triggered',
  AccountContentService:
    'content added to and removed from accounts; at debug which webhooks an ACCOUNT_CONTENT event triggered',
  CourseService:
    'courses imported, versions uploaded and published, files that were cleaned up; at debug which webhooks a COURSE event triggered',
  RegistrationService:
    'first launches and new results of registrations; at debug which webhooks a REGISTRATION event triggered',
  Player:
    'course launches; requests of courses and their player that failed because of the service; refused versions of xAPI; connections beyond max_connections',
  WebhookService: 'webhooks created, updated, deleted, statistics reset',
  AlertService:
    'alert rules created, updated, deleted; alerts that began and ended; notices sent, and those that could not be sent',
  MessageQueue: 'Amazon SQS: its queues, outages and recoveries',
  DeliveryPoller:
    'outages and recoveries of the message queue; messages whose outcomes cannot be stored; at debug each round: how many messages were settled and received',
  PostbackDelivery:
    'each delivery attempt, each discarded or skipped message; the logging mode of the webhook decides how much, not a level',
  Tracing:
    'variables of OpenTelemetry that have no effect; outages and recoveries of the collector of traces',
  Cleaner: 'expired data that was removed, by kind; removals that failed',
  Database: 'opening the database, migrations, outages and recoveries, wrong clocks',
} as const;

/** One of the names in {@link LOG_CLASSES}. */
export type LogClassName = keyof typeof LOG_CLASSES;
