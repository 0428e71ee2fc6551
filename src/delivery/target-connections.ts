import type { Socket } from 'node:net';
import type { Dispatcher, Client as UndiciClient } from 'undici';
import { Node, Yallist } from 'yallist';
import { isTlsError } from './failure-reason.ts';
import { ResponseReader } from './response-reader.ts';
import type { LookupWatcher, TargetConnector } from './target-connector.ts';
import { Client } from './undici-client.ts';

/** Configuration of {@link TargetConnections}. */
export interface TargetConnectionsOptions {
  readonly connector: Pick<TargetConnector, 'connect'>;
  /** Maximum number of idle connections, over all targets. */
  readonly maxIdle: number;
  /** How long an idle connection is kept open. */
  readonly idleTimeoutMs: number;
  /**
   * The age from which a connection is not used again, so that a new address of a target takes effect under steady
   * load.
   */
  readonly maxAgeMs: number;
}

/** The maximum idle time that a target can request in its `Keep-Alive` header. */
const MAX_IDLE_HINT_MS = 30_000;

/** A request to a target: receives its response, and is notified of the lookup of the target's host name. */
export interface TargetRequestHandler extends Dispatcher.DispatchHandler, LookupWatcher {
  /** Ends the request because the service stops. */
  abort(): void;
}

/** A connection to a target, with at most one request at a time. */
export class TargetConnection {
  readonly origin: string;
  readonly #client: UndiciClient;
  readonly #onIdleClose: (connection: TargetConnection) => void;
  #socket: Socket | null = null;
  #reader: ResponseReader | null = null;
  #handler: TargetRequestHandler | null = null;
  #tlsError: Error | null = null;
  /** The number of complete responses since the connection was (re)opened. */
  responses = 0;
  /** When the connection was last opened, in the time of `performance.now()`. */
  connectedAt = 0;
  /** The shortest time in which the target has responded since: at least one round trip, in milliseconds. */
  roundTripMs = 0;
  /** The node of this connection in the list of idle connections, which {@link TargetConnections} manages. */
  readonly idlePlace = new Node<TargetConnection>(this);

  constructor(
    origin: string,
    options: TargetConnectionsOptions,
    onIdleClose: (connection: TargetConnection) => void,
  ) {
    this.origin = origin;
    this.#onIdleClose = onIdleClose;
    this.#client = new Client(origin, {
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: options.idleTimeoutMs,
      keepAliveMaxTimeout: MAX_IDLE_HINT_MS,
      // Every request has its own deadline for all of its phases.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (target, callback) => {
        this.#socket = options.connector.connect(target, this.#handler, (error, socket, roundTripMs) => {
          if (socket === null) return callback(error ?? new Error('no connection'), null);
          this.responses = 0;
          this.connectedAt = performance.now();
          this.roundTripMs = roundTripMs;
          this.#reader = new ResponseReader(socket);
          this.#tlsError = null;
          socket.on('error', (failure) => {
            if (isTlsError(failure)) this.#tlsError ??= failure;
          });
          callback(null, socket);
        });
      },
    });
    // A client would reconnect for its next request, but a connection that ended while idle is not used again here. If
    // a connection ends during a request, that request has failed, or is about to be sent on a new connection.
    this.#client.on('disconnect', () => {
      if (this.idle) this.#onIdleClose(this);
    });
  }

  /** Whether the connection has no request and can be used again. */
  get idle(): boolean {
    return this.idlePlace.list !== undefined;
  }

  /** The number of `100 Continue` before the current response. */
  get continues(): number {
    return this.#reader?.skipped ?? 0;
  }

  /** Whether any byte of the current response has arrived. */
  get responseBegan(): boolean {
    return this.#reader?.began ?? false;
  }

  /**
   * The first TLS error since the connection was (re)opened; null if there was none. With TLS 1.3, the target checks the
   * handshake after this side has finished it, and undici reports only the close that follows.
   */
  get tlsError(): Error | null {
    return this.#tlsError;
  }

  /** Sends a request. The handler receives the response. */
  dispatch(request: Dispatcher.DispatchOptions, handler: TargetRequestHandler): void {
    this.#handler = handler;
    this.#client.dispatch(request, handler);
  }

  /** Call this when a request is about to be written to the connection. */
  beforeRequest(): void {
    this.#reader?.beforeResponse();
  }

  /** Call this when the head of a response is complete. */
  beforeBody(): void {
    this.#reader?.beforeBody();
  }

  /** Call this when a response begins, with the milliseconds since its request was written. */
  respondedWithin(elapsedMs: number): void {
    if (elapsedMs < this.roundTripMs) this.roundTripMs = elapsedMs;
  }

  /** Call this when a response is complete, so that its handler is not kept while the connection is idle. */
  finished(): void {
    this.responses += 1;
    this.#handler = null;
  }

  /** Ends the request, if there is one. */
  abort(): void {
    if (!this.idle) this.#handler?.abort();
  }

  /** Ends the connection and its request, even while the connection is being opened. */
  async destroy(): Promise<void> {
    const socket = this.#socket;
    const ended = this.#client.destroy();
    // The client would wait until an opening connection is established, however long that takes.
    socket?.destroy();
    await ended;
    if (socket === null || socket.closed) return;
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
    });
  }
}

