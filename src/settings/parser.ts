import { didYouMean } from './did-you-mean.ts';

/** The result of a parser: the value, or why it is invalid (`null` if the allowed values explain it). */
export type Parsed<T> = { readonly value: T } | { readonly refused: string | null };

/** The unit of a number. */
export type Unit = 'seconds' | 'days' | 'bytes' | null;

/** Reads one setting, from an environment variable (always text) or from a YAML value of the right type. */
export interface Parser<out T> {
  /** The allowed values in words, which complete "it must be". */
  readonly allowed: string;
  readonly unit: Unit;
  fromText(text: string): Parsed<T>;
  fromYaml(value: unknown): Parsed<T>;
}

/** The value is valid. */
export function accept<T>(value: T): Parsed<T> {
  return { value };
}

/** The value is invalid. `why` completes "is …, which …" and never quotes a secret. */
export function refuse(why: string | null = null): Parsed<never> {
  return { refused: why };
}

const NUMBER_TEXT = /^-?\d+(?:\.\d+)?$/;
/** What Kubernetes sets `SMTP_PORT` to if the namespace has a Service named `smtp`. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;
const SET_BY_KUBERNETES =
  'Kubernetes sets for a Service of this name unless the pod has enableServiceLinks: false';
const SECONDS_IN_WORDS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const;

/** `true` or `false`. */
export const trueOrFalse: Parser<boolean> = {
  allowed: 'true or false',
  unit: null,
  fromText: (text) => {
    const word = text.trim().toLowerCase();
    return word === 'true' || word === 'false' ? accept(word === 'true') : refuse();
  },
  fromYaml: (value) => (typeof value === 'boolean' ? accept(value) : refuse(wrongType(value, 'boolean'))),
};

/** The limits of a number, inclusive. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** A whole number. `note` is appended to the limits. */
export function wholeNumber(
  bounds: Bounds & { readonly unit?: Unit; readonly note?: string },
): Parser<number> {
  const { min, max, unit = null, note } = bounds;
  const what = unit === null ? 'a whole number' : `a whole number of ${unit}`;
  return numberParser(
    `${what} from ${min} to ${max}${note === undefined ? '' : ` (${note})`}`,
    unit,
    (number) => (Number.isInteger(number) ? within(number, bounds) : refuse()),
  );
}

/** A length of time in seconds; fractions are allowed. */
export function duration(bounds: Bounds): Parser<number> {
  const { min, max } = bounds;
  const unit = SECONDS_IN_WORDS.find(([seconds]) => max >= seconds && max % seconds === 0);
  const words = unit === undefined ? '' : ` (${max / unit[0]} ${unit[1]}${max === unit[0] ? '' : 's'})`;
  return numberParser(
    `a number of seconds from ${min} to ${max}${words}, fractions allowed`,
    'seconds',
    (number) => within(number, bounds),
  );
}

function numberParser(
  allowed: string,
  unit: Unit,
  check: (number: number) => Parsed<number>,
): Parser<number> {
  return {
    allowed,
    unit,
    fromText: (text) => {
      if (NUMBER_TEXT.test(text.trim())) return check(Number(text));
      return refuse(SERVICE_LINK.test(text) ? SET_BY_KUBERNETES : null);
    },
    fromYaml: (value) => (typeof value === 'number' ? check(value) : refuse(wrongType(value, 'number'))),
  };
}

function within(number: number, { min, max }: Bounds): Parsed<number> {
  return number >= min && number <= max ? accept(number) : refuse();
}

/** One of a few words, case-insensitive. The value is the word as listed. */
export function oneOf<const T extends string>(words: readonly T[]): Parser<T> {
  return text({
    allowed: inWords(words),
    read: (given) => words.find((word) => word.toLowerCase() === given.trim().toLowerCase()),
  });
}

/** "a, b or c" */
export function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Text that `read` converts to the value, or to `undefined` if it is not allowed. */
export function text<T>(options: {
  readonly allowed: string;
  readonly read: (given: string) => T | undefined;
}): Parser<T> {
  const fromText = (given: string): Parsed<T> => {
    const value = options.read(given);
    return value === undefined ? refuse() : accept(value);
  };
  return {
    allowed: options.allowed,
    unit: null,
    fromText,
    fromYaml: (value) => (typeof value === 'string' ? fromText(value) : refuse(wrongType(value, 'text'))),
  };
}

/** Accepts what `parser` accepts, or nothing: `null` in a file, or an omitted setting. */
export function optional<T>(parser: Parser<T>): Parser<T | null> {
  return { ...parser, fromYaml: (value) => (value === null ? accept(null) : parser.fromYaml(value)) };
}

