/**
 * The names that stand as `class` in log lines and that `custom_log_levels` takes, with what each writes about.
 * The settings reference is made from this list; a class that logs under a new name is added here.
 */
export const LOG_CLASSES = {
  Service: 'start, settings in use, stop',
  HttpServer: 'requests to the API and the admin UI that failed on this side',
  TokenEndpoint: 'access tokens granted and refused',
  AdministratorService:
    'administrators: signing in and out, made, changed, deleted; API clients changed in the admin UI',
  AccountService: 'accounts: made, activated, deactivated, deleted; triggers ACCOUNT webhooks',
  AccountContentService: 'content added to and removed from accounts; triggers ACCOUNT_CONTENT webhooks',
  CourseService: 'courses: imported, versions uploaded and published; triggers COURSE webhooks',
  RegistrationService: 'registrations: launches and results; triggers REGISTRATION webhooks',
  WebhookService: 'webhooks: made, edited, deleted, statistics reset',
  MessageQueue: 'Amazon SQS: its queues, outages and recoveries',
  DeliveryPoller: 'taking messages up from the message queue and settling them',
  PostbackDelivery:
    'each attempt to deliver a postback; what is written follows the logging mode of the webhook, not a level',
  Database: 'opening the database, migrations, outages and recoveries, clocks that are wrong',
} as const;

/** One of the names in {@link LOG_CLASSES}. */
export type LogClassName = keyof typeof LOG_CLASSES;
