import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { ThreadHeap } from './thread-heap.ts';

const MEBIBYTE = 1024 * 1024;
const OBJECTS = 500_000;
/** Less than these objects take. */
const OBJECTS_BYTES = 10 * MEBIBYTE;
const THREADS = 4;
/** Often enough for the threads to do it at the same time. */
const MANAGED_TIMES = 200;

function usedBytes(): number {
  return getHeapStatistics().used_heap_size;
}

/** Allocates objects until the heap is twice as large, and returns how much is in use while they are. */
function fillHeap(): number {
  const wanted = 2 * usedBytes() + OBJECTS_BYTES;
  const objects: object[][] = [];
  while (usedBytes() < wanted) objects.push(Array.from({ length: OBJECTS }, (_, index) => ({ index })));
  const used = usedBytes();
  assert.ok(objects.length > 0);
  return used;
}

describe('the heap of a thread', () => {
  for (const when of ['collectIfGrown', 'release'] as const) {
    it(`has no garbage after ${when}()`, () => {
      const heap = new ThreadHeap();
      const full = fillHeap();
      heap[when]();
      assert.ok(usedBytes() < full - OBJECTS_BYTES);
    });
  }

  it('keeps what is in use', () => {
    const heap = new ThreadHeap();
    const objects = Array.from({ length: OBJECTS }, (_, index) => ({ index }));
    heap.collectIfGrown();
    heap.release();
    assert.equal(objects.at(-1)?.index, OBJECTS - 1);
  });

  it('is not collected again until it has grown', () => {
    const heap = new ThreadHeap();
    heap.release();
    const garbage = new WeakRef({});
    for (let n = 0; n < 100; n++) {
      heap.collectIfGrown();
      heap.release();
    }
    assert.notEqual(garbage.deref(), undefined);
  });

  it('can be managed by several threads that start at the same time', async () => {
    const source = `
      const { ThreadHeap } = await import(${JSON.stringify(import.meta.resolve('./thread-heap.ts'))});
      for (let n = 0; n < ${MANAGED_TIMES}; n++) new ThreadHeap();
    `;
    const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
    const threads = Array.from({ length: THREADS }, () => new Worker(url, { execArgv: [] }));
    // An error in a thread is thrown here.
    const codes = await Promise.all(threads.map(async (thread) => (await once(thread, 'exit'))[0]));
    assert.deepEqual(
      codes,
      threads.map(() => 0),
    );
  });
});
