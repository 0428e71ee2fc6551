import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { isOwnFailure } from './failure-reason.ts';

/** Maximum number of search domains and dots, as in glibc. */
const MAX_SEARCH_DOMAINS = 6;
const MAX_NDOTS = 15;
const DEFAULT_NDOTS = 1;

/** How names are completed, from `resolv.conf`. */
export interface SearchRules {
  /** Domains to append, in this order, without a trailing dot. */
  readonly domains: readonly string[];
  /**
   * A name with at least this many dots is first looked up unchanged. A name with fewer dots is looked up unchanged
   * last.
   */
  readonly ndots: number;
}

/** Parses a hosts file: lower-case name → addresses, in the order of the file. Malformed lines are skipped. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = fieldsOf(line);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = withoutLastDot(name.toLowerCase());
      const addresses = hosts.get(key) ?? [];
      if (!addresses.includes(address)) addresses.push(address);
      hosts.set(key, addresses);
    }
  }
  return hosts;
}

/** Parses search domains and `ndots` of `resolv.conf`. The last of several `search` and `domain` lines applies. */
export function parseSearchRules(text: string): SearchRules {
  let domains: readonly string[] = [];
  let ndots = DEFAULT_NDOTS;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = fieldsOf(line);
    if (keyword === 'search' || keyword === 'domain')
      domains = values.map(withoutLastDot).filter((domain) => domain !== '');
    if (keyword !== 'options') continue;
    for (const option of values) {
      const dots = /^ndots:(\d{1,3})$/.exec(option)?.[1];
      if (dots !== undefined) ndots = Math.min(Number(dots), MAX_NDOTS);
    }
  }
  return { domains: domains.slice(0, MAX_SEARCH_DOMAINS), ndots };
}

/**
 * The names to look up, in order. A name with a trailing dot is complete.
 *
 * @returns names without a trailing dot
 */
export function candidatesOf(hostname: string, { domains, ndots }: SearchRules): string[] {
  if (hostname.endsWith('.')) return [withoutLastDot(hostname)];
  const completed = domains.map((domain) => `${hostname}.${domain}`);
  const dots = hostname.split('.').length - 1;
  return dots >= ndots ? [hostname, ...completed] : [...completed, hostname];
}

/** The name without the trailing dot that marks it as complete. */
export function withoutLastDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/**
 * The parsed content of a file, which is parsed again when the file changes. A file that is missing, or was never
 * readable, counts as empty.
 */
export class ParsedFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  #version = '';
  #value: T;

  constructor(path: string, parse: (text: string) => T) {
    this.#path = path;
    this.#parse = parse;
    this.#value = parse('');
  }

  /**
   * Returns the same object until the file changes.
   *
   * @throws an error of this machine, for example without free file descriptors: the content is unknown
   */
  async read(): Promise<T> {
    const version = await versionOf(this.#path);
    if (version === this.#version) return this.#value;
    const text = version === '' ? '' : await this.#text();
    // The file is read again the next time.
    if (text === null) return this.#value;
    this.#value = this.#parse(text);
    this.#version = version;
    return this.#value;
  }

  async #text(): Promise<string | null> {
    try {
      return await readFile(this.#path, 'utf8');
    } catch (error) {
      if (isOwnFailure(error)) throw error;
      return null;
    }
  }
}

async function versionOf(path: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(path);
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
  } catch {
    return '';
  }
}

function fieldsOf(line: string): string[] {
  const [content = ''] = line.split(/[#;]/, 1);
  return content.split(/\s+/).filter((field) => field !== '');
}
