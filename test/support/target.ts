import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { DEADLINE_MS } from './deadline.ts';
import { answer, type Behaviour } from './target-behaviours.ts';
import { ReceivedPostback } from './target-received.ts';
import { type TargetCertificate, targetCertificate } from './target-tls.ts';

export type { ReceivedPostback };

/** What a target does with a connection, before any request: `hang` accepts it and sends nothing, not even for TLS. */
export type ConnectionBehaviour = 'serve' | 'reset' | 'hang';

/** Options of a target. */
export interface TargetOptions {
  /** Its initial behaviour for requests. @defaultValue `answer(200)` */
  readonly respondWith?: Behaviour;
  /** Speaks TLS with this certificate; plain HTTP otherwise. */
  readonly tls?: TargetCertificate;
}

/** How long to wait. */
export interface WaitOptions {
  /** @defaultValue {@link DEADLINE_MS} */
  readonly deadlineMs?: number;
}

interface Connection {
  readonly tcp: Socket;
  readonly number: number;
  requests: number;
}

interface Waiter {
  readonly isMet: () => boolean;
  readonly resolve: () => void;
}

/** A real HTTP server on 127.0.0.1 that stores the requests and misbehaves on command. */
export class Target implements AsyncDisposable {
  /** All completely received requests so far, in the order of arrival. */
  readonly requests: ReceivedPostback[] = [];
  readonly protocol: 'http' | 'https';
  readonly #tcp = createTcpServer();
  readonly #waiters = new Set<Waiter>();
  /** Those that are open, by the sender's port: over TLS a request's socket is another one than the connection's. */
  readonly #connections = new Map<number, Connection>();
  #behaviour: Behaviour;
  #connectionBehaviour: ConnectionBehaviour = 'serve';
  #acceptedConnections = 0;
  #port = 0;

  /** Not listening yet: see {@link startTarget}. */
  constructor(options: TargetOptions) {
    this.#behaviour = options.respondWith ?? answer(200);
    this.protocol = options.tls === undefined ? 'http' : 'https';
    const receive = (request: IncomingMessage, response: ServerResponse) =>
      void this.#receive(request, response);
    const http =
      options.tls === undefined
        ? createHttpServer(receive)
        : createHttpsServer(targetCertificate(options.tls), receive);
    // An idle connection stays open until a behaviour or the sender closes it, so that no test depends on its timing.
    http.keepAliveTimeout = 0;
    http.on('tlsClientError', () => {});
    this.#tcp.on('connection', (socket) => this.#accept(socket, () => http.emit('connection', socket)));
  }

  /** Without a slash at its end. */
  get url(): string {
    return `${this.protocol}://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** How many connections are open now. */
  get openConnections(): number {
    return this.#connections.size;
  }

  /** How many connections were accepted so far. */
  get acceptedConnections(): number {
    return this.#acceptedConnections;
  }

  /** Sets the behaviour for further requests. */
  respondWith(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
  }

  /** Sets the behaviour for new connections. */
  acceptWith(behaviour: ConnectionBehaviour): void {
    this.#connectionBehaviour = behaviour;
  }

  /** Closes all connections and refuses new ones until it listens again. */
  async refuse(): Promise<void> {
    if (!this.#tcp.listening) return;
    const closed = once(this.#tcp, 'close');
    this.#tcp.close();
    this.dropConnections();
    await closed;
  }

  /** Accepts connections, at the same port as before if there was one. */
  async listen(): Promise<void> {
    this.#tcp.listen(this.#port, '127.0.0.1');
    await once(this.#tcp, 'listening');
    this.#port = (this.#tcp.address() as AddressInfo).port;
  }

  /** Closes all connections that are open. */
  dropConnections(): void {
    for (const { tcp } of this.#connections.values()) tcp.destroy();
  }

  /**
   * Waits until this many requests have arrived, or until they meet a condition. Resolves with all requests.
   *
   * @throws {Error} at the deadline, with the requests so far
   */
  async waitFor(
    wanted: number | ((requests: readonly ReceivedPostback[]) => boolean),
    options: WaitOptions = {},
  ): Promise<readonly ReceivedPostback[]> {
    await this.waitUntil(
      () => (typeof wanted === 'number' ? this.requests.length >= wanted : wanted(this.requests)),
      options,
    );
    return this.requests;
  }

  /**
   * Waits until a condition is met, looking at each request and each opened or closed connection.
   *
   * @throws {Error} at the deadline, with the requests so far
   */
  async waitUntil(isMet: () => boolean, { deadlineMs = DEADLINE_MS }: WaitOptions = {}): Promise<void> {
    if (isMet()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { isMet, resolve };
    this.#waiters.add(waiter);
    const timer = setTimeout(() => reject(new Error(this.#describeWait(deadlineMs))), deadlineMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }

  /** Stops listening and closes all connections. */
  async close(): Promise<void> {
    await this.refuse();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #accept(socket: Socket, serve: () => void): void {
    this.#acceptedConnections += 1;
    // A connection that was reset before it was accepted has no port any more.
    const port = socket.remotePort ?? -this.#acceptedConnections;
    this.#connections.set(port, { tcp: socket, number: this.#acceptedConnections, requests: 0 });
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#connections.delete(port);
      this.#changed();
    });
    if (this.#connectionBehaviour === 'serve') serve();
    else if (this.#connectionBehaviour === 'reset') socket.resetAndDestroy();
    else socket.resume();
    this.#changed();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return; // The sender closed the connection before its request was complete.
    }
    const connection = this.#connections.get(socket.remotePort ?? 0);
    if (connection === undefined) return;
    connection.requests += 1;
    const postback = new ReceivedPostback(request, Buffer.concat(chunks), connection);
    this.requests.push(postback);
    this.#behaviour({ postback, response, socket, tcp: connection.tcp });
    this.#changed();
  }

  #changed(): void {
    for (const waiter of this.#waiters) if (waiter.isMet()) waiter.resolve();
  }

  #describeWait(deadlineMs: number): string {
    const paths = this.requests.map(({ method, path }) => `${method} ${path}`).slice(0, 10);
    const came = paths.length === 0 ? 'no requests' : `${this.requests.length} requests: ${paths.join(', ')}`;
    return `Waited ${deadlineMs} ms without success; received ${came}; ${this.#connections.size} connections are open`;
  }
}

/** Starts a target that listens on a free port of 127.0.0.1. */
export async function startTarget(options: TargetOptions = {}): Promise<Target> {
  const target = new Target(options);
  await target.listen();
  return target;
}
