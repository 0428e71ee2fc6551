import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { freePorts } from '../support/free-port.ts';
import { type ProcessEnd, runProgram, type TextSettings } from '../support/service-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Runs on SQLite alone: listening does not involve the database.

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

  it('host', async () => {
    const { code, errors } = await serve({ host: '192.0.2.1', port: 0 });
    assert.equal(code, 1);
    assert.equal(
      errors,
      'coursewire: host is 192.0.2.1, but this machine does not have that address (EADDRNOTAVAIL)\n',
    );
  });
});
