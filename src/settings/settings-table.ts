import { LOG_CLASSES } from '../observability/log-classes.ts';
import { LOG_LEVELS } from '../observability/log-level.ts';
import { byteSize } from './byte-size.ts';
import { contentStoreText } from './content-place.ts';
import { listenHost, networkList } from './networks.ts';
import { duration, inWords, mapOf, oneOf, orNothing, text, trueOrFalse, wholeNumber } from './parser.ts';
import { define, type SettingDefinition } from './setting-definition.ts';
import {
  AWS_REGION,
  authSecret,
  DAY,
  GIB,
  HOUR,
  KIB,
  MAX_CREDENTIAL_LENGTH,
  MAX_PATH_LENGTH,
  MAX_URL_LENGTH,
  MIB,
  MINUTE,
  readBaseUrl,
  readContentBaseUrl,
  readCredential,
  readDatabaseUrl,
  readEmailAddress,
  readHostName,
  readQueueName,
  TIB,
} from './setting-values.ts';
import { SMTP_SECURITIES } from './smtp-securities.ts';

/** Every setting, by its name in the configuration file; the environment variable is the name in upper case. */
export const SETTINGS_TABLE = {
  host: define({
    group: 'Server',
    parser: listenHost,
    default: '127.0.0.1',
    meaning:
      'Address to listen on. With the default, only this machine can reach the service. `0.0.0.0` and `::` listen on all addresses.',
  }),
  port: define({
    group: 'Server',
    parser: wholeNumber({ min: 0, max: 65_535, note: '0: any free port' }),
    default: 8080,
    meaning: 'Port to listen on.',
  }),
  base_url: define({
    group: 'Server',
    shared: true,
    parser: orNothing(
      text({
        allowed:
          'an http:// or https:// URL without credentials, query and fragment, ' +
          `of at most ${MAX_URL_LENGTH} characters`,
        read: readBaseUrl,
      }),
    ),
    default: null,
    defaultInWords: 'derived from the address that the service listens on',
    meaning:
      'The URL at which people and programs reach the service, used for links and the API description. ' +
      'Set it if the service is behind a proxy. A trailing slash is removed. It can have a path, which the proxy may ' +
      'keep or remove.',
  }),
  content_port: define({
    group: 'Server',
    parser: orNothing(wholeNumber({ min: 0, max: 65_535, note: '0: any free port' })),
    default: null,
    defaultInWords: 'the port after `port`, or any free port if `port` is 0',
    meaning:
      'Port that serves courses to learners’ browsers. It is separate from the API and the admin UI, because course files are ' +
      'programs that other people wrote. Learners must be able to reach both ports.',
  }),
  content_base_url: define({
    group: 'Server',
    shared: true,
    parser: orNothing(
      text({
        allowed:
          'an http:// or https:// URL without credentials, path, query and fragment, ' +
          `of at most ${MAX_URL_LENGTH} characters, whose host name may begin with {launch}.`,
        read: readContentBaseUrl,
      }),
    ),
    default: null,
    defaultInWords: 'the host name of `base_url` with `content_port`',
    meaning:
      'The URL at which learners’ browsers reach the content port. A separate host name keeps courses away from the cookies of ' +
      'the admin UI. `https://{launch}.content.example.com` gives each registration and each preview its own origin, ' +
      'so that courses cannot access each other’s data in the browser. This requires a wildcard DNS name and ' +
      'certificate.',
  }),
  trusted_proxies: define({
    group: 'Server',
    parser: networkList,
    default: [],
    meaning:
      'Proxies whose `X-Forwarded-For` header is trusted. From all others, the header is ignored, because anyone can ' +
      'send it.',
  }),
  max_connections: define({
    group: 'Server',
    parser: wholeNumber({ min: 10, max: 1_000_000 }),
    default: 8_192,
    meaning:
      'Maximum number of open client connections to `port`, and of those to `content_port`. Further connections are ' +
      'closed immediately, so that they do not use up the file descriptors that delivery and the database need.',
  }),
  monitoring_token: define({
    group: 'Server',
    parser: orNothing(
      text({
        allowed: '16 to 256 letters, digits and -._~+/=',
        read: (given) => (/^[\w.~+/=-]{16,256}$/.test(given) ? given : undefined),
      }),
    ),
    default: null,
    defaultInWords: 'none: everyone who can reach `port` may read them',
    secret: true,
    meaning:
      'Bearer token that is required to read `/metrics` and the results of the checks in `/health/ready`. Without it, ' +
      '`/health/ready` returns only its status.',
  }),
  shutdown_timeout: define({
    group: 'Server',
    parser: duration({ min: 0.01, max: 600 }),
    default: 10,
    meaning:
      'How long shutdown waits for requests and postbacks in progress. An aborted postback is sent again after the next startup.',
  }),
  data_dir: define({
    group: 'Storage',
    parser: text({
      allowed: `a path of at most ${MAX_PATH_LENGTH} characters`,
      read: (given) =>
        given.trim() !== '' && given.length <= MAX_PATH_LENGTH && !given.includes('\0') ? given : undefined,
    }),
    default: './data',
    meaning:
      'Folder for the database, the course files and the secrets that are created at the first startup. ' +
      'A relative path is relative to the folder in which the service is started.',
  }),
  database_url: define({
    group: 'Storage',
    parser: orNothing(
      text({
        allowed: `a postgres:// or postgresql:// URL of at most ${MAX_URL_LENGTH} characters`,
        read: readDatabaseUrl,
      }),
    ),
    default: null,
    defaultInWords: 'the embedded database in `data_dir`',
    secret: true,
    meaning:
      'URL of a PostgreSQL 14 or later to use instead of the embedded database: `postgres://user:password@host:5432/database`, with ' +
      '`?sslmode=verify-full` for a remote server. Several instances can share it. All of them need the same ' +
      '`webhooks_auth_secret`.',
  }),
  database_connections: define({
    group: 'Storage',
    parser: wholeNumber({ min: 3, max: 1_000 }),
    default: 20,
    meaning:
      'Maximum number of connections of an instance to PostgreSQL. The server must allow them for all instances.',
  }),
  content_store: define({
    group: 'Storage',
    parser: orNothing(contentStoreText),
    default: null,
    defaultInWords: 'the folder `content` in `data_dir`',
    meaning:
      'Where course files are stored: a folder, which instances can share (NFS), or an S3 bucket. Credentials and ' +
      'region for S3 come from the usual AWS sources.',
  }),
  content_store_endpoint: define({
    group: 'Storage',
    parser: orNothing(
      text({
        allowed: `an http:// or https:// URL without credentials, query and fragment, of at most ${MAX_URL_LENGTH} characters`,
        read: readBaseUrl,
      }),
    ),
    default: null,
    defaultInWords: '`AWS_ENDPOINT_URL_S3` if it is set, otherwise AWS',
    meaning: 'URL of an S3-compatible server for `content_store`. The bucket becomes part of the path.',
  }),
  enable_webhooks_service: define({
    group: 'Webhooks',
    shared: true,
    parser: trueOrFalse,
    default: true,
    meaning:
      'Whether webhooks are triggered and delivered. If false, events trigger no webhooks, the queue is not polled, ' +
      'and existing webhooks are Read Only: they cannot be updated or deleted.',
  }),
  webhooks_auth_secret: define({
    group: 'Webhooks',
    parser: orNothing(authSecret),
    default: null,
    defaultInWords: 'created at the first startup and stored in `data_dir`, readable only by its owner',
    secret: true,
    meaning:
      'Encrypts the stored credentials and signing secrets of webhooks, and signs access tokens and launch links. With ' +
      'a different value, stored credentials can no longer be read.',
  }),
  webhooks_auth_secret_previous: define({
    group: 'Webhooks',
    parser: orNothing(authSecret),
    default: null,
    defaultInWords: 'none',
    secret: true,
    meaning:
      'The old secret while `webhooks_auth_secret` is being changed. It decrypts and verifies, but never encrypts or ' +
      'signs. Remove it some hours after `coursewire secrets re-encrypt`, as ' +
      '[operating](operating.md#changing-webhooks_auth_secret) describes.',
  }),
  enable_queue_polling: define({
    group: 'Message queue',
    parser: trueOrFalse,
    default: true,
    meaning:
      'Whether this instance receives messages from the queue and delivers them. If false, messages are still enqueued ' +
      '(on Amazon SQS, too, if it is used), and another instance must deliver them.',
  }),
  queue_driver: define({
    group: 'Message queue',
    shared: true,
    parser: oneOf(['database', 'sqs']),
    default: 'database',
    meaning:
      'The message queue: `database` uses the database of the service, `sqs` uses two FIFO queues of Amazon SQS ' +
      '(see [operating](operating.md#amazon-sqs)).',
  }),
  sqs_region: define({
    group: 'Message queue',
    shared: true,
    parser: orNothing(
      text({
        allowed: 'the name of an AWS region, such as `eu-central-1`',
        read: (given) => (AWS_REGION.test(given) ? given : undefined),
      }),
    ),
    default: null,
    defaultInWords: 'from the usual AWS sources: `AWS_REGION` or the profile',
    meaning: 'Region of the queues on Amazon SQS. Credentials always come from the usual AWS sources.',
  }),
  sqs_endpoint: define({
    group: 'Message queue',
    shared: true,
    parser: orNothing(
      text({
        allowed: `an http:// or https:// URL without credentials, query and fragment, of at most ${MAX_URL_LENGTH} characters`,
        read: readBaseUrl,
      }),
    ),
    default: null,
    defaultInWords:
      'from the usual AWS sources: `AWS_ENDPOINT_URL_SQS`, the profile, or the public endpoint of the region',
    meaning: 'URL of a VPC endpoint or of an SQS-compatible server.',
  }),
  message_queue_name: define({
    group: 'Message queue',
    shared: true,
    parser: text({ allowed: '1 to 80 letters, digits, dots, hyphens and underscores', read: readQueueName }),
    default: 'coursewire-messages.fifo',
    meaning: 'Name of the FIFO queue for messages to deliver.',
  }),
  dead_letter_queue_name: define({
    group: 'Message queue',
    shared: true,
    parser: text({ allowed: '1 to 80 letters, digits, dots, hyphens and underscores', read: readQueueName }),
    default: 'coursewire-dead-letters.fifo',
    meaning: 'Name of the FIFO queue for dead letters.',
  }),
  queue_polling_interval: define({
    group: 'Message queue',
    parser: duration({ min: 0.01, max: HOUR }),
    default: 10,
    meaning:
      'Time between polls of an empty queue. Polling is long polling: ' +
      'a message that arrives in the meantime is received immediately.',
  }),
  message_queue_max_receives: define({
    group: 'Message queue',
    shared: true,
    parser: wholeNumber({ min: 1, max: 1_000 }),
    default: 1_000,
    meaning:
      'How often a message is received from the queue before it is moved to the dead-letter queue. ' +
      'The maximum number of attempts is this number or `max_attempts` of the webhook, whichever is smaller.',
  }),
  delivery_timeout: define({
    group: 'Delivery',
    shared: true,
    parser: duration({ min: 0.01, max: 600 }),
    default: 30,
    meaning: 'Maximum duration of a postback, from connecting to the end of the response.',
  }),
  delivery_concurrency: define({
    group: 'Delivery',
    parser: wholeNumber({ min: 1, max: 10_000 }),
    default: 256,
    meaning: 'Maximum number of postbacks in flight. Each webhook has at most one.',
  }),
  retry_initial_delay: define({
    group: 'Delivery',
    shared: true,
    parser: duration({ min: 0.001, max: DAY }),
    default: 5,
    meaning: 'Delay before the second attempt. It doubles with each further attempt, with some jitter.',
  }),
  retry_max_delay: define({
    group: 'Delivery',
    shared: true,
    parser: duration({ min: 0.001, max: 7 * DAY }),
    default: HOUR,
    meaning: 'Maximum delay between two attempts, even if the target asks for more with `Retry-After`.',
  }),
  delivery_history_days: define({
    group: 'Delivery',
    shared: true,
    parser: wholeNumber({ min: 1, max: 3_650, unit: 'days' }),
    default: 30,
    meaning: 'How long events and the delivery history are kept.',
  }),
  dead_letter_days: define({
    group: 'Delivery',
    shared: true,
    parser: wholeNumber({ min: 1, max: 3_650, unit: 'days' }),
    default: 90,
    meaning: 'How long dead letters are kept.',
  }),
  target_allowed_networks: define({
    group: 'Delivery',
    shared: true,
    parser: orNothing(networkList),
    default: null,
    defaultInWords:
      'loopback (`127.0.0.0/8`, `::1`) if `host` is a loopback address, `trusted_proxies` is empty, and `base_url` is ' +
      'not set or on loopback, too; otherwise none',
    meaning:
      'Networks that are not public (private, loopback, link-local and the like) to which postbacks may be sent. An empty ' +
      'list allows none.',
  }),
  smtp_host: define({
    group: 'Alerts',
    shared: true,
    parser: orNothing(text({ allowed: 'a host name or an IP address', read: readHostName })),
    default: null,
    defaultInWords: 'none: no e-mail is sent',
    meaning: 'SMTP server that sends the e-mail of alerts. It may be in a private network.',
  }),
  smtp_port: define({
    group: 'Alerts',
    shared: true,
    parser: wholeNumber({ min: 1, max: 65_535 }),
    default: 587,
    meaning: 'Port of the SMTP server.',
  }),
  smtp_security: define({
    group: 'Alerts',
    shared: true,
    parser: oneOf(SMTP_SECURITIES),
    default: 'starttls',
    meaning:
      'Encryption of the connection to the SMTP server. `starttls` requires encryption after the greeting, `tls` ' +
      'encrypts from the start (usually on port 465), and `none` sends everything in the clear.',
  }),
  smtp_user: define({
    group: 'Alerts',
    shared: true,
    parser: orNothing(text({ allowed: `1 to ${MAX_CREDENTIAL_LENGTH} characters`, read: readCredential })),
    default: null,
    defaultInWords: 'none: without authentication',
    meaning: 'User name for the SMTP server.',
  }),
  smtp_password: define({
    group: 'Alerts',
    parser: orNothing(text({ allowed: `1 to ${MAX_CREDENTIAL_LENGTH} characters`, read: readCredential })),
    default: null,
    defaultInWords: 'none',
    secret: true,
    meaning: 'Password for the SMTP server.',
  }),
  smtp_from: define({
    group: 'Alerts',
    shared: true,
    parser: orNothing(text({ allowed: 'an e-mail address', read: readEmailAddress })),
    default: null,
    defaultInWords: 'none',
    meaning: 'Address of the sender. Required if `smtp_host` is set.',
  }),
  alert_check_interval: define({
    group: 'Alerts',
    parser: duration({ min: 0.01, max: HOUR }),
    default: 15,
    meaning: 'How often alert rules are evaluated, and notices that could not be sent are looked for.',
  }),
  access_token_lifetime: define({
    group: 'Access',
    shared: true,
    parser: duration({ min: 1, max: 30 * DAY }),
    default: HOUR,
    meaning: 'How long an access token is valid: `expires_in` in responses of the token endpoint.',
  }),
  session_idle_timeout: define({
    group: 'Access',
    shared: true,
    parser: duration({ min: 5 * MINUTE, max: 30 * DAY }),
    default: 12 * HOUR,
    meaning: 'Time without use after which an administrator must sign in again.',
  }),
  session_lifetime: define({
    group: 'Access',
    shared: true,
    parser: duration({ min: 5 * MINUTE, max: 90 * DAY }),
    default: 7 * DAY,
    meaning: 'Time after which an administrator must sign in again, even if the session is in use.',
  }),
  audit_log_days: define({
    group: 'Access',
    shared: true,
    parser: wholeNumber({ min: 1, max: 3_650, unit: 'days' }),
    default: 365,
    meaning: 'How long the audit log is kept: who changed what.',
  }),
  launch_lifetime: define({
    group: 'Access',
    shared: true,
    parser: duration({ min: MINUTE, max: 7 * DAY }),
    default: 12 * HOUR,
    meaning:
      'How long a learner can stay in a course after opening the launch link. Later progress ' +
      'requires a new launch.',
  }),
  max_webhooks: define({
    group: 'Limits',
    shared: true,
    parser: wholeNumber({ min: 1, max: 1_000_000 }),
    default: 10_000,
    meaning:
      'Maximum number of webhooks. An event creates a message for each webhook that it matches. Once the limit is ' +
      'reached, creating another webhook is rejected with 409. Existing webhooks are not affected.',
  }),
  max_assets_per_call: define({
    group: 'Limits',
    shared: true,
    parser: wholeNumber({ min: 1, max: 1_000_000 }),
    default: 5_000,
    meaning:
      'Maximum number of courses, equivalents and bundles that one call can add to accounts, including those in ' +
      'folders and counted for each account. It also limits a removal from many accounts. A call that would change more is ' +
      'rejected with 409 and changes nothing.',
  }),
  max_package_size: define({
    group: 'Limits',
    shared: true,
    parser: byteSize({ min: KIB, max: TIB }),
    default: GIB,
    meaning: 'Maximum size of a course package.',
  }),
  max_request_body: define({
    group: 'Limits',
    shared: true,
    parser: byteSize({ min: KIB, max: 64 * MIB }),
    default: MIB,
    meaning: 'Maximum size of the body of any other request.',
  }),
  log_level: define({
    group: 'Logs',
    parser: oneOf(LOG_LEVELS),
    default: 'info',
    meaning:
      'The general log level. `debug` and `trace` also log all deliveries in full. A less verbose level does not ' +
      'reduce what the logging mode of a webhook requires.',
  }),
  custom_log_levels: define({
    group: 'Logs',
    parser: mapOf({
      allowed: `a map of class names (${inWords(Object.keys(LOG_CLASSES))}), each to ${inWords(LOG_LEVELS)}`,
      names: Object.keys(LOG_CLASSES),
      noun: ['class', 'classes'],
      value: oneOf(LOG_LEVELS),
    }),
    default: {},
    meaning:
      'Log levels of individual classes, more or less verbose than the general one. The classes are listed ' +
      'below. The service does not start with an unknown class. Names are case-sensitive.',
  }),
} as const satisfies Record<string, SettingDefinition<unknown>>;

/** The name of a setting. */
export type SettingName = keyof typeof SETTINGS_TABLE;

/** The settings of a service, by the names of the table, frozen. Durations are in seconds. */
export type Settings = {
  readonly [N in SettingName]: (typeof SETTINGS_TABLE)[N] extends SettingDefinition<infer T> ? T : never;
};

/** All names, in the order of the table. */
export const SETTING_NAMES = Object.keys(SETTINGS_TABLE) as readonly SettingName[];
