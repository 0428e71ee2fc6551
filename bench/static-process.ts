import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The baseline for course files: a bare server that only streams files from a folder. */

const [folder = ''] = process.argv.slice(2);
const KEEP_ALIVE_MS = 60_000;

const server = createServer((request, response) => {
  const file = path.join(folder, path.basename(request.url ?? ''));
  stat(file)
    .then(async ({ size }) => {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': size });
      await pipeline(createReadStream(file), response);
    })
    .catch(() => response.destroy());
});
server.keepAliveTimeout = KEEP_ALIVE_MS;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.(`http://127.0.0.1:${port}`);
});
process.on('disconnect', () => process.exit());
