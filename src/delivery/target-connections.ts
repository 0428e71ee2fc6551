import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { Node, Yallist } from 'yallist';
import { AnswerReader } from './answer-reader.ts';
import type { LookupWatcher, TargetConnector } from './target-connector.ts';

/** What {@link TargetConnections} is made of. */
export interface TargetConnectionsOptions {
  readonly connector: Pick<TargetConnector, 'connect'>;
  /** How many connections are kept open without a request on them, over all targets. */
  readonly maxIdle: number;
  /** How long a connection is kept open without a request on it. */
  readonly idleTimeoutMs: number;
  /** After how long a connection is no longer used again, so that a target's new address is noticed under steady load. */
  readonly maxAgeMs: number;
}

/** The longest idle time that a target can ask for in its `Keep-Alive` header. */
const MAX_IDLE_HINT_MS = 30_000;

/** A request to a target: gets its answer, and learns when the target's host name is looked up. */
export interface TargetRequestHandler extends Dispatcher.DispatchHandler, LookupWatcher {
  /** Ends the request, since the service stops. */
  abort(): void;
}

/** A connection to a target, with at most one request on it at a time. */
export class TargetConnection {
  readonly origin: string;
  readonly #client: Client;
  readonly #onIdleClose: (connection: TargetConnection) => void;
  #socket: Socket | null = null;
  #reader: AnswerReader | null = null;
  #handler: TargetRequestHandler | null = null;
  /** Answers that were received whole since it was (re)connected. */
  answers = 0;
  /** When it was connected last, in the time of `performance.now()`. */
  connectedAt = 0;
  /** The shortest time in which the target's side answered anything since then: at least one round trip, in milliseconds. */
  roundTripMs = 0;
  /** Its place among those without a request on them; {@link TargetConnections} puts it there and takes it away. */
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
      // Every request has a deadline of its own, over all of its phases.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (target, callback) => {
        this.#socket = options.connector.connect(target, this.#handler, (error, socket, roundTripMs) => {
          if (socket === null) return callback(error ?? new Error('no connection'), null);
          this.answers = 0;
          this.connectedAt = performance.now();
          this.roundTripMs = roundTripMs;
          this.#reader = new AnswerReader(socket);
          callback(null, socket);
        });
      },
    });
    // A client would reconnect with its next request; here a connection that ended while idle is not used again. If it ended
    // with a request on it, that request has failed already, or is about to be sent on a new connection.
    this.#client.on('disconnect', () => {
      if (this.idle) this.#onIdleClose(this);
    });
  }

  /** Whether no request is on it and it may be used again. */
  get idle(): boolean {
    return this.idlePlace.list !== undefined;
  }

  /** How many `100 Continue` came before the answer that is being waited for. */
  get continues(): number {
    return this.#reader?.skipped ?? 0;
  }

  /** Whether any byte of the answer came that is being waited for. */
  get answerBegan(): boolean {
    return this.#reader?.began ?? false;
  }

  /** Sends a request; the handler gets the answer. */
  dispatch(request: Dispatcher.DispatchOptions, handler: TargetRequestHandler): void {
    this.#handler = handler;
    this.#client.dispatch(request, handler);
  }

  /** To be called when a request is about to be written to the connection. */
  beforeRequest(): void {
    this.#reader?.beforeAnswer();
  }

  /** To be called when the head of an answer is complete. */
  beforeBody(): void {
    this.#reader?.beforeBody();
  }

  /** To be called when an answer began so many milliseconds after its request was written. */
  answeredWithin(elapsedMs: number): void {
    if (elapsedMs < this.roundTripMs) this.roundTripMs = elapsedMs;
  }

  /** To be called when a request was answered whole: nothing of it is kept while the connection is idle. */
  finished(): void {
    this.answers += 1;
    this.#handler = null;
  }

  /** Ends the request on it, if there is one. */
  abort(): void {
    if (!this.idle) this.#handler?.abort();
  }

  /** Ends the connection, also one that is still being made, and the request on it. */
  async destroy(): Promise<void> {
    const socket = this.#socket;
    const ended = this.#client.destroy();
    // The client waits for a connection that is being made, however long that takes.
    socket?.destroy();
    await ended;
    if (socket === null || socket.closed) return;
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
    });
  }
}

/**
 * The connections to all targets: one for each request at a time, kept open for the next request to the same origin.
 * The number of open connections is bounded by the requests in flight plus `maxIdle`, however many targets there are.
 * Nothing is kept for an origin without open connections.
 */
export class TargetConnections implements AsyncDisposable {
  readonly #options: TargetConnectionsOptions;
  readonly #all = new Set<TargetConnection>();
  /** Connections without a request on them, the one that has been idle longest first. A list, not a Set: decision 14. */
  readonly #idle = new Yallist<TargetConnection>();
  /** Idle connections by origin, as stacks: surplus connections stay at the bottom, grow old and are closed. */
  readonly #idleByOrigin = new Map<string, TargetConnection[]>();

  constructor(options: TargetConnectionsOptions) {
    this.#options = options;
  }

  /** How many connections there are, idle ones included. */
  get size(): number {
    return this.#all.size;
  }

  /** How many requests are in flight. */
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

  /** Takes back a connection whose request was answered whole, for another one. */
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

  /** Ends all connections; done when their sockets are closed. */
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
