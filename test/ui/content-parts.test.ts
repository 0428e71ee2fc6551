import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, UnreachableError } from '../../web/src/api/errors.ts';
import { FolderIndex } from '../../web/src/pages/content/folders/folder-index.ts';
import { rowAfterKey, typedMatch } from '../../web/src/pages/content/folders/tree-keys.ts';
import {
  checkDraft,
  emptyDraft,
  errorsFromService,
  type GroupItem,
  toEquivalent,
} from '../../web/src/pages/content/groups/group-draft.ts';
import { tagOf } from '../../web/src/pages/content/groups/languages.ts';
import { explainUpload } from '../../web/src/pages/content/uploads/explain-upload.ts';
import { type SendPackage, UploadQueue } from '../../web/src/pages/content/uploads/upload-queue.ts';

const folder = (id: number, name: string, parent: number | null, courses = 0) => ({
  id,
  name,
  parent_id: parent,
  course_count: courses,
  equivalent_count: 0,
  bundle_count: 0,
});
const index = new FolderIndex([
  folder(1, 'Home', null, 1),
  folder(2, 'Chapter 10', 1, 2),
  folder(3, 'chapter 9', 1),
  folder(4, 'Annex', 2, 4),
  folder(5, 'Lost', 99),
]);
const node = (id: number) => index.get(id) ?? assert.fail();
const shown = (expanded: number[], search = '') =>
  index
    .rows(new Set(expanded), search)
    .map((row) => `${row.level} ${row.node.name} ${row.position}/${row.setSize}`);

describe('the tree of folders', () => {
  it('orders names naturally, with numbers by size', () => {
    assert.deepEqual(shown([1]), ['1 Home 1/1', '2 chapter 9 1/2', '2 Chapter 10 2/2']);
  });

  it('knows the place of each folder and the size of its subtree', () => {
    assert.equal(index.location(node(4)), 'Home > Chapter 10 > Annex');
    assert.equal(index.isWithin(node(4), node(2)), true);
    assert.equal(index.isWithin(node(2), node(4)), false);
    assert.equal(index.countsBelow(node(1)).courses, 7, 'counts omit folders that are not in the list');
  });

  it('shows search results with the folders above them', () => {
    assert.deepEqual(shown([], 'ANNEX'), ['1 Home 1/1', '2 Chapter 10 1/1', '3 Annex 1/1']);
    assert.deepEqual(shown([], '3'), ['1 Home 1/1', '2 chapter 9 1/1'], 'by id');
    assert.deepEqual(shown([], 'nowhere'), []);
  });

  it('is navigated with keys as the ARIA Authoring Practices describe', () => {
    const rows = index.rows(new Set([1]), '');
    assert.deepEqual(rowAfterKey('ArrowRight', rows, 2), { kind: 'open' });
    assert.deepEqual(rowAfterKey('ArrowRight', rows, 0), { kind: 'go', index: 1 });
    assert.deepEqual(rowAfterKey('ArrowLeft', rows, 0), { kind: 'close' });
    assert.deepEqual(rowAfterKey('ArrowLeft', rows, 2), { kind: 'go', index: 0 });
    assert.deepEqual(rowAfterKey('ArrowDown', rows, 2), { kind: 'go', index: 2 });
    assert.deepEqual(rowAfterKey('End', rows, 0), { kind: 'go', index: 2 });
    assert.equal(rowAfterKey('F5', rows, 0), null);
    assert.equal(typedMatch(rows, 1, 'c'), 2, 'the next one');
    assert.equal(typedMatch(rows, 1, 'chapter 9'), 1, 'more letters may mean this one');
    assert.equal(typedMatch(rows, 0, 'z'), null);
  });
});

