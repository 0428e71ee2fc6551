import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedLogs } from '../../../test/support/logs.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import type { LaunchService } from '../launches/launch-service.ts';
import { createContentServer } from './content-server.ts';

/** Requests a route that fails, and returns the line about it. */
async function loggedFailure(launch: Partial<PlayerLaunch> | null): Promise<Record<string, unknown>> {
  const { logs, lines } = recordedLogs();
  const find = async () => {
    if (launch === null) throw new TypeError('no launch was found');
    return { state: 'open', launch };
  };
  await using server = await createContentServer({
    launches: { find } as unknown as LaunchService,
    fileRoutes: [
      (scope) => {
        scope.get('/broken', async () => {
          throw new TypeError('there is no unit');
        });
      },
    ],
    routes: [],
    trustedProxies: [],
    maxConnections: 10,
    strictTransport: false,
    tracing: null,
    log: logs.for('Player'),
  });
  const { statusCode } = await server.inject('/0123456789/broken');
  assert.equal(statusCode, 500);
  const { error: _, time: __, ...line } = lines.at(-1)!;
  return line;
}

describe('a failure of the Player', () => {
  const line = {
    level: 'error',
    class: 'Player',
    method: 'GET',
    path: '/:token/broken',
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
