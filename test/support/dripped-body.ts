import { connect } from 'node:net';
import { DEADLINE_MS } from './deadline.ts';

const PARTS = 10;

/** A body that arrives in small parts now and then. */
export interface DrippedBody {
  /** @defaultValue POST */
  method?: string;
  path: string;
  /** How many bytes the header promises. */
  bytes: number;
  /** How many are sent. @defaultValue all of them */
  sent?: number;
  /** How long it takes to send them. */
  ms: number;
}

/** Sends JSON to a port of this host in parts. Returns what the server sent until it closed the connection. */
export async function drip(
  port: number,
  { method = 'POST', path, bytes, sent = bytes, ms }: DrippedBody,
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const closed = Promise.withResolvers<string>();
  let received = '';
  socket.on('error', () => {});
  socket.once('close', () => closed.resolve(received));
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
    if (received.startsWith('HTTP/1.1 200')) socket.end();
  });
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`);
  socket.write(`Content-Length: ${bytes}\r\n\r\n`);
  let rest = '1'.padEnd(sent);
  const size = Math.ceil(sent / PARTS);
  const sendPart = () => {
    if (!socket.destroyed && rest !== '') socket.write(rest.slice(0, size));
    rest = rest.slice(size);
  };
  sendPart();
  const timer = setInterval(sendPart, ms / (PARTS - 1));
  const giveUp = setTimeout(() => closed.reject(new Error('still open')), Math.max(7 * ms, DEADLINE_MS));
  try {
    return await closed.promise;
  } finally {
    clearInterval(timer);
    clearTimeout(giveUp);
    socket.destroy();
  }
}
