import { MAX_URL_LENGTH } from '../text-lengths.ts';
import { contentStoreText } from './content-place.ts';
import { LOG_CLASSES } from './log-classes.ts';
import { LOG_LEVELS } from './log-level.ts';
import { listenHost, networkList } from './networks.ts';
import { duration, inWords, mapOf, oneOf, optional, text, wholeNumber } from './parser.ts';
import { define, type SettingDefinition } from './setting-definition.ts';
import { baseUrl, MAX_PATH_LENGTH, readContentBaseUrl, readDatabaseUrl } from './setting-values.ts';
import { STOP_SECONDS } from './stop-time.ts';

/** Where the service listens, and who may connect. */
export const SERVER_SETTINGS = {
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
    parser: optional(baseUrl),
    default: null,
    defaultInWords: 'derived from the address that the service listens on',
    meaning:
      'The URL at which people and programs reach the service, used for links and the API description. ' +
      'Set it if the service is behind a proxy. A trailing slash is removed. It can have a path, which the proxy may ' +
      'keep or remove.',
  }),
  content_port: define({
    group: 'Server',
    parser: optional(wholeNumber({ min: 0, max: 65_535, note: '0: any free port' })),
    default: null,
    defaultInWords: 'the port after `port`, or any free port if `port` is 0',
    meaning:
      'Port that serves courses to learners’ browsers. It is separate from the API and the admin UI, because course files are ' +
      'programs that other people wrote. Learners must be able to reach both ports. Without `content_base_url`, ' +
      'links to courses name this port, so it must be the same on all instances of a database: a difference causes a warning.',
  }),
  content_base_url: define({
    group: 'Server',
    shared: true,
    parser: optional(
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
      'The URL at which learners’ browsers reach the content port. Use a host name in another registered domain ' +
      'than that of `base_url`. Then courses cannot access the cookies of the admin UI. ' +
      '`https://{launch}.example-courses.net` gives each registration and each preview its own origin, ' +
      'so that courses cannot access each other’s data in the browser. This requires a wildcard DNS name and ' +
      'certificate.',
  }),
  trusted_proxies: define({
    group: 'Server',
    parser: networkList,
    default: [],
    meaning:
      'Proxies whose headers `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host` are trusted. A proxy must ' +
      'replace or remove those that its clients send. From all others, the headers are ignored, because anyone can ' +
      'send them.',
  }),
  max_connections: define({
    group: 'Server',
    parser: wholeNumber({ min: 10, max: 1_000_000 }),
    default: 8_192,
    meaning:
      'Maximum number of open client connections to `port`, and of those to `content_port`. Further connections are ' +
      'closed immediately, so that they do not use up the file descriptors that delivery and the database need. ' +
      'The process must be allowed to open enough files: four times this number, plus 17 times ' +
      '`delivery_concurrency`, plus 1,536, is always enough. If it may open too few, it accepts fewer ' +
      'connections, and logs their number at the start.',
  }),
  monitoring_token: define({
    group: 'Server',
    parser: optional(
      text({
        allowed: '16 to 256 letters, digits and -._~+/=',
        read: (given) => (/^[\w.~+/=-]{16,256}$/.test(given) ? given : undefined),
      }),
    ),
    default: null,
    defaultInWords: 'none: everyone who can reach `port` may read them',
    secret: true,
    meaning:
      'Bearer token that a caller needs to read `/metrics` and the results of the checks in `/health/ready`. A ' +
      'caller without the token gets only the status of `/health/ready`.',
  }),
  shutdown_delay: define({
    group: 'Server',
    parser: duration({ min: 0, max: 600 }),
    default: 0,
    meaning:
      'How long the service still accepts requests after a signal to stop, while `/health/ready` is 503 and each response ' +
      'closes its connection. Set it to the time after which load balancers send no more requests.',
  }),
  shutdown_timeout: define({
    group: 'Server',
    parser: duration({ min: 0.01, max: 600 }),
    default: 10,
    meaning:
      'How long shutdown waits for requests and postbacks in progress, all at the same time. An aborted postback is sent ' +
      'again after the next startup. Whatever stops the process must wait at least ' +
      `${STOP_SECONDS} seconds longer, in addition to ` +
      '`shutdown_delay`, before it kills it.',
  }),
} as const satisfies Record<string, SettingDefinition<unknown>>;

/** Where data is stored. */
export const STORAGE_SETTINGS = {
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
      'It must be a folder of its own: the service closes it to other users, and refuses a new one that has other files. ' +
      'A relative path is relative to the folder in which the service is started.',
  }),
  database_url: define({
    group: 'Storage',
    parser: optional(
      text({
        allowed:
          `a postgres:// or postgresql:// URL of at most ${MAX_URL_LENGTH} characters, ` +
          'with special characters of the password percent-encoded (# is %23)',
        read: readDatabaseUrl,
      }),
    ),
    default: null,
    defaultInWords: 'the embedded database in `data_dir`',
    secret: true,
    meaning:
      'URL of a PostgreSQL 14 or later to use instead of the embedded database: `postgres://user:password@host:5432/database`, with ' +
      '`?sslmode=verify-full&sslrootcert=FILE` for a remote server (see [TLS](operating.md#tls-to-postgresql)). Several instances can ' +
      'share it. All of them need the same `webhooks_auth_secret`.',
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
    parser: optional(contentStoreText),
    default: null,
    defaultInWords: 'the folder `content` in `data_dir`',
    meaning:
      'Where course files are stored: a folder, which instances can share (NFS), or an S3 bucket. Credentials and ' +
      'region for S3 come from the usual AWS sources. Several instances need the same store. One that has its files elsewhere ' +
      'causes a warning. The path of a folder may differ.',
  }),
  content_store_endpoint: define({
    group: 'Storage',
    parser: optional(baseUrl),
    default: null,
    defaultInWords: '`AWS_ENDPOINT_URL_S3` if it is set, otherwise AWS',
    meaning: 'URL of an S3-compatible server for `content_store`. The bucket becomes part of the path.',
  }),
} as const satisfies Record<string, SettingDefinition<unknown>>;

/** What is logged. */
export const LOG_SETTINGS = {
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
