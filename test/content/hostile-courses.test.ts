import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOSTILE_MANIFESTS } from '../course-packages/hostile-manifests.ts';
import { aroundTests } from '../support/around-tests.ts';
import { zipOf } from '../support/course-packages.ts';
import { longestStallDuring } from '../support/event-loop.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { scormPackage, uploadForm } from './packages.ts';

// Runs on SQLite alone: packages are read before anything is stored.

/** How long one task may block the service's event loop. */
const LONGEST_TURN_MS = 50;
/** Compared with an ordinary import, so that the limit fits a slow machine, too. */
const TIMES_AN_ORDINARY_IMPORT = 3;

describe('the service stays responsive while it reads a hostile manifest', () => {
  let service: TestService;
  let ordinary: Uint8Array<ArrayBuffer>;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    ordinary = await scormPackage();
    // The first import loads code.
    await service.api.create('/courses', uploadForm(ordinary));
  });

  for (const [what, files] of Object.entries(HOSTILE_MANIFESTS)) {
    it(`with ${what}`, async () => {
      const hostile = new Uint8Array(await zipOf(files()));
      const usual = await longestStallDuring(() => service.api.create('/courses', uploadForm(ordinary)));
      const longest = await longestStallDuring(() =>
        Promise.all([
          service.api.post('/courses', uploadForm(hostile)).then(({ status }) => {
            assert.ok(status === 400 || status === 201, String(status));
          }),
          service.api.create('/courses', uploadForm(ordinary)),
        ]),
      );
      const bound = Math.max(LONGEST_TURN_MS, TIMES_AN_ORDINARY_IMPORT * usual);
      assert.ok(longest < bound, `${longest} ms at a stretch; usually ${usual} ms`);
    });
  }
});
