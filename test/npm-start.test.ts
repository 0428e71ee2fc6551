import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startCommand } from './support/started-command.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { until } from './support/until.ts';

// A supervisor signals npm, the process that it started. A shell between npm and the service would end and leave the service running.
describe('a supervisor that starts the service with npm start', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`stops it with ${signal}`, async () => {
      using folder = temporaryFolder();
      await using npm = startCommand('npm', ['start', '--silent'], {
        PORT: '0',
        CONTENT_PORT: '0',
        DATA_DIR: folder.path,
      });
      await until(() => /"msg":"ready at /.test(npm.output.stdout), 'the service is ready');

      npm.child.kill(signal);

      // The outputs end with the last process that has them.
      assert.equal(await npm.ended(), 0, npm.output.stdout + npm.output.stderr);
      assert.match(npm.output.stdout, /"msg":"stopped"\}\n$/);
    });
  }
});
