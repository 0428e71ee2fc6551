import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { startProcess, type TextSettings } from '../support/service-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

// Runs on SQLite alone: no database takes part in accepting connections.

/** How many files the process may open. */
const DESCRIPTORS = 512;
/** Half of them is left for everything else, and there are two ports. */
const AFFORDABLE = 128;

async function startLimited(folder: string, settings: TextSettings = {}) {
  const within = ['sh', '-c', `ulimit -n ${DESCRIPTORS} && exec "$0" "$@"`];
  return await startProcess({ ...settings, content_port: 0, data_dir: folder }, { within });
}

describe('connections of clients, if the process may open few files', () => {
  it('get fewer of them than max_connections, and the log says so', async () => {
    using folder = temporaryFolder();
    await using service = await startLimited(folder.path);
    const [warning] = service.logLines.filter(({ msg }) => /^max_connections/.test(msg));
    assert.equal(warning.level, 'warn');
    assert.match(warning.msg, /max_connections is 8192, .* 512 .* accept 128 connections each/);

    const { hostname, port } = new URL(service.url);
    const closed = new Set();
    const sockets = Array.from({ length: AFFORDABLE + 30 }, () => connect(Number(port), hostname));
    for (const socket of sockets) socket.on('error', () => {}).once('close', () => closed.add(socket));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    await until(() => closed.size >= 30, 'the connections beyond it are closed');
    const {
      open,
      level,
      class: name,
    } = await until(
      () => service.logLines.find(({ msg }) => /connections are closed immediately/.test(msg)),
      'the line',
    );
    assert.deepEqual([open, level, name], [AFFORDABLE, 'warn', 'HttpServer']);
    for (const socket of sockets) socket.destroy();
  });

  it('get as many as max_connections if that leaves enough, without a warning', async () => {
    using folder = temporaryFolder();
    await using service = await startLimited(folder.path, { max_connections: AFFORDABLE });
    assert.deepEqual(
      service.logLines.filter(({ msg }) => /max_connections/.test(msg)),
      [],
    );
  });
});
