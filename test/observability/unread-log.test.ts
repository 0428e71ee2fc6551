import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { freePorts } from '../support/free-port.ts';
import { OUTPUT_KINDS, startHeld, whyNot } from '../support/held-output.ts';
import { environment } from '../support/service-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

// Runs on SQLite alone: the log does not depend on the database.

const MAIN = path.join(import.meta.dirname, '../../bin/coursewire.js');
/** Each causes a log line. Together the lines exceed the buffers of a pipe, a socket and a terminal. */
const REFUSED_TOKENS = 2_000;
const AT_A_TIME = 50;

describe('a log that nobody reads', () => {
  for (const kind of OUTPUT_KINDS) {
    it(`stops neither requests nor an orderly end (${kind})`, { skip: whyNot(kind) }, async () => {
      using folder = temporaryFolder();
      const ports = await freePorts();
      const settings = { data_dir: folder.path, ...ports };
      using service = startHeld(kind, [MAIN, 'serve'], { env: environment(settings) });
      const url = `http://127.0.0.1:${ports.port}`;
      const isLive = () => fetch(`${url}/health/live`).then(({ ok }) => ok);
      await until(() => isLive().catch(() => false), 'the start');

      for (let sent = 0; sent < REFUSED_TOKENS; sent += AT_A_TIME) {
        const requests = Array.from({ length: AT_A_TIME }, () =>
          fetch(`${url}/public/v1/auth`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) }),
        );
        for (const { status } of await Promise.all(requests)) assert.equal(status, 400);
      }
      assert.ok(await isLive());
      service.child.kill('SIGTERM');
      assert.equal(await service.exitCode, 0);
    });
  }
});
