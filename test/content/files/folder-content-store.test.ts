import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { newContentKey } from '../../../src/content/files/content-key.ts';
import { copyFolder } from '../../../src/content/files/copy-folder.ts';
import { FolderContentStore } from '../../../src/content/files/folder-content-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { stageFiles } from './content-store-engines.ts';

// Runs on SQLite alone: storing files does not involve the database.

const never = new AbortController().signal;

describe('the content store in a folder', () => {
  it('follows no link out of a version’s folder', async () => {
    using folder = temporaryFolder();
    const root = path.join(folder.path, 'content');
    mkdirSync(root);
    writeFileSync(path.join(folder.path, 'secret'), 'secret');
    await using store = new FolderContentStore(root);
    const key = newContentKey(Date.now());
    await store.put(key, stageFiles(folder.path, { 'index.html': 'x' }), never);
    symlinkSync(path.join(folder.path, 'secret'), path.join(root, key, 'secret'));
    symlinkSync(folder.path, path.join(root, key, 'out'));
    assert.equal(await store.read(key, 'secret'), null);
    assert.equal(await store.read(key, 'out/secret'), null);
  });

  it('names and removes the remains of an incomplete copy onto its disk', async () => {
    using folder = temporaryFolder();
    await using store = new FolderContentStore(folder.path);
    const key = newContentKey(Date.now());
    mkdirSync(path.join(folder.path, `incoming-${key}`, 'deep'), { recursive: true });
    assert.equal(await store.has(key), false);
    assert.deepEqual(await Array.fromAsync(store.keys()), [key]);
    await store.remove(key);
    assert.deepEqual(await Array.fromAsync(store.keys()), []);
  });

  it('is unavailable once the share in its folder is no longer mounted', async () => {
    using folder = temporaryFolder();
    const root = path.join(folder.path, 'shared');
    mkdirSync(root);
    await using store = new FolderContentStore(root);
    store.expectOwner(await store.claim('installation-1'));
    const key = newContentKey(Date.now());
    await store.put(key, stageFiles(folder.path, { 'index.html': 'x' }), never);
    assert.equal((await store.read(key, 'index.html'))?.size, 1);
    assert.equal(await store.read(key, 'missing.html'), null);
    renameSync(root, `${root}-unmounted`);
    mkdirSync(root);
    const staged = stageFiles(folder.path, { 'index.html': 'y' });
    const other = newContentKey(Date.now());
    for (const use of [
      () => store.ping(),
      () => store.read(key, 'index.html'),
      () => store.has(key),
      () => Array.fromAsync(store.files(key)),
      () => store.put(other, staged, never),
    ])
      await assert.rejects(use, { code: 'unavailable' });
    assert.deepEqual(readdirSync(root), []);
    rmSync(root, { recursive: true });
    renameSync(`${root}-unmounted`, root);
    await store.ping();
    assert.equal((await store.read(key, 'index.html'))?.size, 1);
  });

  it('closes a file whose share is lost once it is open', async (test) => {
    using folder = temporaryFolder();
    await using store = new FolderContentStore(folder.path);
    const key = newContentKey(Date.now());
    await store.put(key, stageFiles(folder.path, { 'a.html': 'x' }), never);
    let opened: FileHandle | undefined;
    const lost = async function (this: FileHandle) {
      opened = this;
      throw Object.assign(new Error('stale file handle'), { code: 'ESTALE' });
    };
    await using some = await open(path.join(folder.path, key, 'a.html'));
    test.mock.method(Object.getPrototypeOf(some), 'stat', lost);
    await assert.rejects(store.read(key, 'a.html'), { code: 'unavailable' });
    const CLOSED = -1;
    assert.equal(opened?.fd, CLOSED);
  });

  it('neither names nor removes files of another installation whose share is mounted in its folder', async () => {
    using folder = temporaryFolder();
    const root = path.join(folder.path, 'shared');
    mkdirSync(root);
    await using store = new FolderContentStore(root);
    store.expectOwner(await store.claim('installation-1'));
    renameSync(root, `${root}-unmounted`);
    mkdirSync(root);
    writeFileSync(path.join(root, 'coursewire-installation'), 'installation-2\n');
    const theirs = newContentKey(Date.now());
    mkdirSync(path.join(root, theirs));
    await assert.rejects(Array.fromAsync(store.keys()), { code: 'unavailable' });
    await assert.rejects(store.remove(theirs), { code: 'unavailable' });
    assert.ok(existsSync(path.join(root, theirs)));
  });

  it('is unavailable if its folder is missing', async () => {
    using folder = temporaryFolder();
    const root = path.join(folder.path, 'content');
    mkdirSync(root);
    await using store = new FolderContentStore(root);
    rmSync(root, { recursive: true });
    await assert.rejects(store.ping());
  });
});

describe('copying a folder to another disk', () => {
  it('copies everything, and overwrites the remains of an interrupted copy', async () => {
    using folder = temporaryFolder();
    const from = stageFiles(folder.path, { 'a/b/c.txt': 'deep', 'top.txt': 'top', 'empty.txt': '' });
    const to = path.join(folder.path, 'copy');
    mkdirSync(path.join(to, 'stale'), { recursive: true });
    await copyFolder(from, to, never);
    assert.equal(readFileSync(path.join(to, 'a/b/c.txt'), 'utf8'), 'deep');
    assert.equal(readFileSync(path.join(to, 'top.txt'), 'utf8'), 'top');
    assert.equal(readFileSync(path.join(to, 'empty.txt'), 'utf8'), '');
    assert.throws(() => readFileSync(path.join(to, 'stale')), { code: 'ENOENT' });
  });

  it('stops if its caller disconnects', async () => {
    using folder = temporaryFolder();
    const from = stageFiles(folder.path, { 'a.txt': 'x' });
    const gone = AbortSignal.abort(new Error('gone'));
    await assert.rejects(copyFolder(from, path.join(folder.path, 'copy'), gone), { message: 'gone' });
  });
});
