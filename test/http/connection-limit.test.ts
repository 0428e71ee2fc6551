import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import fastify from 'fastify';
import { planConnections } from '../../src/connection-plan.ts';
import { limitConnections } from '../../src/http/connection-limit.ts';
import { MINUTE_MS } from '../../src/time/units.ts';
import { recordedLogs } from '../support/logs.ts';
import { connectTo } from '../support/raw-http.ts';
import { startProcess, type TextSettings } from '../support/service-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

// Runs on SQLite alone: accepting connections does not involve the database.

/** How many files the process may open. */
const DESCRIPTORS = 512;
/** Half of them is left for everything else. A connection to each port and the files that they download need four. */
const AFFORDABLE = 64;

async function startLimited(folder: string, settings: TextSettings = {}, descriptors = DESCRIPTORS) {
  const within = ['sh', '-c', `ulimit -n ${descriptors} && exec "$0" "$@"`];
  return await startProcess({ ...settings, content_port: 0, data_dir: folder }, { within });
}

describe('connections of clients', () => {
  const byDefault = { max_connections: 8_192, delivery_concurrency: 256 };

  it('leave enough files for the deliveries that may be in flight and for course files', () => {
    // As in `deploy/coursewire.service`.
    assert.deepEqual(planConnections(byDefault, 65_536), { limit: 8_192, warning: null });
    const { limit, warning } = planConnections(byDefault, 20_000);
    assert.match(String(warning), /accept 3784 connections each/);
    assert.equal(limit, 3_784);
    assert.ok(4 * limit + 17 * byDefault.delivery_concurrency < 20_000);
  });

  it('get at least half of the files, and the log names the setting that needs too many', () => {
    const { limit, warning } = planConnections(
      { max_connections: 100, delivery_concurrency: 10_000 },
      20_000,
    );
    assert.equal(limit, 100);
    assert.match(
      String(warning),
      /delivery_concurrency is 10000.*lower max_connections or delivery_concurrency/,
    );
  });

  it('are as many as max_connections if the system does not say how many files may be open', () => {
    assert.deepEqual(planConnections(byDefault, Number.POSITIVE_INFINITY), { limit: 8_192, warning: null });
  });
});

describe('connections beyond the limit', () => {
  it('are all counted in the log, with a client that was closed in that minute', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const app = fastify();
    const { logs, lines } = recordedLogs();
    limitConnections(app, 5, logs.for('HttpServer'));
    const drop = (remoteAddress: string) => app.server.emit('drop', { remoteAddress });
    const logged = () => lines.splice(0).map(({ open, closed, address }) => ({ open, closed, address }));

    for (let n = 0; n < 30; n++) drop('192.0.2.1');
    assert.deepEqual(logged(), [{ open: 5, closed: 1, address: '192.0.2.1' }]);
    context.mock.timers.tick(MINUTE_MS);
    assert.deepEqual(logged(), [{ open: 5, closed: 29, address: '192.0.2.1' }]);
    context.mock.timers.tick(10 * MINUTE_MS);
    assert.deepEqual(logged(), []);
    drop('192.0.2.2');
    context.mock.timers.tick(MINUTE_MS);
    assert.deepEqual(logged(), [{ open: 5, closed: 1, address: '192.0.2.2' }]);
  });
});

describe('connections of clients, if the process may open few files', () => {
  it('get fewer of them than max_connections, and the log says so', async () => {
    using folder = temporaryFolder();
    await using service = await startLimited(folder.path);
    const warning = service.logLines.find(({ msg }) => /^max_connections/.test(msg));
    assert.equal(warning?.level, 'warn');
    assert.match(warning.msg, /delivery_concurrency is 256.* 512 .* accept 64 connections each/);

    const closed = new Set();
    const sockets = Array.from({ length: AFFORDABLE + 30 }, () => connectTo(service.url));
    for (const socket of sockets) socket.once('close', () => closed.add(socket));
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
    const settings = { max_connections: 100, delivery_concurrency: 1 };
    await using service = await startLimited(folder.path, settings, 2_048);
    assert.deepEqual(
      service.logLines.filter(({ msg }) => /max_connections/.test(msg)),
      [],
    );
  });
});
