import { once } from 'node:events';
import { createServer } from 'node:net';

/** The port, or 0 (any free port) if it is in use. */
export async function choosePort(host: string, port: number): Promise<number> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return port;
  } catch {
    return 0;
  } finally {
    server.close();
  }
}
