import assert from 'node:assert/strict';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { checkDiskSpace } from './disk-space.ts';

describe('the check of disk space', () => {
  it('fails when less is free than is needed, and for a folder that is not there', async () => {
    const { blocks, bsize } = await statfs(tmpdir());
    await checkDiskSpace(tmpdir(), 0);
    await assert.rejects(checkDiskSpace(tmpdir(), blocks * bsize + 1), /bytes are free on the disk/);
    await assert.rejects(checkDiskSpace('/nowhere/at/all'), { code: 'ENOENT' });
  });
});
