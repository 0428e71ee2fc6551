import { networkList } from './networks.ts';
import { duration, oneOf, optional, text, trueOrFalse, wholeNumber } from './parser.ts';
import { define, type SettingDefinition } from './setting-definition.ts';
import {
  AWS_REGION,
  authSecret,
  baseUrl,
  credential,
  DAY,
  HOUR,
  MAX_DELIVERY_TIMEOUT,
  MAX_RETRY_DELAY,
  queueName,
  readEmailAddress,
  readHostName,
} from './setting-values.ts';
import { SMTP_SECURITIES } from './smtp-securities.ts';

/** Whether events trigger webhooks, and the secret of their credentials. */
export const WEBHOOK_SETTINGS = {
  enable_webhooks_service: define({
    group: 'Webhooks',
    shared: true,
    parser: trueOrFalse,
    default: true,
    meaning:
      'Whether webhooks are triggered and delivered. If false, events trigger no webhooks, the queue is not polled, ' +
      'and existing webhooks are Read Only: most changes and actions are refused.',
  }),
  webhooks_auth_secret: define({
    group: 'Webhooks',
    parser: optional(authSecret),
    default: null,
    defaultInWords: 'created at the first startup and stored in `data_dir`, readable only by its owner',
    secret: true,
    meaning:
      'Encrypts the credentials and signing secrets of webhooks and the URLs of alert rules. Signs access tokens and ' +
      'launch links. With a different value, the encrypted values can no longer be read. To set it, create it with `openssl rand -hex 32`.',
  }),
  webhooks_auth_secret_previous: define({
    group: 'Webhooks',
    parser: optional(authSecret),
    default: null,
    defaultInWords: 'none',
    secret: true,
    meaning:
      'The old secret while `webhooks_auth_secret` is being changed. It decrypts and verifies, but never encrypts or ' +
      'signs. Remove it some hours after `coursewire secrets re-encrypt`, as ' +
      '[operating](operating.md#changing-webhooks_auth_secret) describes.',
  }),
} as const satisfies Record<string, SettingDefinition<unknown>>;

/** The message queue. */
export const QUEUE_SETTINGS = {
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
    parser: optional(
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
    parser: optional(baseUrl),
    default: null,
    defaultInWords:
      'from the usual AWS sources: `AWS_ENDPOINT_URL_SQS`, the profile, or the public endpoint of the region',
    meaning: 'URL of a VPC endpoint or of an SQS-compatible server.',
  }),
  message_queue_name: define({
    group: 'Message queue',
    shared: true,
    parser: queueName,
    default: 'coursewire-messages.fifo',
    meaning: 'Name of the FIFO queue for messages to deliver.',
  }),
  dead_letter_queue_name: define({
    group: 'Message queue',
    shared: true,
    parser: queueName,
    default: 'coursewire-dead-letters.fifo',
    meaning: 'Name of the FIFO queue for dead letters.',
  }),
  queue_polling_interval: define({
    group: 'Message queue',
    parser: duration({ min: 0.01, max: HOUR }),
    default: 10,
    meaning:
      'Time between polls of an empty queue. Polling is long polling: ' +
      'a message that arrives in the meantime is received immediately. Amazon SQS allows 1 to 20 seconds: a ' +
      'smaller value counts as 1, a larger one as 20.',
  }),
  message_queue_max_receives: define({
    group: 'Message queue',
    shared: true,
    parser: wholeNumber({ min: 1, max: 1_000 }),
    default: 1_000,
    meaning:
      'The most attempts that a message can have before it is moved to the dead-letter queue. ' +
      'The maximum number of attempts is this number or `max_attempts` of the webhook, whichever is smaller. With Amazon ' +
      'SQS, `maxReceiveCount` of the queue’s redrive policy applies instead. `queues create` sets it to this number if there is ' +
      'no policy.',
  }),
} as const satisfies Record<string, SettingDefinition<unknown>>;

/** How messages are delivered, and how long their history is kept. */
export const DELIVERY_SETTINGS = {
  delivery_timeout: define({
    group: 'Delivery',
    shared: true,
    parser: duration({ min: 0.01, max: MAX_DELIVERY_TIMEOUT }),
    default: 30,
    meaning: 'Maximum duration of a postback, from connecting to the end of the response.',
  }),
  delivery_concurrency: define({
    group: 'Delivery',
    parser: wholeNumber({ min: 1, max: 10_000 }),
    default: 256,
    meaning:
      'Maximum number of postbacks in flight, without slow ones. A postback is slow after 100 ms. In addition, ' +
      '16 times as many slow ones may be in flight, or 1,024 if that is more. Each webhook has at most one postback in flight.',
  }),
  retry_initial_delay: define({
    group: 'Delivery',
    shared: true,
    parser: duration({ min: 0.001, max: DAY }),
    default: 5,
    meaning:
      'Delay before the second attempt. It doubles with each further attempt. Each delay is up to 20 % shorter or longer.',
  }),
  retry_max_delay: define({
    group: 'Delivery',
    shared: true,
    parser: duration({ min: 0.001, max: MAX_RETRY_DELAY }),
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
    parser: optional(networkList),
    default: null,
    defaultInWords:
      'loopback (`127.0.0.0/8`, `::1`) if `host` is a loopback address, `trusted_proxies` is empty, and `base_url` is ' +
      'not set or on loopback, too; otherwise none',
    meaning:
      'Networks that are not public (private, loopback, link-local and the like) to which postbacks may be sent. An empty ' +
      'list allows none.',
  }),
} as const satisfies Record<string, SettingDefinition<unknown>>;

/** How alert rules are evaluated, and how their notices are sent. */
export const ALERT_SETTINGS = {
  enable_alerts: define({
    group: 'Alerts',
    parser: trueOrFalse,
    default: true,
    meaning:
      'Whether this instance evaluates alert rules and sends notices. Set it to false on a copy of the data that must not ' +
      'notify anyone. Tests of rules are still sent.',
  }),
  smtp_host: define({
    group: 'Alerts',
    shared: true,
    parser: optional(text({ allowed: 'a host name or an IP address', read: readHostName })),
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
    parser: optional(credential),
    default: null,
    defaultInWords: 'none: without authentication',
    meaning: 'User name for the SMTP server.',
  }),
  smtp_password: define({
    group: 'Alerts',
    parser: optional(credential),
    default: null,
    defaultInWords: 'none',
    secret: true,
    meaning: 'Password for the SMTP server.',
  }),
  smtp_from: define({
    group: 'Alerts',
    shared: true,
    parser: optional(text({ allowed: 'an e-mail address', read: readEmailAddress })),
    default: null,
    defaultInWords: 'none',
    meaning: 'Address of the sender. Required if `smtp_host` is set.',
  }),
  alert_check_interval: define({
    group: 'Alerts',
    parser: duration({ min: 0.01, max: HOUR }),
    default: 15,
    meaning: 'How often alert rules are evaluated, and notices whose retry is due are sent.',
  }),
} as const satisfies Record<string, SettingDefinition<unknown>>;
