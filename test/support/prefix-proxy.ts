import { createServer, request } from 'node:http';
import { listenOnFreePort } from './free-port.ts';

/** A reverse proxy that serves only what is below `prefix`. */
export interface PrefixProxy extends AsyncDisposable {
  /** The public URL of the service. */
  url: string;
  /** The URL of the service itself. */
  target: string;
}

/** How a proxy treats the prefix when it forwards a request. */
export type PrefixHandling = 'takes it off' | 'hands it on';

/** Starts a proxy; `target` is set once the service runs. */
export async function startPrefixProxy(
  prefix: string,
  handling: PrefixHandling = 'takes it off',
): Promise<PrefixProxy> {
  const server = createServer((incoming, answer) => {
    const address = incoming.url ?? '/';
    if (!address.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end();
      return;
    }
    const { hostname, port } = new URL(proxy.target);
    const path = handling === 'takes it off' ? address.slice(prefix.length) : address;
    const outgoing = request(
      { hostname, port, method: incoming.method, path, headers: incoming.headers },
      (received) => {
        answer.writeHead(received.statusCode ?? 502, received.headers);
        received.pipe(answer);
      },
    );
    outgoing.on('error', () => answer.writeHead(502).end());
    incoming.pipe(outgoing);
  });
  const port = await listenOnFreePort(server);
  const proxy: PrefixProxy = {
    url: `http://127.0.0.1:${port}${prefix}`,
    target: '',
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
