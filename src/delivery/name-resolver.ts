import { createSocket } from 'node:dgram';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { keepNewest } from '../keep-newest.ts';
import { within } from '../time/within.ts';
import { codeOf, isOwnFailure } from './failure-reason.ts';
import {
  candidatesOf,
  ParsedFile,
  parseHosts,
  parseSearchRules,
  type SearchRules,
  withoutLastDot,
} from './name-files.ts';

/** The time limit of a lookup in milliseconds, however many names and servers it asks. */
export const LOOKUP_LIMIT_MS = 10_000;
/** The part of this limit for checking whether any name can be resolved. */
const PROBE_LIMIT_MS = 3_000;
/** The first timeout of a query to one name server. The second one is twice as long. */
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;
/** How long to look for IPv6 addresses that are useless here, only to give the right reason. */
const IPV6_PROBE_LIMIT_MS = 1_000;
/** How long to wait for addresses of the other family after those of one have arrived. */
const OTHER_FAMILY_DELAY_MS = 250;
/** The names to query when a lookup has failed: the root, and this many of those that were found last. */
const ROOT = '.';
const REMEMBERED_NAMES = 2;

const HOSTS_FILE = '/etc/hosts';
const RESOLVER_FILE = '/etc/resolv.conf';
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Codes of responses that say that a name has no address. */
const SAYS_ABSENT: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);
/** Codes of names without an address, including names that are not looked up. */
const ABSENT: ReadonlySet<unknown> = new Set([...SAYS_ABSENT, 'EBADNAME']);
/** Codes of name servers that do not respond. Further search domains would not help. */
const SILENT: ReadonlySet<unknown> = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED']);

/**
 * No name can be resolved: the fault of this machine, not of the host that was looked up. Either no name server responds,
 * or they refuse or fail all lookups.
 */
export class NameServiceDownError extends Error {
  override readonly name = 'NameServiceDownError';
  readonly code: 'NAME_SERVICE_SILENT' | 'NAME_SERVICE_FAILS';

  constructor(isSilent: boolean) {
    super('no name can be resolved');
    this.code = isSilent ? 'NAME_SERVICE_SILENT' : 'NAME_SERVICE_FAILS';
  }
}

/** What lookups of any name get: an answer, only failures, or no response. */
type NameServiceState = 'answers' | 'fails' | 'silent';

/** A lookup in progress. */
interface Lookup {
  readonly resolver: Resolver;
  /** The name as configured, without a search domain. */
  readonly hostname: string;
}

/** Configuration of a {@link NameResolver}. */
export interface NameResolverOptions {
  /** Addresses of name servers, `address` or `address:port`. @defaultValue those of the system */
  readonly nameServers?: readonly string[];
  /** @defaultValue `/etc/hosts` */
  readonly hostsFile?: string;
  /** Provides search domains and `ndots`. @defaultValue `/etc/resolv.conf` */
  readonly resolverFile?: string;
}

/**
 * Looks up host names in the hosts file, then with the name servers. Unlike the lookup of the operating system, a
 * lookup blocks no thread, so names that cannot be resolved do not delay others.
 *
 * The resolver follows `resolv.conf` (name servers, `search`, `ndots`), but no other sources of `nsswitch.conf`, such
 * as mDNS.
 */
export class NameResolver {
  readonly #hosts: ParsedFile<ReadonlyMap<string, readonly string[]>>;
  readonly #search: ParsedFile<SearchRules>;
  readonly #nameServers: readonly string[] | null;
  #resolver: { readonly of: SearchRules; readonly resolver: Resolver } | null = null;
  /** When a response last proved that names can be resolved, in the time of `performance.now()`. */
  #respondedAt = Number.NEGATIVE_INFINITY;
  /** The names that were found last, in this order. Two, since the last one may be the one that fails next. */
  readonly #foundNames = new Set<string>();
  /** The queries in progress that find out whether any name can be resolved, by name. */
  readonly #probes = new Map<string, Promise<unknown>>();

