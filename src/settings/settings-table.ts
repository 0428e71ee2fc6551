import { LOG_CLASSES } from '../observability/log-classes.ts';
import { LOG_LEVELS } from '../observability/log-level.ts';
import { byteSize } from './byte-size.ts';
import { contentStoreText } from './content-place.ts';
import { listenHost, networkList } from './networks.ts';
import {
  duration,
  inWords,
  mapOf,
  oneOf,
  orNothing,
  type Parser,
  text,
  trueOrFalse,
  wholeNumber,
} from './parser.ts';

/** Under which heading a setting stands in the reference. */
export type SettingGroup =
  | 'Server'
  | 'Storage'
  | 'Webhooks'
  | 'Message queue'
  | 'Delivery'
  | 'Access'
  | 'Limits'
  | 'Logs';

/** All that is known of a setting; parsing, the reference and the start-up log are made from it. */
export interface SettingDefinition<out T> {
  readonly group: SettingGroup;
  /** Reads it and says in words what it may hold and in which unit. */
  readonly parser: Parser<T>;
  readonly default: T;
  /** What leaving it out comes to, where the default alone (`null`) does not tell. */
  readonly defaultInWords?: string;
  readonly meaning: string;
  /** A secret is never shown: not in errors, not at start. */
  readonly secret: boolean;
  /** Whether all instances of a database must hold the same. Never a secret: values are compared in the database. */
  readonly shared: boolean;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 2 ** 10;
const MIB = 2 ** 20;
const GIB = 2 ** 30;
const TIB = 2 ** 40;

const MAX_URL_LENGTH = 2_048;
const MAX_PATH_LENGTH = 4_096;
const AUTH_SECRET_LENGTH = 64;
const QUEUE_NAME = /^[\w.-]{1,80}$/;
const AWS_REGION = /^[a-z]{2,}(-[a-z0-9]+){1,4}$/;

const authSecret = text({
  allowed: `exactly ${AUTH_SECRET_LENGTH} characters`,
  read: (given) => ([...given].length === AUTH_SECRET_LENGTH ? given : undefined),
});

/** Every setting, by its name in the configuration file; the environment variable is the name in upper case. */
export const SETTINGS_TABLE = {
  host: define({
    group: 'Server',
    parser: listenHost,
    default: '127.0.0.1',
    meaning:
      'Address to listen on. The default can be reached from this machine only; `0.0.0.0` or `::` listens on all.',
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
    defaultInWords: 'made from the address listened on',
    meaning:
      'Where people and programs reach the service, for links and for the API description. ' +
      'Set it when a proxy stands before the service. A slash at its end is dropped. It may have a path, which the proxy may ' +
      'hand on or take off.',
  }),
  content_port: define({
    group: 'Server',
    parser: orNothing(wholeNumber({ min: 0, max: 65_535, note: '0: any free port' })),
    default: null,
    defaultInWords: 'the port after `port`; any free one where that is 0',
    meaning:
      'Port on which courses are served to learners’ browsers, apart from the API and the admin UI: course files are ' +
      'programs of others. Learners need to reach both ports.',
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
      'Where learners’ browsers reach the content port. A host name of its own keeps courses away from the cookies of ' +
      'the admin UI. `https://{launch}.content.example.com` gives each launch an origin of its own, so that courses ' +
      'cannot reach each other’s data in the browser; it needs a wildcard DNS name and certificate.',
  }),
  trusted_proxies: define({
    group: 'Server',
    parser: networkList,
    default: [],
    meaning:
      'Proxies whose `X-Forwarded-For` is believed. That of anyone else is ignored, since anyone can send one.',
  }),
  shutdown_timeout: define({
    group: 'Server',
    parser: duration({ min: 0.01, max: 600 }),
    default: 10,
    meaning:
      'How long a stop waits for what is under way. A postback cut short is sent again after the next start.',
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
      'Folder of the database, the course packages and the secrets made at the first start. ' +
      'A relative path starts from the folder in which the service is started.',
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
      'PostgreSQL, 14 or later, in place of the embedded database: `postgres://user:password@host:5432/database`, with ' +
      '`?sslmode=verify-full` for a server elsewhere. Several instances may share it; all need the same ' +
      '`webhooks_auth_secret`.',
  }),
  database_connections: define({
    group: 'Storage',
    parser: wholeNumber({ min: 3, max: 1_000 }),
    default: 20,
    meaning:
      'How many connections an instance makes to PostgreSQL at most. The server must allow them for all instances.',
  }),
  content_store: define({
    group: 'Storage',
    parser: orNothing(contentStoreText),
    default: null,
    defaultInWords: 'the folder `content` in `data_dir`',
    meaning:
      'Where the files of courses are kept: a folder, which instances may share (NFS), or an S3 bucket. Credentials and ' +
      'region of S3 come from where every AWS program has them.',
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
    defaultInWords: 'AWS, or what `AWS_ENDPOINT_URL_S3` says',
    meaning: 'Address of an S3-compatible server for `content_store`; the bucket goes into the path.',
  }),
  enable_webhooks_service: define({
    group: 'Webhooks',
    shared: true,
    parser: trueOrFalse,
    default: true,
    meaning:
      'Whether webhooks are triggered and delivered. When false, no new events trigger, the queue is not polled, ' +
      'and existing webhooks are Read Only: they cannot be updated or deleted.',
  }),
  webhooks_auth_secret: define({
    group: 'Webhooks',
    parser: orNothing(authSecret),
    default: null,
    defaultInWords: 'made at the first start and kept in `data_dir`, readable by its owner only',
    secret: true,
    meaning:
      'Encrypts the stored Basic key and secret of webhooks. With another value than the one they were stored ' +
      'with, they cannot be read any more.',
  }),
  webhooks_auth_secret_previous: define({
    group: 'Webhooks',
    parser: orNothing(authSecret),
    default: null,
    defaultInWords: 'none',
    secret: true,
    meaning:
      'A second secret, while `webhooks_auth_secret` is being changed: what it has encrypted and signed is read, ' +
      'nothing new is encrypted or signed with it. `coursewire secrets re-encrypt` makes it superfluous.',
  }),
  enable_queue_polling: define({
    group: 'Message queue',
    parser: trueOrFalse,
    default: true,
    meaning:
      'Whether this instance takes messages from the queue and delivers them. When false, messages are still queued, ' +
      'and placed on Amazon SQS where that is used, for another instance to deliver.',
  }),
  queue_driver: define({
    group: 'Message queue',
    shared: true,
    parser: oneOf(['database', 'sqs']),
    default: 'database',
    meaning:
      'What carries the messages: `database`, the database of the service, or `sqs`, two FIFO queues of Amazon SQS ' +
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
    defaultInWords: 'as AWS programs find it: `AWS_REGION`, else the profile',
    meaning: 'Region of the queues on Amazon SQS. Credentials are always found as AWS programs find them.',
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
      'as AWS programs find it: `AWS_ENDPOINT_URL_SQS`, the profile, else the public one of the region',
    meaning: 'Address of Amazon SQS, for a VPC endpoint or a server that is compatible with it.',
  }),
  message_queue_name: define({
    group: 'Message queue',
    shared: true,
    parser: text({ allowed: '1 to 80 letters, digits, dots, hyphens and underscores', read: readQueueName }),
    default: 'coursewire-messages.fifo',
    meaning: 'Name of the first-in-first-out queue of messages to deliver.',
  }),
  dead_letter_queue_name: define({
    group: 'Message queue',
    shared: true,
    parser: text({ allowed: '1 to 80 letters, digits, dots, hyphens and underscores', read: readQueueName }),
    default: 'coursewire-dead-letters.fifo',
    meaning: 'Name of the first-in-first-out queue of messages that could not be delivered.',
  }),
  queue_polling_interval: define({
    group: 'Message queue',
    parser: duration({ min: 0.01, max: HOUR }),
    default: 10,
    meaning:
      'Time between polls of the queue when nothing is known to wait. Polling is long polling: ' +
      'a message that arrives meanwhile is taken up at once.',
  }),
  message_queue_max_receives: define({
    group: 'Message queue',
    shared: true,
    parser: wholeNumber({ min: 1, max: 1_000 }),
    default: 1_000,
    meaning:
      'How often a message is taken from the queue before it goes to the dead-letter queue. ' +
      'Attempts are made up to this number or `max_attempts` of the webhook, whichever is smaller.',
  }),
  delivery_timeout: define({
    group: 'Delivery',
    shared: true,
    parser: duration({ min: 0.01, max: 600 }),
    default: 30,
    meaning: 'How long one postback may take, from connecting to the end of the answer.',
  }),
  delivery_concurrency: define({
    group: 'Delivery',
    parser: wholeNumber({ min: 1, max: 10_000 }),
    default: 256,
    meaning: 'How many postbacks are under way at once, each of another webhook.',
  }),
  retry_initial_delay: define({
    group: 'Delivery',
    shared: true,
    parser: duration({ min: 0.001, max: DAY }),
    default: 5,
    meaning: 'Time before the second attempt. It doubles with each further one, with some jitter.',
  }),
  retry_max_delay: define({
    group: 'Delivery',
    shared: true,
    parser: duration({ min: 0.001, max: 7 * DAY }),
    default: HOUR,
    meaning: 'The longest time between two attempts, also where `Retry-After` of the target asks for more.',
  }),
  delivery_history_days: define({
    group: 'Delivery',
    shared: true,
    parser: wholeNumber({ min: 1, max: 3_650, unit: 'days' }),
    default: 30,
    meaning: 'How long the history of deliveries is kept.',
  }),
  dead_letter_days: define({
    group: 'Delivery',
    shared: true,
    parser: wholeNumber({ min: 1, max: 3_650, unit: 'days' }),
    default: 90,
    meaning: 'How long messages are kept in the dead-letter queue.',
  }),
  target_allowed_networks: define({
    group: 'Delivery',
    shared: true,
    parser: orNothing(networkList),
    default: null,
    defaultInWords:
      'none; loopback (`127.0.0.0/8`, `::1`) if `host` is a loopback address, `trusted_proxies` is empty and `base_url` is ' +
      'not set or on loopback, too',
    meaning:
      'Networks that are not public (private, loopback, link-local and the like) to which postbacks may be sent. An empty ' +
      'list allows none.',
  }),
  access_token_lifetime: define({
    group: 'Access',
    shared: true,
    parser: duration({ min: 1, max: 30 * DAY }),
    default: HOUR,
    meaning: 'How long an access token is valid; `expires_in` of the token endpoint.',
  }),
  session_idle_timeout: define({
    group: 'Access',
    shared: true,
    parser: duration({ min: 5 * MINUTE, max: 30 * DAY }),
    default: 12 * HOUR,
    meaning: 'After how long without use an administrator has to sign in again.',
  }),
  session_lifetime: define({
    group: 'Access',
    shared: true,
    parser: duration({ min: 5 * MINUTE, max: 90 * DAY }),
    default: 7 * DAY,
    meaning: 'After how long an administrator has to sign in again, however much the session is used.',
  }),
  launch_lifetime: define({
    group: 'Access',
    shared: true,
    parser: duration({ min: MINUTE, max: 7 * DAY }),
    default: 12 * HOUR,
    meaning:
      'How long a learner may stay in a course, counted from when the launch link was opened. What is learned later ' +
      'needs a new launch.',
  }),
  max_webhooks: define({
    group: 'Limits',
    shared: true,
    parser: wholeNumber({ min: 1, max: 1_000_000 }),
    default: 10_000,
    meaning:
      'How many webhooks there can be. An event makes a message for each webhook that it matches. Once the limit is ' +
      'reached, creating another is refused with 409; those that exist go on.',
  }),
  max_assets_per_call: define({
    group: 'Limits',
    shared: true,
    parser: wholeNumber({ min: 1, max: 1_000_000 }),
    default: 5_000,
    meaning:
      'How many courses, equivalents and bundles one call can add to an account, those in folders included. A call ' +
      'that would add more is refused with 409 and adds nothing.',
  }),
  max_package_size: define({
    group: 'Limits',
    shared: true,
    parser: byteSize({ min: KIB, max: TIB }),
    default: GIB,
    meaning: 'The largest course package that can be uploaded.',
  }),
  max_request_body: define({
    group: 'Limits',
    shared: true,
    parser: byteSize({ min: KIB, max: 64 * MIB }),
    default: MIB,
    meaning: 'The largest body of any other request.',
  }),
  log_level: define({
    group: 'Logs',
    parser: oneOf(LOG_LEVELS),
    default: 'info',
    meaning:
      'The general log level. `debug` and `trace` also make every webhook log in full; a less verbose one does not ' +
      'lower what the logging mode of a webhook asks for.',
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
      'Log levels of single classes, more or less verbose than the general one. What each class writes is listed ' +
      'below. A name that is not a class, also one in another case, stops the start.',
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

function define<T>(
  definition: Omit<SettingDefinition<T>, 'secret' | 'shared' | 'default'> & {
    readonly default: NoInfer<T>;
    readonly secret?: boolean;
    readonly shared?: boolean;
  },
): SettingDefinition<T> {
  return { secret: false, shared: false, ...definition };
}

function readQueueName(given: string): string | undefined {
  return QUEUE_NAME.test(given) ? given : undefined;
}

function readDatabaseUrl(given: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\/[^\s]+$/.test(given) || given.length > MAX_URL_LENGTH) return undefined;
  return URL.canParse(given) ? given : undefined;
}

function readBaseUrl(given: string): string | undefined {
  // The URL parser would drop white space and add slashes that are missing.
  if (!/^https?:\/\/[^\s?#\\]+$/i.test(given) || given.length > MAX_URL_LENGTH) return undefined;
  const url = URL.parse(given);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  return url.href.replace(/\/+$/, '');
}

function readContentBaseUrl(given: string): string | undefined {
  const wildcard = /^(https?:\/\/)\{launch\}\.(?=[^/])/i;
  const read = readBaseUrl(given.replace(wildcard, '$1'));
  if (read === undefined || /[{}]/.test(read) || new URL(read).pathname !== '/') return undefined;
  return wildcard.test(given) ? read.replace('://', '://{launch}.') : read;
}
