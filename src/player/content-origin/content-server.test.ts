import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import type { RouteHandlerMethod } from 'fastify';
import { drip } from '../../../test/support/dripped-body.ts';
import { recordedLogs, SILENT_LOGS } from '../../../test/support/logs.ts';
import { contentUnavailable } from '../../content/files/content-unavailable.ts';
import { launchPagePolicy } from '../../content/registrations/launch-page.ts';
import { DatabaseUnavailableError } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import type { LaunchService } from '../launches/launch-service.ts';
import { playerPageRoutes } from '../player-page.ts';
import { createContentServer, type LaunchRoutes } from './content-server.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** A content server with one launch, or none, and one route, which is `/unit`. */
async function serverWith({
  launch,
  respond,
  log,
}: {
  launch: Partial<PlayerLaunch> | null;
  respond: RouteHandlerMethod;
  log?: Logger;
}) {
  const find = async () => {
    if (launch === null) throw new TypeError('no launch was found');
    return { state: 'open', launch };
  };
  return await contentServer({ find, routes: (scope) => void scope.get('/unit', respond), log });
}

async function contentServer({
  find,
  routes,
  log = SILENT_LOGS.for('Player'),
  requestDeadlineMs = 60_000,
}: {
  find: () => Promise<unknown>;
  routes: LaunchRoutes;
  log?: Logger | undefined;
  requestDeadlineMs?: number;
}) {
  return await createContentServer({
    launches: { find } as unknown as LaunchService,
    fileRoutes: [routes],
    routes: [],
    trustedProxies: [],
    maxConnections: 10,
    strictTransport: false,
    tracing: null,
    log,
    requestDeadlineMs,
  });
}

/** Requests a route that fails, and returns the line about it. */
async function loggedFailure(launch: Partial<PlayerLaunch> | null): Promise<Record<string, unknown>> {
  const { logs, lines } = recordedLogs();
  const respond = async () => {
    throw new TypeError('there is no unit');
  };
  await using server = await serverWith({ launch, respond, log: logs.for('Player') });
  const { statusCode } = await server.inject('/0123456789/unit');
  assert.equal(statusCode, 500);
  const { error: _, time: __, ...line } = lines.at(-1)!;
  return line;
}

describe('a failure of the Player', () => {
  const line = {
    level: 'error',
    class: 'Player',
    method: 'GET',
    path: '/:token/unit',
    msg: 'a request failed',
  };

  it('is logged with the registration and the course of the launch, but not its token', async () => {
    const ids = { registrationId: '0196f5c2-7b1e-7c55-9a3e-3f2b1c0d9e8f', courseId: 7 };
    assert.deepEqual(await loggedFailure(ids), {
      ...line,
      registration_id: ids.registrationId,
      course_id: 7,
    });
  });

  it('is logged with the course of a preview', async () => {
    assert.deepEqual(await loggedFailure({ registrationId: null, courseId: 7 }), {
      ...line,
      registration_id: null,
      course_id: 7,
    });
  });

  it('is logged if the launch itself could not be read', async () => {
    assert.deepEqual(await loggedFailure(null), line);
  });
});

describe('an outage of the content store', () => {
  it('is logged once a minute for each route, not once for each request', async () => {
    const { logs, lines } = recordedLogs();
    const respond = async () => {
      throw contentUnavailable(new Error('connect ECONNREFUSED'));
    };
    await using server = await serverWith({ launch: { courseId: 7 }, respond, log: logs.for('Player') });
    for (let at = 0; at < 3; at++) assert.equal((await server.inject('/0123456789/unit')).statusCode, 503);
    assert.deepEqual(
      lines.map(({ level, path, msg }) => ({ level, path, msg })),
      [{ level: 'error', path: '/:token/unit', msg: 'a request failed' }],
    );
  });

  it('hides no failure of the program', async () => {
    const { logs, lines } = recordedLogs();
    const respond = async () => {
      throw new TypeError('there is no unit');
    };
    await using server = await serverWith({ launch: { courseId: 7 }, respond, log: logs.for('Player') });
    for (let at = 0; at < 3; at++) assert.equal((await server.inject('/0123456789/unit')).statusCode, 500);
    assert.equal(lines.length, 3);
  });
});

describe('the player page while the database is unavailable', () => {
  const find = async () => {
    throw new DatabaseUnavailableError('the database is locked');
  };

  it('shows a learner that the course cannot be opened right now', async () => {
    await using server = await contentServer({ find, routes: playerPageRoutes });
    const { statusCode, headers, body } = await server.inject({
      url: '/0123456789/player/',
      headers: BROWSER,
    });
    assert.equal(statusCode, 503);
    assert.match(body, /<h1>The course cannot be opened right now<\/h1>/);
    assert.equal(headers['retry-after'], '5');
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['content-security-policy'], launchPagePolicy("'self'"));
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'no-referrer');
  });

  it('is a problem for anything but a browser', async () => {
    await using server = await contentServer({ find, routes: playerPageRoutes });
    const { statusCode, headers } = await server.inject('/0123456789/player/');
    assert.deepEqual([statusCode, headers['content-type']], [503, 'application/problem+json']);
  });
});

describe('data that a course sends over a slow connection', () => {
  /** At 10 kbit/s, the body takes 8 seconds longer than a small one. At 40 kbit/s, 2. */
  const LARGE = { path: '/0123456789/commit', bytes: 10_000, ms: 3_000 };
  const DEADLINE_MS = 300;

  async function sendTo(found: object): Promise<string> {
    await using server = await contentServer({
      find: async () => found,
      routes: (scope) => void scope.post('/commit', async () => ({})),
      requestDeadlineMs: DEADLINE_MS,
    });
    const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
    return await drip(Number(port), LARGE);
  }

  it('has the time that it takes', async () => {
    assert.match(await sendTo({ state: 'open', launch: { courseId: 7 } }), /^HTTP\/1\.1 200 /);
  });

  it('has no more time than any other request without an open launch', async () => {
    assert.match(await sendTo({ state: 'expired' }), /^HTTP\/1\.1 410 /);
  });
});

describe('a connection to the Player on which nothing happens', () => {
  it('stays open while the Player works on the response', async () => {
    await using server = await serverWith({
      launch: { courseId: 7 },
      respond: async ({ raw }) => {
        raw.socket.setTimeout(50);
        await once(raw.socket, 'timeout');
        return 'late';
      },
    });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    assert.equal(await (await fetch(`${url}/0123456789/unit`)).text(), 'late');
  });
});
