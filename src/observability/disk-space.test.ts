import assert from 'node:assert/strict';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { checkDiskSpace } from './disk-space.ts';

describe('the check of disk space', () => {
  it('fails if less is free than required, and for a missing folder', async () => {
    const { blocks, bsize } = await statfs(tmpdir());
    await checkDiskSpace(tmpdir(), 0);
    await assert.rejects(checkDiskSpace(tmpdir(), blocks * bsize + 1), /bytes are free on the disk/);
    await assert.rejects(checkDiskSpace('/nowhere/at/all'), { code: 'ENOENT' });
  });
});