  constructor(options: NameResolverOptions = {}) {
    this.#hosts = new ParsedFile(options.hostsFile ?? HOSTS_FILE, parseHosts);
    this.#search = new ParsedFile(options.resolverFile ?? RESOLVER_FILE, parseSearchRules);
    this.#nameServers = options.nameServers ?? null;
  }

  /** {@link find} in the form of `dns.lookup` with `all: true`. */
  readonly lookup = (
    hostname: string,
    { family = 0 }: LookupOptions,
    callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
  ): void => {
    this.find(hostname).then(
      (addresses) =>
        callback(
          null,
          addresses.filter((address) => family === 0 || address.family === family),
        ),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

  /**
   * The addresses of a host, at least one, IPv4 first.
   *
   * @throws an error with `code`: `ENOTFOUND` if there is no address, `ONLY_IPV6` if there are only addresses that this
   *   machine does not reach, `EAI_AGAIN` if this name gets no response within {@link LOOKUP_LIMIT_MS}, `ESERVFAIL` and
   *   the like if a name server fails
   * @throws an error with `code`, such as `EMFILE`, if no file descriptor or memory is free
   * @throws {NameServiceDownError} if no name can be resolved
   */
  async find(hostname: string): Promise<readonly LookupAddress[]> {
    const wanted = hostname.toLowerCase();
    const name = withoutLastDot(wanted);
    const listed = (await this.#hosts.read()).get(name);
    if (listed !== undefined) return listed.map(addressOf);
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;

    const startedAt = performance.now();
    const rules = await this.#search.read();
    const resolver = this.#resolverFor(rules);
    const candidates = candidatesOf(wanted, rules);
    try {
      return await inTime(
        LOOKUP_LIMIT_MS - PROBE_LIMIT_MS,
        this.#firstOf({ resolver, hostname: name }, candidates),
      );
    } catch (error) {
      const code = codeOf(error);
      if (ABSENT.has(code)) throw lookupError('ENOTFOUND', hostname);
      if (this.#respondedAt < startedAt) {
        const state = await this.#stateOf(resolver, candidates);
        if (state === 'silent') await openSocket();
        if (state !== 'answers') throw new NameServiceDownError(state === 'silent' && SILENT.has(code));
      }
      throw lookupError(SILENT.has(code) ? 'EAI_AGAIN' : String(code), hostname);
    }
  }

  /** A resolver reads the name servers once, so a change of `resolv.conf` needs a new one. */
  #resolverFor(rules: SearchRules): Resolver {
    if (this.#resolver?.of === rules) return this.#resolver.resolver;
    const resolver = new Resolver({
      timeout: QUERY_TIMEOUT_MS,
      tries: QUERY_TRIES,
      maxTimeout: 2 * QUERY_TIMEOUT_MS,
    });
    if (this.#nameServers !== null) resolver.setServers(this.#nameServers);
    this.#resolver = { of: rules, resolver };
    return resolver;
  }

  /** Resolves the first name that has an address. A server failure for one name does not end the search. */
  async #firstOf(lookup: Lookup, names: readonly string[]): Promise<readonly LookupAddress[]> {
    let failure: unknown = lookupError('ENOTFOUND', names.at(-1) ?? '');
    for (const name of names) {
      try {
        return await this.#ask(lookup, name);
      } catch (error) {
        if (SILENT.has(codeOf(error))) throw error;
        if (!ABSENT.has(codeOf(error))) failure = error;
      }
    }
    throw failure;
  }

  async #ask(lookup: Lookup, name: string): Promise<readonly LookupAddress[]> {
    const found: LookupAddress[][] = [];
    const families = reachesIpv6() ? ([4, 6] as const) : ([4] as const);
    const noted = families.map(async (family, place) => {
      found[place] = await this.#query(lookup, name, family);
    });
    const all = Promise.allSettled(noted);
    const isFound = await Promise.any(noted).then(
      () => true,
      () => false,
    );
    if (isFound) {
      await Promise.race([all, delay(OTHER_FAMILY_DELAY_MS, undefined, { ref: false })]);
      return found.flat();
    }
    const failures = (await all).map((result) => (result.status === 'rejected' ? result.reason : null));
    const failure = failures.find((each) => !ABSENT.has(codeOf(each))) ?? failures[0];
    if (codeOf(failure) === 'ENODATA' && families.length === 1 && (await this.#hasIpv6(lookup, name)))
      throw lookupError('ONLY_IPV6', name);
    throw failure;
  }

  /** Whether a name has an IPv6 address. A name server that does not respond soon to this counts as no. */
  async #hasIpv6(lookup: Lookup, name: string): Promise<boolean> {
    return await inTime(IPV6_PROBE_LIMIT_MS, this.#query(lookup, name, 6)).then(
      () => true,
      () => false,
    );
  }

  async #query({ resolver, hostname }: Lookup, name: string, family: 4 | 6): Promise<LookupAddress[]> {
    try {
      const addresses = await (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name));
      this.#noteResponse(name);
      return addresses.map((address) => ({ address, family }));
    } catch (error) {
      // A cluster's own name server says this about the names of its search domains, even if it resolves no others.
      if (name === hostname && SAYS_ABSENT.has(codeOf(error))) this.#noteResponse(null);
      throw error;
    }
  }

  #noteResponse(name: string | null): void {
    this.#respondedAt = performance.now();
    if (name === null) return;
    this.#foundNames.delete(name);
    this.#foundNames.add(name);
    keepNewest(this.#foundNames, REMEMBERED_NAMES);
  }

  /**
   * What the name servers respond to queries for the root and for the names that were found last. The names of the
   * failed lookup are not queried: they fail whether their own name servers are at fault or those of this machine.
   */
  async #stateOf(resolver: Resolver, failedNames: readonly string[]): Promise<NameServiceState> {
    const names = [ROOT, ...this.#foundNames].filter((name) => !failedNames.includes(name));
    let failed = false;
    const answered = names.map(async (name) => {
      try {
        await this.#probe(resolver, name);
      } catch (error) {
        if (SAYS_ABSENT.has(codeOf(error))) return;
        failed ||= !SILENT.has(codeOf(error));
        throw error;
      }
    });
    return await inTime(PROBE_LIMIT_MS, Promise.any(answered)).then(
      () => 'answers',
      () => (failed ? 'fails' : 'silent'),
    );
  }

  /** Queries a name. Lookups that fail at the same time share the queries. */
  #probe(resolver: Resolver, name: string): Promise<unknown> {
    const running = this.#probes.get(name);
    if (running !== undefined) return running;
    const query: Promise<unknown> = name === ROOT ? resolver.resolveNs(ROOT) : resolver.resolve4(name);
    const probe = query.finally(() => this.#probes.delete(name));
    this.#probes.set(name, probe);
    return probe;
  }
}

/** Waits for a promise, but rejects with the code `ETIMEOUT` after the limit. */
async function inTime<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  return await within(limitMs, promise, () => {
    throw lookupError('ETIMEOUT', '');
  });
}

/**
 * Opens and closes a socket, because a resolver that cannot open one reports that no name server responds.
 *
 * @throws an error with `code`, such as `EMFILE`, if no file descriptor or memory is free
 */
async function openSocket(): Promise<void> {
  const socket = createSocket('udp4');
  try {
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
  } catch (error) {
    if (isOwnFailure(error)) throw error;
  } finally {
    socket.close();
  }
}

/**
 * Whether this machine may have a public IPv6 address. Without one, IPv6 addresses of hosts are useless. True if the
 * system does not allow this process to list the network interfaces.
 */
function reachesIpv6(): boolean {
  try {
    return Object.values(networkInterfaces()).some((addresses) =>
      addresses?.some(
        ({ family, internal, address }) => family === 'IPv6' && !internal && !/^fe[89ab]/i.test(address),
      ),
    );
  } catch {
    return true;
  }
}

function addressOf(address: string): LookupAddress {
  return { address, family: isIP(address) };
}

function lookupError(code: string, hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`lookup of ${hostname} failed: ${code}`), { code });
}
