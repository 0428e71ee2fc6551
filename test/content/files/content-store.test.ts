import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer, text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { MIB } from '../../../src/bytes.ts';
import { newContentKey } from '../../../src/content/files/content-key.ts';
import { type ContentStore, RangeNotSatisfiableError } from '../../../src/content/files/content-store.ts';
import { CONTENT_STORES } from './content-store-engines.ts';

// Runs on SQLite alone: storing files does not involve the database.

const never = new AbortController().signal;
const FILES = {
  'imsmanifest.xml': '<manifest/>',
  'content/index.html': '<title>Fire safety</title>',
  'content/empty.txt': '',
  'content/Änderung 100% + a&b #1?.html': 'umlauts and signs',
};

async function readText(store: ContentStore, key: string, path: string): Promise<string | null> {
  const file = await store.read(key, path);
  return file === null ? null : await text(file.stream);
}

function keysOf(store: ContentStore): Promise<string[]> {
  return Array.fromAsync(store.keys()).then((keys) => [...new Set(keys)].sort());
}

for (const [name, openPlace] of Object.entries(CONTENT_STORES)) {
  describe(`a content store ${name}`, () => {
    it('returns every file of a folder, with its size and age, on every instance', async () => {
      await using place = await openPlace();
      const key = newContentKey(Date.now());
      await place.open().put(key, place.stage(FILES), never);
      const other = place.open();
      for (const [path, content] of Object.entries(FILES)) {
        const file = await other.read(key, path);
        assert.ok(file !== null, path);
        assert.equal(await text(file.stream), content);
        assert.equal(file.size, Buffer.byteLength(content));
        assert.equal(file.range, null);
        assert.ok(Math.abs(Date.now() - file.lastModified) < 60_000);
        const { size, etag, lastModified } = file;
        assert.deepEqual(await other.find(key, path), { size, etag, lastModified });
      }
      assert.deepEqual(await keysOf(other), [key]);
      assert.equal(await other.has(key), true);
      assert.deepEqual((await Array.fromAsync(other.files(key))).sort(), Object.keys(FILES).sort());
      assert.deepEqual(await Array.fromAsync(other.files(newContentKey(Date.now()))), []);
    });

    it('tags a file the same every time, and other files otherwise', async () => {
      await using place = await openPlace();
      const store = place.open();
      const keys = [newContentKey(Date.now()), newContentKey(Date.now())] as const;
      for (const key of keys) await store.put(key, place.stage({ a: 'same', b: 'same' }), never);
      const tagOf = async (key: string, path: string) => {
        const file = await store.read(key, path);
        file?.stream.destroy();
        return file?.etag ?? '';
      };
      const tag = await tagOf(keys[0], 'a');
      assert.match(tag, /^"[\w-]+"$/);
      assert.equal(await tagOf(keys[0], 'a'), tag);
      assert.notEqual(await tagOf(keys[0], 'b'), tag);
      assert.notEqual(await tagOf(keys[1], 'a'), tag);
    });

    it('returns ranges of a file as RFC 9110 defines them', async () => {
      await using place = await openPlace();
      const store = place.open();
      const key = newContentKey(Date.now());
      await store.put(key, place.stage({ 'digits.txt': '0123456789', empty: '' }), never);
      for (const [range, content, first, last] of [
        [{ first: 0, last: 0 }, '0', 0, 0],
        [{ first: 2, last: 4 }, '234', 2, 4],
        [{ first: 7 }, '789', 7, 9],
        [{ first: 8, last: 4_000 }, '89', 8, 9],
        [{ suffix: 3 }, '789', 7, 9],
        [{ suffix: 4_000 }, '0123456789', 0, 9],
      ] as const) {
        const file = await store.read(key, 'digits.txt', range);
        assert.ok(file !== null);
        assert.equal(await text(file.stream), content, JSON.stringify(range));
        assert.deepEqual(file.range, { first, last });
        assert.equal(file.size, 10);
      }
      for (const [path, range, size] of [
        ['digits.txt', { first: 10 }, 10],
        ['digits.txt', { suffix: 0 }, 10],
        ['empty', { first: 0 }, 0],
      ] as const) {
        await assert.rejects(
          store.read(key, path, range),
          (error) => error instanceof RangeNotSatisfiableError && error.size === size,
          JSON.stringify(range),
        );
      }
      assert.equal(await store.read(key, 'none', { first: 0 }), null);
    });

    it('keeps large files complete, and reads from their middle', async () => {
      await using place = await openPlace();
      const store = place.open();
      const key = newContentKey(Date.now());
      const large = randomBytes(11 * MIB + 17);
      await store.put(key, place.stage({ 'video.mp4': large, 'small.txt': 'x' }), never);
      const whole = await store.read(key, 'video.mp4');
      assert.ok(whole !== null && large.equals(await buffer(whole.stream)));
      const first = 5 * MIB - 3;
      const middle = await store.read(key, 'video.mp4', { first, last: first + 9 });
      assert.ok(middle !== null && large.subarray(first, first + 10).equals(await buffer(middle.stream)));
    });

    it('has no file by a path that could lead elsewhere, nor by that of a folder', async () => {
      await using place = await openPlace();
      const store = place.open();
      const [key, other] = [newContentKey(Date.now()), newContentKey(Date.now())] as const;
      await store.put(key, place.stage({ 'content/index.html': 'mine' }), never);
      await store.put(other, place.stage({ 'index.html': 'theirs' }), never);
      for (const path of [
        '',
        '.',
        '..',
        '/',
        '/etc/passwd',
        'content',
        'content/',
        'content/none.html',
        'content/index.html/',
        'content/index.html/more',
        'content//index.html',
        './content/index.html',
        'content/../content/index.html',
        `../${other}/index.html`,
        `content/../../${other}/index.html`,
        `..\\${other}\\index.html`,
        'C:/Windows/win.ini',
        'content/index.html\0',
        'content/\u007f',
        '\ud800',
        'x'.repeat(256),
        `${'x/'.repeat(600)}x`,
      ]) {
        assert.equal(await readText(store, key, path), null, JSON.stringify(path));
        assert.equal(await store.read(key, path, { first: 0 }), null, JSON.stringify(path));
      }
      assert.equal(await readText(store, key, 'content/index.html'), 'mine');
    });

    it('rejects invalid keys', async () => {
      await using place = await openPlace();
      const store = place.open();
      for (const key of ['', '..', '../x', 'x', `${newContentKey(0)}/`, newContentKey(0).toUpperCase()]) {
        await assert.rejects(store.remove(key), /not a key/);
        await assert.rejects(store.put(key, place.stage({}), never), /not a key/);
        await assert.rejects(store.read(key, 'a'), /not a key/);
      }
    });

    it('removes the complete or partial files of a key and nothing else, and twice is not an error', async () => {
      await using place = await openPlace();
      const store = place.open();
      const [key, kept, part] = [1, 2, 3].map(() => newContentKey(Date.now())) as [string, string, string];
      const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`deep/${n}/file.txt`, 'x']));
      await store.put(key, place.stage(many), never);
      await store.put(kept, place.stage(FILES), never);
      await place.plant(`${part}/index.html`, 'half of it');
      await place.plant('lost+found/x', 'of the disk');
      assert.deepEqual(await keysOf(store), [key, kept, part].sort());
      for (const each of [key, part, key, newContentKey(Date.now())]) await store.remove(each);
      assert.deepEqual(await keysOf(store), [kept]);
      assert.equal(await store.has(key), false);
      assert.equal(await readText(store, key, 'deep/1/file.txt'), null);
      assert.equal(await readText(store, kept, 'imsmanifest.xml'), '<manifest/>');
    });

    it('belongs to the first instance that claims it, even if two do at the same time', async () => {
      await using place = await openPlace();
      const [one, two] = [place.open(), place.open()];
      assert.equal(await one.owner(), null);
      const owners = await Promise.all([one.claim('installation-1'), two.claim('installation-2')]);
      assert.equal(
        owners.every((owner) => /^installation-[12]$/.test(owner)),
        true,
      );
      const owner = await two.owner();
      assert.equal(await one.claim('installation-3'), owner);
      assert.deepEqual(await keysOf(one), []);
    });

    it('responds to a ping', async () => {
      await using place = await openPlace();
      await place.open().ping();
    });
  });
}
