/** What an alert watches. */
export const CONDITIONS = [
  'WEBHOOK_IN_ERROR',
  'LINE_TOO_OLD',
  'MESSAGE_DEAD_LETTERED',
  'SERVICE_IN_TROUBLE',
] as const;
export type Condition = (typeof CONDITIONS)[number];

/** The forms of what is posted to a URL. */
export const TARGET_FORMATS = ['JSON', 'SLACK', 'TEAMS'] as const;
export type TargetFormat = (typeof TARGET_FORMATS)[number];

/** How a notice is sent. */
export const CHANNELS = ['EMAIL', 'URL'] as const;
export type Channel = (typeof CHANNELS)[number];

/** How long a problem has to last by default, in minutes. Null for a condition that fires at once. */
export const DEFAULT_MINUTES: Readonly<Record<Condition, number | null>> = {
  WEBHOOK_IN_ERROR: 15,
  LINE_TOO_OLD: 15,
  MESSAGE_DEAD_LETTERED: null,
  SERVICE_IN_TROUBLE: 1,
};
/** The longest time that a problem may have to last, in minutes: a week. */
export const MAX_MINUTES = 7 * 24 * 60;
/** Maximum number of alert rules of an installation, and of webhooks and addresses of a rule. */
export const MAX_RULES = 100;
export const MAX_RULE_WEBHOOKS = 1_000;
export const MAX_ADDRESSES = 20;

/** A time of every day in which nothing is sent. */
export interface QuietHours {
  /** `HH:MM`. */
  from: string;
  to: string;
  /** IANA name. */
  timeZone: string;
}

/** Where notices are posted. The URL is a secret, because it often contains a token. */
export interface AlertTarget {
  format: TargetFormat;
  origin: string;
  /** Encrypted. */
  storedUrl: string;
}

/** An alert rule: what it watches, and who is notified. Times are in epoch milliseconds. */
export interface AlertRule {
  id: number;
  name: string;
  enabled: boolean;
  condition: Condition;
  minutes: number | null;
  /** Null for all webhooks. */
  webhookIds: readonly number[] | null;
  emailTo: readonly string[];
  target: AlertTarget | null;
  quietHours: QuietHours | null;
  activeSince: number;
  revision: number;
  createdAt: number;
  updatedAt: number;
}

/** The channels of a rule. */
export function channelsOf({ emailTo, target }: Pick<AlertRule, 'emailTo' | 'target'>): Channel[] {
  return [
    ...(emailTo.length > 0 ? (['EMAIL'] as const) : []),
    ...(target === null ? [] : (['URL'] as const)),
  ];
}

/** The channels that a rule does not have. */
export function missingChannelsOf(rule: Pick<AlertRule, 'emailTo' | 'target'>): Channel[] {
  const channels = channelsOf(rule);
  return CHANNELS.filter((channel) => !channels.includes(channel));
}