describe('the queue of uploads', () => {
  interface Sent {
    name: string;
    key: string;
    end: PromiseWithResolvers<never>;
  }
  const target = { kind: 'course', folderId: 1, folderName: 'Home' } as const;

  /** A queue whose uploads end when the test says so. */
  function queueOf(): { queue: UploadQueue; sent: Sent[]; started: (count: number) => Promise<void> } {
    const sent: Sent[] = [];
    const waiting = new Set<() => void>();
    const send: SendPackage = (file, _target, { signal, idempotencyKey }) => {
      const end = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => end.reject(signal.reason));
      sent.push({ name: file.name, key: idempotencyKey, end });
      for (const wake of waiting) wake();
      return end.promise;
    };
    const started = (count: number) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          if (sent.length < count) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        wake();
      });
    return { queue: new UploadQueue(send, () => undefined), sent, started };
  }
  const files = (...names: string[]) => names.map((name) => new File(['PK'], name));
  const states = (queue: UploadQueue) => queue.items().map(({ state }) => state.kind);
  const changed = (queue: UploadQueue, wanted: (states: string[]) => boolean) =>
    new Promise<void>((resolve) => {
      const end = queue.subscribe(() => {
        if (!wanted(states(queue))) return;
        end();
        resolve();
      });
    });

  it('sends two at a time, in their order', async () => {
    const { queue, sent, started } = queueOf();
    queue.add(files('a', 'b', 'c'), target);
    await started(2);
    assert.deepEqual(states(queue), ['sending', 'sending', 'waiting']);
    sent[0]?.end.resolve({ id: 1 } as never);
    await started(3);
    assert.deepEqual(
      sent.map(({ name }) => name),
      ['a', 'b', 'c'],
    );
    queue.cancelAll();
  });

  it('retries with the same key, so that a lost response creates no duplicate', async () => {
    const { queue, sent, started } = queueOf();
    queue.add(files('a'), target);
    await started(1);
    const failed = changed(queue, ([state]) => state === 'failed');
    sent[0]?.end.reject(new UnreachableError('lost'));
    await failed;
    queue.retry(queue.items()[0]?.id ?? 0);
    await started(2);
    assert.equal(sent[0]?.key, sent[1]?.key);
    queue.add(files('b'), target);
    await started(3);
    assert.notEqual(sent[2]?.key, sent[0]?.key);
    queue.cancelAll();
  });

  it('ends cancelled uploads and continues with the next', async () => {
    const { queue, started } = queueOf();
    queue.add(files('a', 'b', 'c'), target);
    await started(2);
    queue.cancel(queue.items()[0]?.id ?? 0);
    await started(3);
    assert.deepEqual(states(queue), ['cancelled', 'sending', 'sending']);
    queue.clear();
    assert.deepEqual(states(queue), ['sending', 'sending']);
    queue.cancelAll();
    assert.deepEqual(states(queue), ['cancelled', 'cancelled']);
  });

  it('explains in plain words why a package failed', () => {
    const problem = (status: number, members: object) => new ApiError(status, { ...members }, null);
    const large = problem(413, {
      detail: 'The package is larger than the 209715200 bytes that this service takes',
    });
    assert.match(explainUpload(large, target).text, /larger than the 200 MB that/);
    const broken = explainUpload(new UnreachableError('reset'), target);
    assert.equal(broken.refused, false);
    const invalid = problem(400, {
      type: 'urn:coursewire:problem:invalid-package',
      detail: 'The zip contains no course.',
    });
    assert.deepEqual(explainUpload(invalid, target), { text: 'The zip contains no course.', refused: true });
  });
});

describe('a draft of an equivalent', () => {
  const item = (key: string, language: string): GroupItem => ({
    key,
    type: 'COURSE',
    id: 1,
    name: key,
    language,
  });
  const draftOf = (...items: GroupItem[]) => ({ ...emptyDraft(1), name: 'Fire', items });

  it('has one course for each language, however it is spelled', () => {
    assert.equal(checkDraft('equivalent', draftOf(item('a', 'en'), item('b', 'de-CH'))), null);
    const errors = checkDraft('equivalent', draftOf(item('a', 'de-CH'), item('b', 'DE-ch'), item('c', '')));
    assert.deepEqual([...(errors?.ofItem.keys() ?? [])], ['b', 'c']);
  });

  it('shows the errors of the service next to their fields', () => {
    const errors = errorsFromService(draftOf(item('a', 'en'), item('b', 'de')), [
      { pointer: '/courses/1/course_id', detail: 'there is no course 9' },
      { pointer: '/folder_id', detail: 'there is no folder 7' },
    ]);
    assert.equal(errors.ofItem.get('b'), 'There is no course 9');
    assert.equal(errors.folder, 'There is no folder 7');
  });

  it('accepts languages by name or tag', () => {
    assert.equal(tagOf('german'), 'de');
    assert.equal(tagOf(' sl-rozaj '), 'sl-rozaj');
    const draft = draftOf(item('a', 'German'), item('b', 'de'), item('c', 'Deutsch'), item('d', 'haw'));
    assert.deepEqual([...(checkDraft('equivalent', draft)?.ofItem.keys() ?? [])], ['b', 'c']);
    assert.equal(toEquivalent(draftOf(item('a', 'German'))).courses[0]?.language, 'de');
  });
});
