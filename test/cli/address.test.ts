import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { startTestService } from '../support/service.ts';

// Runs on SQLite alone: the address does not involve the database.

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ family }) => family === 'IPv6'),
);

describe('the address that a start prints', () => {
  for (const host of ['0.0.0.0', '::', '::1', '127.0.0.1']) {
    const skip = host.includes(':') && !hasIpv6;
    test(`opens when the service listens on ${host}`, { skip }, async () => {
      let announced = '';
      await using service = await startTestService({
        settings: { host },
        announce: (text) => {
          announced += text;
        },
      });
      const link = /https?:\/\/\S+/.exec(announced)?.[0] ?? '';
      const ready = service.logLines.find(({ msg }) => msg.startsWith('ready at '))?.msg ?? '';
      for (const address of [link, ready.slice('ready at '.length), service.url]) {
        assert.doesNotMatch(
          address,
          /\[::\]|0\.0\.0\.0/,
          'nobody listens there: these are for listening alone',
        );
        assert.equal((await fetch(address)).status, 200, address);
      }
    });
  }
});
