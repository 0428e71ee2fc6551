// Runs on SQLite alone: no database is concerned.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startWatchedService } from '../support/watched-service.ts';

/** How long the service's own work may block its event loop, in ms. */
const MAX_BUSY_MS = 100;
/** Keeps the event loop busy when the process gets the signal. */
const STALL_ON_SIGNAL = `process.on('SIGUSR2', () => {
  const { user, system } = process.threadCpuUsage();
  const used = () => { const now = process.threadCpuUsage(); return now.user + now.system - user - system; };
  while (used() < 6e5);
});`;

describe('the measure of a busy event loop', () => {
  test('detects 600 ms of injected work, and finds a quiet service idle', async () => {
    await using service = await startWatchedService({}, { preload: STALL_ON_SIGNAL });
    const answered = () => service.api.get('/health/live');
    await answered();
    assert.ok((await service.busyDuring(answered)) < MAX_BUSY_MS);
    const busy = await service.busyDuring(async () => {
      process.kill(service.pid, 'SIGUSR2');
      await answered();
    });
    assert.ok(busy > MAX_BUSY_MS, `${busy} ms`);
  });
});
