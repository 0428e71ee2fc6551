import { connect, type Socket } from 'node:net';

/** Requests byte by byte, which `fetch` would not send, or not so slowly. */

/** A connection to the server of a URL. The server may reset it, which is no error of the test. */
export function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname).on('error', () => {});
}

/** All that arrives on a connection from now until it is closed, as text. */
export async function textUntilClosed(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  await new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  return Buffer.concat(parts).toString();
}

/** Sends these bytes on a connection of their own, and returns all that came back until it was closed. */
export async function exchangeBytes(url: string, bytes: string): Promise<string> {
  const socket = connectTo(url);
  socket.write(bytes);
  return await textUntilClosed(socket);
}
