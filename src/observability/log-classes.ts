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
  AccountService:
    'accounts created, activated, deactivated, deleted; at debug which webhooks an ACCOUNT event triggered',
  AccountContentService:
    'content added to and removed from accounts; at debug which webhooks an ACCOUNT_CONTENT event triggered',
  CourseService:
    'courses imported, versions uploaded and published, files that were cleaned up; at debug which webhooks a COURSE event triggered',
  RegistrationService:
    'first launches and new results of registrations; at debug which webhooks a REGISTRATION event triggered',
  Player: 'launches of courses; requests of courses and their player that failed on this side',
  WebhookService: 'webhooks created, updated, deleted, statistics reset; cleaning of the delivery history',
  MessageQueue: 'Amazon SQS: its queues, outages and recoveries',
  DeliveryPoller:
    'outages of the message queue and recoveries; at debug each exchange: how many messages were settled and taken up',
  PostbackDelivery:
    'each attempt to deliver a postback, each message discarded or skipped; what is written follows the logging mode of the webhook, not a level',
  Database: 'opening the database, migrations, outages and recoveries, clocks that are wrong',
} as const;

/** One of the names in {@link LOG_CLASSES}. */
export type LogClassName = keyof typeof LOG_CLASSES;
