import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ReadStream } from 'node:fs';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fastify from 'fastify';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { newContentKey } from '../../content/files/content-key.ts';
import type { ByteRange, StoredFile } from '../../content/files/content-store.ts';
import { FolderContentStore } from '../../content/files/folder-content-store.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import { contentFileRoutes } from './content-files.ts';

const FILE_BYTES = 10 * 2 ** 20;

/** A store whose opened files a test can look at. */
class WatchedContentStore extends FolderContentStore {
  readonly opened: ReadStream[] = [];

  override async read(key: string, filePath: string, range?: ByteRange): Promise<StoredFile | null> {
    const file = await super.read(key, filePath, range);
    if (file !== null) this.opened.push(file.stream as ReadStream);
    return file;
  }
}

describe('the routes of course files', () => {
  it('answer HEAD like GET without reading the file', async () => {
    using folder = temporaryFolder();
    const now = Date.now();
    const contentKey = newContentKey(now);
    mkdirSync(path.join(folder.path, contentKey));
    writeFileSync(path.join(folder.path, contentKey, 'film.mp4'), Buffer.alloc(FILE_BYTES));
    const store = new WatchedContentStore(folder.path);
    await using app = fastify();
    app.decorateRequest('launch', null as unknown as PlayerLaunch);
    app.addHook('onRequest', async (request) => {
      request.launch = { contentKey, expiresAt: now + 60_000 } as PlayerLaunch;
    });
    contentFileRoutes(app, { store, now: () => now });
    const url = '/content/film.mp4';
    const answer = await app.inject({ method: 'HEAD', url });
    const [stream] = store.opened;
    assert.ok(stream !== undefined);
    if (!stream.closed) await once(stream, 'close');
    assert.equal(stream.bytesRead, 0);
    assert.deepEqual([answer.statusCode, answer.body], [200, '']);
    const got = await app.inject({ method: 'GET', url });
    const { date: _, ...headers } = answer.headers;
    const { date: __, ...expected } = got.headers;
    assert.equal(headers['content-length'], String(FILE_BYTES));
    assert.deepEqual(headers, expected);
  });
});
