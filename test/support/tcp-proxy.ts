import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a program and a server, and fails as networks do. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Connections that go through it now. */
  readonly open: number;
  /** Cuts every connection and refuses new ones. */
  cut(): void;
  /** Lets nothing through any more, without a word to either side. */
  freeze(): void;
  /** Ends each connection right behind the next chunk from the client that holds this text: no answer comes back. */
  cutBehind(text: string): void;
  /** Lets connections through again; those that stood still stay so. */
  mend(): void;
}

/** Starts a proxy on a free port of loopback. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let last: string | null = null;
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
    if (state === 'open') pass(pair);
    socket.on('data', (chunk: Buffer) => {
      if (last === null || !chunk.includes(last)) return;
      // What was sent still arrives.
      upstream.unpipe();
      socket.unpipe();
      upstream.end(() => socket.destroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cutAll = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return pairs.size;
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
    mend() {
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

function pass([one, other]: readonly [Socket, Socket]): void {
  one.pipe(other);
  other.pipe(one);
}
