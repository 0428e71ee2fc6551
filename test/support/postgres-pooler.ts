import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenOnFreePort } from './free-port.ts';

/** The parameters that a pooler accepts in a startup message; PgBouncer rejects others by default. */
const STARTUP_PARAMETERS = new Set(['user', 'database', 'client_encoding', 'application_name', 'DateStyle']);

/** How long a client keeps its server connection. */
export type PoolMode = 'session' | 'transaction' | 'statement';

/** A pooler in front of a PostgreSQL server, as PgBouncer in one of its modes. */
export interface PostgresPooler extends AsyncDisposable {
  readonly port: number;
}

/** A connection to the server, and the client that currently uses it. */
interface ServerSide {
  socket: Socket;
  client: ClientSide | null;
}

interface ClientSide {
  socket: Socket;
  server: ServerSide | null;
  /** The number of requests after which the server has not yet reported that it is ready. */
  unanswered: number;
  /** Messages that wait for a server connection. */
  waiting: Buffer[];
  /** Whether it has signed in. */
  isSignedIn: boolean;
}

/**
 * Starts a pooler on a free port of loopback. It passes startup and authentication through.
 * @param poolSize with `session`: how many clients have a server connection. Others can sign in, but their statements wait
 * @param endsWaits does not let them wait, like PgBouncer after `query_wait_timeout`
 */
export async function startPostgresPooler(
  target: { host: string; port: number },
  mode: PoolMode,
  { poolSize = Infinity, endsWaits = false }: { poolSize?: number; endsWaits?: boolean } = {},
): Promise<PostgresPooler> {
  const sockets = new Set<Socket>();
  const idle: ServerSide[] = [];
  const pool = new Set<ClientSide>();
  const queued = new Set<ClientSide>();
  /** Whether the client is in the pool, which it may have entered just now. */
  const entersPool = (client: ClientSide): boolean => {
    if (pool.size >= poolSize && !pool.has(client)) {
      if (endsWaits) client.socket.end(fatalError('query_wait_timeout'));
      else queued.add(client);
      return false;
    }
    queued.delete(client);
    pool.add(client);
    return true;
  };
  const assign = (client: ClientSide): void => {
    if (client.isSignedIn && !entersPool(client)) return;
    client.server ??= idle.pop() ?? null;
    if (client.server === null) return;
    client.server.client = client;
    for (const message of client.waiting.splice(0)) client.server.socket.write(message);
  };
  const listener = createServer((socket) => {
    const upstream = connect(target);
    const server: ServerSide = { socket: upstream, client: null };
    const client: ClientSide = { socket, server, unanswered: 1, waiting: [], isSignedIn: false };
    server.client = client;
    for (const each of [socket, upstream]) {
      sockets.add(each);
      each.on('error', () => {}).on('close', () => sockets.delete(each));
    }
    let isStarted = false;
    readMessages(socket, { headerBytes: () => (isStarted ? 1 : 0) }, (message) => {
      if (!isStarted) {
        isStarted = true;
        const unknown = parametersOf(message).find((name) => !STARTUP_PARAMETERS.has(name));
        if (unknown !== undefined) {
          socket.end(fatalError(`unsupported startup parameter: ${unknown}`));
          return;
        }
      }
      if ('QS'.includes(String.fromCharCode(message[0]!))) client.unanswered += 1;
      client.waiting.push(message);
      assign(client);
    });
    readMessages(upstream, { headerBytes: () => 1 }, (message) => {
      const { client: served } = server;
      if (served === null) return;
      const isReady = message[0] === 'Z'.charCodeAt(0);
      const isInTransaction = isReady && message.at(-1) !== 'I'.charCodeAt(0);
      if (mode === 'statement' && isInTransaction) {
        served.socket.end(fatalError('transaction blocks not allowed in statement pooling mode'));
        upstream.destroy();
        return;
      }
      served.socket.write(message);
      if (!isReady) return;
      served.unanswered -= 1;
      served.isSignedIn = true;
      if (mode === 'session' || isInTransaction || served.unanswered > 0) return;
      served.server = null;
      server.client = null;
      idle.push(server);
    });
    socket.on('close', () => {
      if (mode !== 'session') return;
      upstream.destroy();
      pool.delete(client);
      queued.delete(client);
      for (const other of [...queued]) assign(other);
    });
    upstream.on('close', () => server.client?.socket.destroy());
  });
  const port = await listenOnFreePort(listener);
  return {
    port,
    async [Symbol.asyncDispose]() {
      // It may have been stopped before the end of its test.
      if (!listener.listening) return;
      listener.close();
      for (const socket of sockets) socket.destroy();
      await once(listener, 'close');
    },
  };
}

/** Calls back with each whole message of the protocol: a type of `headerBytes`, a length, and the rest. */
function readMessages(
  socket: Socket,
  { headerBytes }: { headerBytes: () => number },
  take: (message: Buffer) => void,
): void {
  let buffered = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (;;) {
      const typeBytes = headerBytes();
      if (buffered.length < typeBytes + 4) return;
      const length = typeBytes + buffered.readInt32BE(typeBytes);
      if (buffered.length < length) return;
      const message = buffered.subarray(0, length);
      buffered = buffered.subarray(length);
      take(message);
    }
  });
}

/** The names of a startup message: length, protocol version, then pairs of texts that end with NUL. */
function parametersOf(startup: Buffer): string[] {
  const texts = startup.subarray(8).toString().split('\0');
  return texts.filter((text, index) => index % 2 === 0 && text !== '');
}

function fatalError(text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`);
  const header = Buffer.alloc(5);
  header.write('E');
  header.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([header, fields]);
}
