import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { MINUTE_MS } from '../time/units.ts';
import { type TargetGuard, TargetRefusedError } from './target-guard.ts';

/**
 * How long to try an address before the next one of the name: longer than a lost packet and a distant target take. By
 * default, Node stops trying an address after 250 ms, and never returns to it.
 */
const MAX_ADDRESS_TIMEOUT_MS = 3_000;
/** Node's default. */
const MIN_ADDRESS_TIMEOUT_MS = 250;
/** The part of the deadline that one of several addresses may take. Names rarely have more than eight. */
const ADDRESS_SHARE = 1 / 8;

/** After this time without traffic, the system checks whether the other side of a connection is still there. */
const TCP_KEEP_ALIVE_DELAY_MS = MINUTE_MS;

/**
 * Called once: with the connection and the duration of the TCP handshake, or with the error.
 *
 * @param roundTripMs one round trip to the target, in milliseconds with fractions; 0 without a connection
 */
export type ConnectCallback = (error: Error | null, socket: Socket | null, roundTripMs: number) => void;

/** Notified when the lookup of a host name begins and ends. Literal addresses are not looked up. */
export interface LookupWatcher {
  onLookupStart(): void;
  /** Called after every lookup, even if no address was found. */
  onLookupEnd(): void;
}

/** The destination of a connection, in undici's form. */
export type ConnectTarget = Pick<buildConnector.Options, 'hostname' | 'protocol' | 'port'>;

/** Configuration of a {@link TargetConnector}. */
export interface TargetConnectorOptions {
  readonly guard: TargetGuard;
  /** Certificate authorities in PEM format that are trusted in addition to those of Node.js. */
  readonly ca?: readonly string[];
  /** The deadline of callers. An address that does not respond uses only a part of it. @defaultValue none */
  readonly deadlineMs?: number;
}

/**
 * Opens TCP or TLS connections to targets that the guard allows. An attempt has no deadline: callers end it through the
 * socket, which is returned at once.
 *
 * TLS sessions are never resumed, because a resumed session does not check the target's certificate again.
 */
export class TargetConnector {
  readonly #guard: TargetGuard;
  readonly #secureContext: SecureContext;
  readonly #addressTimeoutMs: number;

  constructor(options: TargetConnectorOptions) {
    this.#guard = options.guard;
    const { ca, deadlineMs = Number.POSITIVE_INFINITY } = options;
    const share = Math.max(MIN_ADDRESS_TIMEOUT_MS, Math.ceil(deadlineMs * ADDRESS_SHARE));
    this.#addressTimeoutMs = Math.min(MAX_ADDRESS_TIMEOUT_MS, share);
    // Created once, because reading the certificate authorities takes longer than a handshake.
    this.#secureContext = createSecureContext(
      ca === undefined ? {} : { ca: [...getCACertificates(), ...ca] },
    );
  }

  /**
   * Starts to connect, and returns the socket; null if the address is refused at once. The callback may be called
   * before this method returns.
   */
  connect(
    { hostname, protocol, port }: ConnectTarget,
    watcher: LookupWatcher | null,
    callback: ConnectCallback,
  ): Socket | null {
    // A literal address is never looked up, so the guard's lookup does not check it.
    if (this.#guard.checkHost(hostname) !== null) {
      callback(new TargetRefusedError(hostname), null, 0);
      return null;
    }
    const tls = protocol === 'https:';
    const address = {
      host: hostname,
      port: port === '' ? (tls ? 443 : 80) : Number(port),
      lookup: watcher === null ? this.#guard.lookup : watchedLookup(this.#guard.lookup, watcher),
      autoSelectFamilyAttemptTimeout: this.#addressTimeoutMs,
    };
    const socket = tls
      ? connectTls({
          ...address,
          secureContext: this.#secureContext,
          ALPNProtocols: ['http/1.1'],
          // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
          rejectUnauthorized: true,
          ...(isIP(hostname) === 0 && { servername: hostname }),
        })
      : connectTcp(address);
    socket.setNoDelay(true).setKeepAlive(true, TCP_KEEP_ALIVE_DELAY_MS);

    let settled = false;
    const settle: ConnectCallback = (error, connected, roundTripMs) => {
      if (settled) return;
      settled = true;
      callback(error, connected, roundTripMs);
    };
    // With several addresses, the last attempt is the one that succeeded.
    let attemptedAt = performance.now();
    let handshakeMs = 0;
    socket
      .on('connectionAttempt', () => {
        attemptedAt = performance.now();
      })
      .once('connect', () => {
        handshakeMs = performance.now() - attemptedAt;
      })
      .once(tls ? 'secureConnect' : 'connect', () => settle(null, socket, handshakeMs))
      .on('error', (error) => settle(error, null, 0));
    return socket;
  }
}

function watchedLookup(lookup: LookupFunction, watcher: LookupWatcher): LookupFunction {
  return (hostname, options, callback) => {
    watcher.onLookupStart();
    lookup(hostname, options, (...result) => {
      watcher.onLookupEnd();
      callback(...result);
    });
  };
}
