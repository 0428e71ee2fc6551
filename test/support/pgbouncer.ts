import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort, isListening } from './free-port.ts';
import type { PostgresPooler } from './postgres-pooler.ts';
import type { PostgresServer } from './postgres-server.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** The path on Debian, which only root has in its search path. */
const SYSTEM_FOLDER = '/usr/sbin';
const MOST_CONNECTIONS = 200;

/** The path of PgBouncer if it is installed, otherwise null. It comes with the system, not from npm. */
export function findPgBouncer(): string | null {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), SYSTEM_FOLDER];
  return folders.map((folder) => path.join(folder, 'pgbouncer')).find((file) => existsSync(file)) ?? null;
}

/**
 * Starts PgBouncer in session mode in front of a server. Disposing of it kills it, even while clients use it.
 * @param program as {@link findPgBouncer} found it
 * @throws {Error} with its output, if it does not start
 */
export async function startPgBouncer(program: string, server: PostgresServer): Promise<PostgresPooler> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder()).path;
  const { username, password, port: serverPort } = new URL(server.url);
  const port = await freePort();
  const settings = path.join(folder, 'pgbouncer.ini');
  const users = path.join(folder, 'users');
  writeFileSync(users, `"${username}" "${password}"\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = md5
auth_file = ${users}
pool_mode = session
max_client_conn = ${MOST_CONNECTIONS}
default_pool_size = ${MOST_CONNECTIONS}
`,
  );
  // Like PostgreSQL, it refuses to run as root.
  const { uid, gid } = statSync(server.dataFolder);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const file of [folder, settings, users]) chownSync(file, uid, gid);
  const child = spawn(program, [settings], {
    ...(isRoot ? { uid, gid } : {}),
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  stack.defer(() => kill(child));
  const output = text(child.stderr);
  const ended = once(child, 'close').then(async () => {
    throw new Error(`PgBouncer did not start: ${await output}`);
  });
  ended.catch(() => {});
  await Promise.race([until(() => isListening(port), 'PgBouncer listens'), ended]);
  const started = stack.move();
  return { port, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
