import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { type TargetGuard, TargetRefusedError } from './target-guard.ts';

/** After how long without traffic the system asks whether the other side of a connection is still there. */
const TCP_KEEP_ALIVE_DELAY_MS = 60_000;

/**
 * Called once: with the connection and how long the TCP handshake took, or with the reason that there is none.
 *
 * @param roundTripMs one round trip to the target, in milliseconds with fractions; 0 without a connection
 */
export type ConnectCallback = (error: Error | null, socket: Socket | null, roundTripMs: number) => void;

/** Learns when the lookup of a host name begins and ends; of a literal address nothing is looked up. */
export interface LookupWatcher {
  onLookupStart(): void;
  /** Called whether or not an address was found. */
  onLookupEnd(): void;
}

/** Where a connection goes, as undici describes it to connectors. */
export type ConnectTarget = Pick<buildConnector.Options, 'hostname' | 'protocol' | 'port'>;

/** What a {@link TargetConnector} is made of. */
export interface TargetConnectorOptions {
  readonly guard: TargetGuard;
  /** Certificate authorities in PEM format that are trusted in addition to the ones that Node.js trusts. */
  readonly ca?: readonly string[];
}

/**
 * Opens TCP or TLS connections to targets that the guard allows. It has no deadline of its own: a caller ends a
 * connection attempt through the socket, which exists at once.
 *
 * TLS sessions are never resumed, since a resumed session does not look at the target's certificate again.
 */
export class TargetConnector {
  readonly #guard: TargetGuard;
  readonly #secureContext: SecureContext;

  constructor(options: TargetConnectorOptions) {
    this.#guard = options.guard;
    const { ca } = options;
    // Made once: reading the certificate authorities takes longer than a handshake.
    this.#secureContext = createSecureContext(
      ca === undefined ? {} : { ca: [...getCACertificates(), ...ca] },
    );
  }

  /**
   * Starts to connect and returns the socket meanwhile; null when the address is refused at once. The callback may be
   * called before this returns.
   */
  connect(
    { hostname, protocol, port }: ConnectTarget,
    watcher: LookupWatcher | null,
    callback: ConnectCallback,
  ): Socket | null {
    // A literal address is never looked up, so the guard's lookup does not see it.
    if (this.#guard.checkHost(hostname) !== null) {
      callback(new TargetRefusedError(hostname), null, 0);
      return null;
    }
    const tls = protocol === 'https:';
    const address = {
      host: hostname,
      port: port === '' ? (tls ? 443 : 80) : Number(port),
      lookup: watcher === null ? this.#guard.lookup : watchedLookup(this.#guard.lookup, watcher),
    };
    const socket = tls
      ? connectTls({
          ...address,
          secureContext: this.#secureContext,
          ALPNProtocols: ['http/1.1'],
          // Said here, so that NODE_TLS_REJECT_UNAUTHORIZED cannot say otherwise.
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
    // Of several addresses the last attempt is the one that succeeds.
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
    lookup(hostname, options, (...answer) => {
      watcher.onLookupEnd();
      callback(...answer);
    });
  };
}
