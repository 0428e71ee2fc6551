import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fastify from 'fastify';
import { SILENT_LOGS } from '../../../test/support/logs.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { newContentKey } from '../../content/files/content-key.ts';
import type { ByteRange, ContentStore, StoredFile } from '../../content/files/content-store.ts';
import { contentUnavailable } from '../../content/files/content-unavailable.ts';
import { FolderContentStore } from '../../content/files/folder-content-store.ts';
import { installProblemResponses } from '../../http/problem-responses.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import { contentFileRoutes } from './content-files.ts';

const FILE_BYTES = 10 * 2 ** 20;

/** A store that records which files were opened. */
class WatchedContentStore extends FolderContentStore {
  readonly opened: string[] = [];

  override async read(key: string, filePath: string, range?: ByteRange): Promise<StoredFile | null> {
    this.opened.push(filePath);
    return await super.read(key, filePath, range);
  }
}

describe('the routes of course files', () => {
  it('answer HEAD like GET, and 304 to an asterisk, without opening the file', async () => {
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
    assert.deepEqual([answer.statusCode, answer.body], [200, '']);
    const known = await app.inject({ url, headers: { 'if-none-match': '*', range: 'bytes=1-2' } });
    assert.equal(known.statusCode, 304);
    assert.deepEqual(store.opened, []);
    const got = await app.inject({ method: 'GET', url });
    const { date: _, ...headers } = answer.headers;
    const { date: __, ...expected } = got.headers;
    assert.equal(headers['content-length'], String(FILE_BYTES));
    assert.deepEqual(headers, expected);
  });

  it('show the learner a page if the content store is unavailable', async () => {
    const store = {
      read: async () => {
        throw contentUnavailable(new Error('connect ECONNREFUSED'));
      },
    } as unknown as ContentStore;
    await using app = fastify();
    installProblemResponses(app, SILENT_LOGS.for('Player'));
    app.decorateRequest('launch', null as unknown as PlayerLaunch);
    app.addHook('onRequest', async (request) => {
      request.launch = { contentKey: newContentKey(0), expiresAt: 60_000 } as PlayerLaunch;
    });
    contentFileRoutes(app, { store, now: () => 0 });
    const { statusCode, headers, body } = await app.inject({
      url: '/content/index.html',
      headers: { accept: 'text/html,*/*;q=0.8' },
    });
    assert.deepEqual([statusCode, headers['content-type']], [503, 'text/html; charset=utf-8']);
    assert.match(body, /The course cannot be opened right now/);
  });
});
