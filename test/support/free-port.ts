import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

/**
 * Below the ports that Linux, macOS and Windows assign to outgoing connections. In that range a client that keeps trying
 * to reach a stopped server can get the server's own port, connect to itself, and prevent the server from restarting.
 */
const PORTS = { first: 15_000, count: 17_000 };

/** A free port of loopback, for a server that cannot choose one itself. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    if (await isFree(port)) return port;
  }
}

/**
 * Free ports for a service that a test stops and starts again. Outgoing connections cannot take them meanwhile.
 */
export async function freePorts(): Promise<{ port: number; content_port: number }> {
  for (;;) {
    const port = await freePort();
    if (await isFree(port + 1)) return { port, content_port: port + 1 };
  }
}

/** Lets a server listen on a free port of loopback, and returns the port. */
export async function listenOnFreePort(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Whether a server of this machine could listen on a port of loopback. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Whether a program of this machine accepts connections on a port. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