/**
 * The connections to all targets: one for each concurrent request, kept open for the next request to the same
 * origin. The number of open connections is at most the requests in flight plus `maxIdle`, however many targets
 * there are. Nothing is kept for an origin without open connections.
 */
export class TargetConnections implements AsyncDisposable {
  readonly #options: TargetConnectionsOptions;
  readonly #all = new Set<TargetConnection>();
  /** Idle connections, the one that has been idle longest first. A list, not a Set: decision 14. */
  readonly #idle = new Yallist<TargetConnection>();
  /** Idle connections by origin, as stacks: surplus connections stay at the bottom, age and are closed. */
  readonly #idleByOrigin = new Map<string, TargetConnection[]>();

  constructor(options: TargetConnectionsOptions) {
    this.#options = options;
  }

  /** The number of connections, including idle ones. */
  get size(): number {
    return this.#all.size;
  }

  /** The number of requests in flight. */
  get inFlight(): number {
    return this.#all.size - this.#idle.length;
  }

  /** An idle connection to the origin, or a new one. */
  acquire(origin: string): TargetConnection {
    const connection = this.#idleByOrigin.get(origin)?.pop();
    if (connection === undefined) return this.open(origin);
    this.#idle.removeNode(connection.idlePlace);
    return connection;
  }

  /** A new connection to the origin. */
  open(origin: string): TargetConnection {
    const connection = new TargetConnection(origin, this.#options, (ended) => this.discard(ended));
    this.#all.add(connection);
    return connection;
  }

  /** Makes a connection idle after a complete response, for the next request. */
  release(connection: TargetConnection): void {
    connection.finished();
    if (performance.now() - connection.connectedAt > this.#options.maxAgeMs) {
      this.discard(connection);
      return;
    }
    this.#idle.pushNode(connection.idlePlace);
    const stack = this.#idleByOrigin.get(connection.origin);
    if (stack === undefined) this.#idleByOrigin.set(connection.origin, [connection]);
    else stack.push(connection);
    const oldest = this.#idle.head;
    if (oldest !== undefined && this.#idle.length > this.#options.maxIdle) this.discard(oldest.value);
  }

  /** Ends a connection, idle or not. */
  discard(connection: TargetConnection): void {
    this.#forget(connection);
    void connection.destroy();
  }

  /** Ends all requests in flight. */
  abortRequests(): void {
    for (const connection of [...this.#all]) connection.abort();
  }

  /** Ends all connections. Resolves when their sockets are closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    const connections = [...this.#all];
    for (const connection of connections) this.#forget(connection);
    await Promise.all(connections.map((connection) => connection.destroy()));
  }

  #forget(connection: TargetConnection): void {
    this.#all.delete(connection);
    if (connection.idle) this.#idle.removeNode(connection.idlePlace);
    const stack = this.#idleByOrigin.get(connection.origin);
    if (stack === undefined) return;
    const index = stack.indexOf(connection);
    if (index !== -1) stack.splice(index, 1);
    if (stack.length === 0) this.#idleByOrigin.delete(connection.origin);
  }
}
