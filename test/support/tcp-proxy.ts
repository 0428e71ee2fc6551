import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenOnFreePort } from './free-port.ts';

/** A proxy between a program and a server that fails like a network. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** The number of current connections. */
  readonly open: number;
  /** How often a client has sent something after the server had, on all connections so far. */
  readonly roundTrips: number;
  /** Cuts every connection and refuses new ones. */
  cut(): void;
  /** Silently stops forwarding in both directions. */
  freeze(): void;
  /** Ends each connection right after the next chunk from the client that contains this text, so that no response arrives. */
  cutBehind(text: string): void;
  /** Forwards new connections again; stalled ones remain stalled. */
  restore(): void;
}

/** How a proxy changes what it forwards. */
export interface TcpProxyOptions {
  /** Returns what is sent to the client instead of a chunk of the server. */
  replaceSent?: (chunk: Buffer) => Buffer;
}

/** The URL of a database through another port of this machine. */
export function throughPort(url: string, port: number): string {
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(port);
  return through.href;
}

/** Starts a proxy to the server of a database. Returns also the URL of the database through it. */
export async function startProxyTo(
  url: string,
  options?: TcpProxyOptions,
): Promise<{ proxy: TcpProxy; behind: string }> {
  const { hostname, port } = new URL(url);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) }, options);
  return { proxy, behind: throughPort(url, proxy.port) };
}

/**
 * Starts a proxy on a free port of loopback.
 * @param target where new connections lead. The caller may change it
 */
export async function startTcpProxy(
  target: { host: string; port: number },
  { replaceSent }: TcpProxyOptions = {},
): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let last: string | null = null;
  let roundTrips = 0;
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (state === 'cut') {
      socket.destroy();
      return;
    }
    const upstream = connect(target);
    const pair = [socket, upstream] as const;
    pairs.add(pair);
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
    upstream.on('close', () => {
      pairs.delete(pair);
      socket.destroy();
    });
    if (state === 'open') pass(pair, replaceSent);
    let isClientsTurn = true;
    upstream.on('data', () => {
      isClientsTurn = true;
    });
    socket.on('data', (chunk: Buffer) => {
      if (isClientsTurn) roundTrips += 1;
      isClientsTurn = false;
      if (last === null || !chunk.includes(last)) return;
      // Data that was already sent still arrives.
      upstream.unpipe();
      socket.unpipe();
      upstream.end(() => socket.destroy());
    });
  });
  const port = await listenOnFreePort(server);
  const cutAll = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    port,
    get open() {
      return pairs.size;
    },
    get roundTrips() {
      return roundTrips;
    },
    cut() {
      state = 'cut';
      cutAll();
    },
    freeze() {
      state = 'frozen';
      for (const [one, other] of pairs) {
        one.unpipe();
        other.unpipe();
        one.pause();
        other.pause();
      }
    },
    cutBehind(text) {
      last = text;
    },
    restore() {
      state = 'open';
      last = null;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      cutAll();
      await once(server, 'close');
    },
  };
}

function pass(
  [client, server]: readonly [Socket, Socket],
  replaceSent: ((chunk: Buffer) => Buffer) | undefined,
): void {
  client.pipe(server);
  if (replaceSent === undefined) server.pipe(client);
  else server.on('data', (chunk: Buffer) => client.write(replaceSent(chunk)));
}
