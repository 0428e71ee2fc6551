import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { DEADLINE_MS } from '../support/deadline.ts';
import { freePorts } from '../support/free-port.ts';
import { type ProcessEnd, runProgram, type TextSettings } from '../support/service-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Runs on SQLite alone: listening does not involve the database.

const MAIN = path.join(import.meta.dirname, '../../bin/coursewire.js');
/** A user that is neither root nor that of the tests. */
const OTHER_USER = 65_534;
const FIRST_FREE_FOR_ALL = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
const LETS_EVERYONE =
  !(existsSync(FIRST_FREE_FOR_ALL) && Number(readFileSync(FIRST_FREE_FOR_ALL, 'utf8')) > 81) &&
  'this system lets everyone listen on port 80';

/** A port on which another program listens. */
async function occupiedPort(wanted = 0): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function serve(settings: TextSettings): Promise<ProcessEnd & { errors: string }> {
  using folder = temporaryFolder();
  return await runProgram(['serve'], { ...settings, data_dir: folder.path });
}

describe('a start that cannot listen names the setting', () => {
  it('port', async () => {
    await using occupied = await occupiedPort();
    const { code, errors } = await serve({ port: occupied.port, content_port: 0 });
    assert.equal(code, 1);
    assert.equal(
      errors,
      `coursewire: port is ${occupied.port}, but another program already listens on this port of 127.0.0.1 (EADDRINUSE): end it, or set port\n`,
    );
  });

  it('content_port, which nobody needs to set', async () => {
    const { port } = await freePorts();
    await using occupied = await occupiedPort(port + 1);
    const { code, errors } = await serve({ port });
    assert.equal(code, 1);
    assert.match(
      errors,
      new RegExp(
        `^coursewire: content_port is ${occupied.port} \\(it is not set, so it is the port after port\\), but another .*, or set content_port\\n$`,
      ),
    );
  });

  it('port first, if the system allows neither it nor the content port that follows it', {
    skip: LETS_EVERYONE || (process.getuid?.() !== 0 && 'only root can start a process of another user'),
  }, async () => {
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o777);
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'serve'], {
      uid: OTHER_USER,
      gid: OTHER_USER,
      cwd: '/',
      env: { PORT: '80', DATA_DIR: path.join(folder.path, 'data') },
      encoding: 'utf8',
      timeout: DEADLINE_MS,
    });
    assert.equal(status, 1);
    assert.equal(
      stderr,
      'coursewire: port is 80, and content_port is 81 (it is not set, so it is the port after port), but this process may not listen ' +
        'on these ports (EACCES): set port to 1024 or more, or allow it with CAP_NET_BIND_SERVICE\n',
    );
  });

  it('host', async () => {
    const { code, errors } = await serve({ host: '192.0.2.1', port: 0 });
    assert.equal(code, 1);
    assert.equal(
      errors,
      'coursewire: host is 192.0.2.1, but this machine does not have that address (EADDRNOTAVAIL)\n',
    );
  });
});
