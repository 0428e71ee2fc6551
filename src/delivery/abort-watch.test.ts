import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { AbortWatch } from './abort-watch.ts';

function setUp() {
  const watch = new AbortWatch();
  const controller = new AbortController();
  const stopped: string[] = [];
  const member = (name: string) => ({ abort: () => void stopped.push(name) });
  const listeners = () => getEventListeners(controller.signal, 'abort').length;
  return { watch, controller, signal: controller.signal, stopped, member, listeners };
}

describe('watching a signal', () => {
  it('stops all that are watched for it, once', () => {
    const { watch, controller, signal, stopped, member } = setUp();
    watch.add(signal, member('a'));
    watch.add(signal, member('b'));
    watch.add(new AbortController().signal, member('other'));
    controller.abort();
    controller.abort();
    assert.deepEqual(stopped, ['a', 'b']);
  });

  it('takes one listener for any number, and none for nothing', () => {
    const { watch, signal, member, listeners } = setUp();
    const a = watch.add(signal, member('a'));
    const b = watch.add(signal, member('b'));
    assert.equal(listeners(), 1);
    watch.remove(signal, a);
    assert.equal(listeners(), 1);
    watch.remove(signal, b);
    assert.equal(listeners(), 0);
    watch.remove(signal, b);
  });

  it('does not stop what was removed', () => {
    const { watch, controller, signal, stopped, member } = setUp();
    const a = watch.add(signal, member('a'));
    watch.add(signal, member('b'));
    watch.remove(signal, a);
    controller.abort();
    assert.deepEqual(stopped, ['b']);
  });

  it('takes no notice of what is not there when it is removed', () => {
    const { watch, controller, signal, stopped, member } = setUp();
    const a = watch.add(signal, member('a'));
    watch.add(signal, member('b'));
    const other = watch.add(new AbortController().signal, member('other'));
    watch.remove(signal, a);
    watch.remove(signal, a);
    watch.remove(signal, other);
    controller.abort();
    assert.deepEqual(stopped, ['b']);
  });

  it('lets those that are stopped be removed meanwhile', () => {
    const { watch, controller, signal, stopped } = setUp();
    for (const name of ['a', 'b']) {
      const member = {
        abort: () => {
          stopped.push(name);
          watch.remove(signal, place);
        },
      };
      const place = watch.add(signal, member);
    }
    controller.abort();
    assert.deepEqual(stopped, ['a', 'b']);
  });
});
