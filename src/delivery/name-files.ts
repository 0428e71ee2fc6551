import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';

/** The most search domains and dots that are honoured, as glibc does. */
const MAX_SEARCH_DOMAINS = 6;
const MAX_NDOTS = 15;
const DEFAULT_NDOTS = 1;

/** How names are completed, from `resolv.conf`. */
export interface SearchRules {
  /** Domains to append, in this order, without a dot at their ends. */
  readonly domains: readonly string[];
  /** A name with at least this many dots is looked up as it is first, one with fewer dots last. */
  readonly ndots: number;
}

/** Reads a hosts file: lower-case name → addresses, in the order of the file. Lines that are malformed are skipped. */
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

/** Reads search domains and `ndots` from `resolv.conf`; of several `search` and `domain` lines, the last counts. */
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
 * The names to ask name servers for, in this order. A name that ends with a dot is complete.
 *
 * @returns names without a dot at their ends
 */
export function candidatesOf(hostname: string, { domains, ndots }: SearchRules): string[] {
  if (hostname.endsWith('.')) return [withoutLastDot(hostname)];
  const completed = domains.map((domain) => `${hostname}.${domain}`);
  const dots = hostname.split('.').length - 1;
  return dots >= ndots ? [hostname, ...completed] : [...completed, hostname];
}

/** `name` without the dot that marks it as complete. */
export function withoutLastDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** What a file holds, parsed again only after the file has changed. A file that cannot be read counts as empty. */
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

  /** The same object as long as the file stays the same. */
  async read(): Promise<T> {
    const version = await versionOf(this.#path);
    if (version === this.#version) return this.#value;
    const text = version === '' ? '' : await readFile(this.#path, 'utf8').catch(() => '');
    this.#value = this.#parse(text);
    this.#version = version;
    return this.#value;
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