/** A YAML list of texts; in the environment, texts separated by commas. */
export function listOf<T>(options: {
  readonly allowed: string;
  /** The noun for such items. */
  readonly noun: readonly [one: string, several: string];
  readonly max: number;
  readonly read: (given: string) => T | undefined;
}): Parser<readonly T[]> {
  const fromItems = (items: readonly unknown[]): Parsed<readonly T[]> => {
    if (items.length > options.max) return refuse(`has more than ${options.max} items`);
    const values: T[] = [];
    const faulty: string[] = [];
    for (const item of items) {
      const value = typeof item === 'string' ? options.read(item.trim()) : undefined;
      if (value === undefined) faulty.push(quote(item));
      else values.push(value);
    }
    const [one, several] = options.noun;
    if (faulty.length === 1) return refuse(`has an item that is not ${one}: ${faulty[0]}`);
    if (faulty.length > 1) return refuse(`has items that are not ${several}: ${listed(faulty)}`);
    return accept(values);
  };
  return {
    allowed: options.allowed,
    unit: null,
    fromText: (given) => fromItems(given.trim() === '' ? [] : given.split(',')),
    fromYaml: (value) => (Array.isArray(value) ? fromItems(value) : refuse(wrongType(value, 'list'))),
  };
}

/** A YAML map from known names to words; in the environment, `name=word` separated by commas. */
export function mapOf<T>(options: {
  readonly allowed: string;
  readonly names: readonly string[];
  /** The noun for such a name, in singular and plural. */
  readonly noun: readonly [one: string, several: string];
  readonly value: Parser<T>;
}): Parser<Readonly<Record<string, T>>> {
  const { names, noun } = options;
  const fromEntries = (
    entries: readonly (readonly [unknown, unknown])[],
  ): Parsed<Readonly<Record<string, T>>> => {
    const values = new Map<string, T>();
    const unknown: string[] = [];
    const faults: string[] = [];
    for (const [name, given] of entries) {
      if (typeof name !== 'string' || !names.includes(name)) {
        unknown.push(unknownName(name, names));
        continue;
      }
      const parsed = options.value.fromYaml(given);
      if (values.has(name)) faults.push(`has ${quote(name)} twice`);
      else if ('refused' in parsed)
        faults.push(`gives ${quote(name)} a value that is not allowed: ${quote(given)}`);
      else values.set(name, parsed.value);
    }
    if (unknown.length === 1) faults.unshift(`names a ${noun[0]} that does not exist: ${unknown[0]}`);
    if (unknown.length > 1) faults.unshift(`names ${noun[1]} that do not exist: ${listed(unknown)}`);
    return faults.length > 0 ? refuse(listed(faults, ', and ')) : accept(Object.fromEntries(values));
  };
  return {
    allowed: options.allowed,
    unit: null,
    fromText: (given) =>
      fromEntries(
        given.trim() === ''
          ? []
          : given.split(',').map((entry) => {
              const [name = '', ...rest] = entry.split('=');
              return [name.trim(), rest.length === 0 ? null : rest.join('=').trim()] as const;
            }),
      ),
    fromYaml: (value) => (value instanceof Map ? fromEntries([...value]) : refuse(wrongType(value, 'map'))),
  };
}

const MAX_LISTED = 20;

/** A limited number of items. */
function listed(items: readonly string[], separator = ', '): string {
  if (items.length <= MAX_LISTED) return items.join(separator);
  return `${items.slice(0, MAX_LISTED).join(separator)} and ${items.length - MAX_LISTED} more`;
}

/** An unknown name, with the known name that was probably meant. */
function unknownName(name: unknown, names: readonly string[]): string {
  const meant = typeof name === 'string' ? didYouMean(name, names) : undefined;
  return meant === undefined ? quote(name) : `${quote(name)} (did you mean ${meant}?)`;
}

const MAX_QUOTED_LENGTH = 200;

/** The user and the password of a URL. To the last @, because a password may have one that is not encoded. */
const CREDENTIALS_OF_URL = /\/\/.*@/;

/** A value as error messages show it: on one line, truncated, and without the password of a URL. */
export function quote(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (value instanceof Map) return 'a map';
  if (typeof value === 'number') return String(value);
  const whole = hidePassword(JSON.stringify(value) ?? String(value));
  return whole.length > MAX_QUOTED_LENGTH ? `${whole.slice(0, MAX_QUOTED_LENGTH)}…` : whole;
}

/** A text without the user and the password of a URL in it. */
export function hidePassword(given: string): string {
  return given.replace(CREDENTIALS_OF_URL, '//[hidden]@');
}

/** Says what type a YAML value has if it is the wrong one. */
function wrongType(value: unknown, needed: 'boolean' | 'number' | 'text' | 'list' | 'map'): string {
  if (needed === 'text' && (typeof value === 'number' || typeof value === 'boolean')) {
    return `is a ${typeof value} and must be in quotes to be text`;
  }
  if (typeof value === 'string' && (needed === 'number' || needed === 'boolean')) {
    return `is text, not a ${needed}`;
  }
  if (value === null) return 'is no value';
  return `is not a ${needed}`.replace('not a text', 'not text');
}
