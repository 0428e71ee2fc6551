import type { SettingName, Settings } from './settings-table.ts';

/** A rule between two settings. */
export interface CrossRule {
  readonly setting: SettingName;
  readonly other: SettingName;
  isMet(settings: Settings): boolean;
  /** The allowed values of `setting`, in words. */
  readonly allowed: string;
}

const LAST_PORT = 65_535;
const SQS_FIFO_NAME_IN_WORDS =
  'up to 75 letters, digits, hyphens and underscores, followed by .fifo, if Amazon SQS is used';

/** The rules between settings, which are checked after each setting has been read. */
export const CROSS_RULES: readonly CrossRule[] = [
  {
    setting: 'message_queue_name',
    other: 'queue_driver',
    isMet: (settings) => settings.queue_driver !== 'sqs' || isSqsFifoName(settings.message_queue_name),
    allowed: SQS_FIFO_NAME_IN_WORDS,
  },
  {
    setting: 'dead_letter_queue_name',
    other: 'queue_driver',
    isMet: (settings) => settings.queue_driver !== 'sqs' || isSqsFifoName(settings.dead_letter_queue_name),
    allowed: SQS_FIFO_NAME_IN_WORDS,
  },
  {
    setting: 'retry_initial_delay',
    other: 'retry_max_delay',
    isMet: (settings) => settings.retry_initial_delay <= settings.retry_max_delay,
    allowed: 'at most retry_max_delay',
  },
  {
    setting: 'dead_letter_queue_name',
    other: 'message_queue_name',
    isMet: (settings) => settings.dead_letter_queue_name !== settings.message_queue_name,
    allowed: 'different from message_queue_name',
  },
  {
    setting: 'content_port',
    other: 'port',
    isMet: ({ port, content_port: content }) => content === null || content === 0 || content !== port,
    allowed: 'different from port',
  },
  {
    setting: 'content_port',
    other: 'port',
    isMet: ({ port, content_port: content }) => content !== null || port !== LAST_PORT,
    allowed: `set if port is ${LAST_PORT}, because its default would be ${LAST_PORT + 1}`,
  },
  {
    setting: 'smtp_from',
    other: 'smtp_host',
    isMet: ({ smtp_host: host, smtp_from: from }) => host === null || from !== null,
    allowed: 'an e-mail address if smtp_host is set',
  },
  {
    setting: 'smtp_user',
    other: 'smtp_password',
    isMet: ({ smtp_user: user, smtp_password: password }) => password === null || user !== null,
    allowed: 'set if smtp_password is',
  },
  {
    setting: 'session_idle_timeout',
    other: 'session_lifetime',
    isMet: (settings) => settings.session_idle_timeout <= settings.session_lifetime,
    allowed: 'at most session_lifetime',
  },
  {
    setting: 'webhooks_auth_secret_previous',
    other: 'webhooks_auth_secret',
    isMet: ({ webhooks_auth_secret: current, webhooks_auth_secret_previous: former }) =>
      former === null || former !== current,
    allowed: 'different from webhooks_auth_secret',
  },
];

function isSqsFifoName(name: string): boolean {
  return /^[\w-]{1,75}\.fifo$/.test(name);
}
