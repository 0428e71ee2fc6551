import type { Parser } from './parser.ts';

/** The heading of a setting in the reference. */
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

/** A setting; no secret and not shared unless it says so. */
export function define<T>(
  definition: Omit<SettingDefinition<T>, 'secret' | 'shared' | 'default'> & {
    readonly default: NoInfer<T>;
    readonly secret?: boolean;
    readonly shared?: boolean;
  },
): SettingDefinition<T> {
  return { secret: false, shared: false, ...definition };
}
