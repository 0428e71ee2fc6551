import type { Parser } from './parser.ts';

/** The heading of a setting in the reference. */
export type SettingGroup =
  | 'Server'
  | 'Storage'
  | 'Webhooks'
  | 'Message queue'
  | 'Delivery'
  | 'Alerts'
  | 'Access'
  | 'Limits'
  | 'Logs';

/** The definition of a setting, from which parsing, the reference and the startup log follow. */
export interface SettingDefinition<out T> {
  readonly group: SettingGroup;
  /** Reads the value, and has the allowed values and the unit in words. */
  readonly parser: Parser<T>;
  readonly default: T;
  /** The effective default in words, if the default (`null`) does not say it. */
  readonly defaultInWords?: string;
  readonly meaning: string;
  /** A secret is never shown, neither in errors nor at startup. */
  readonly secret: boolean;
  /**
   * Whether the value must be the same in all instances of a database. Never for a secret, because values are compared
   * in the database.
   */
  readonly shared: boolean;
}

/** Defines a setting, by default neither secret nor shared. */
export function define<T>(
  definition: Omit<SettingDefinition<T>, 'secret' | 'shared' | 'default'> & {
    readonly default: NoInfer<T>;
    readonly secret?: boolean;
    readonly shared?: boolean;
  },
): SettingDefinition<T> {
  return { secret: false, shared: false, ...definition };
}
