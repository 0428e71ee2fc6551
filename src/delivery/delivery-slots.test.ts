import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeliverySlots } from './delivery-slots.ts';

function slotsOf(quickLimit: number) {
  let now = 1_000;
  const slots = new DeliverySlots({ quickLimit, elapsed: () => now });
  const pass = (ms: number) => {
    now += ms;
  };
  return { slots, pass };
}

/** More requests than any of these slots admit. */
const TOO_MANY = 100_000;

/** Starts requests of new lines, none of which ends, until no slot is free. @throws {Error} when there is no limit */
function takeAll(slots: DeliverySlots, pass: (ms: number) => void): void {
  for (let line = 1; slots.free() > 0; line++) {
    assert.ok(line < TOO_MANY, 'the requests that go out are bounded');
    slots.take(messageOf(line), originOf(line));
    pass(50);
  }
}

const messageOf = (lineId: number) => ({ lineId, leaseToken: `lease of ${lineId}` });
const originOf = (lineId: number) => `https://${lineId}.test`;

describe('slots of delivery', () => {
  it('are as many as configured, and are returned', () => {
    const { slots } = slotsOf(2);
    assert.equal(slots.free(), 2);
    const first = slots.take(messageOf(1), originOf(1));
    slots.take(messageOf(2), originOf(2));
    assert.deepEqual([slots.free(), slots.taken], [0, 2]);
    slots.give(first);
    assert.deepEqual([slots.free(), slots.taken], [1, 1]);
  });

  it('are free again as soon as their requests are slow, which still count as in flight', () => {
    const { slots, pass } = slotsOf(2);
    slots.take(messageOf(1), originOf(1));
    pass(40);
    slots.take(messageOf(2), originOf(2));
    assert.equal(slots.free(), 0);
    assert.equal(slots.nextFreeIn(), 60);
    pass(60);
    assert.equal(slots.free(), 1);
    pass(40);
    assert.deepEqual([slots.free(), slots.taken], [2, 2]);
    assert.equal(slots.nextFreeIn(), null);
  });

  it('are all free again once all requests are slow', () => {
    const { slots, pass } = slotsOf(3);
    for (const line of [1, 2, 3]) slots.take(messageOf(line), originOf(line));
    pass(100);
    assert.deepEqual([slots.free(), slots.taken], [3, 3]);
  });

  it('are not used by lines whose latest request was slow', () => {
    const { slots, pass } = slotsOf(2);
    const slow = slots.take(messageOf(1), originOf(1));
    pass(5_000);
    slots.give(slow);
    const again = slots.take(messageOf(1), originOf(1));
    assert.deepEqual([slots.free(), slots.taken], [2, 1]);
    slots.give(again);
    assert.deepEqual([slots.free(), slots.taken], [2, 0]);
    slots.take(messageOf(1), originOf(1));
    assert.equal(slots.free(), 1, 'it was quick again');
  });

  it('are used by lines whose latest request took as long as with many targets', () => {
    const { slots, pass } = slotsOf(2);
    const usual = slots.take(messageOf(1), originOf(1));
    pass(600);
    assert.equal(slots.free(), 2);
    slots.give(usual);
    slots.take(messageOf(1), originOf(1));
    assert.equal(slots.free(), 1);
  });

  it('are limited in total, even if every request hangs', () => {
    const { slots, pass } = slotsOf(4);
    takeAll(slots, pass);
    assert.equal(slots.taken, 4 + 1_024);
    assert.equal(slots.nextFreeIn(), null);
  });

  it('allow more hanging requests if more slots are configured', () => {
    const { slots, pass } = slotsOf(256);
    takeAll(slots, pass);
    assert.equal(slots.taken, 256 * 17);
  });

  it('remember a limited number of lines', () => {
    const { slots, pass } = slotsOf(1);
    for (let line = 0; line <= 20_000; line++) {
      const slot = slots.take(messageOf(line), originOf(line));
      pass(1_000);
      slots.give(slot);
    }
    slots.take(messageOf(1), originOf(1));
    assert.equal(slots.free(), 1, 'the second is remembered');
    slots.take(messageOf(0), originOf(0));
    assert.equal(slots.free(), 0, 'the first is forgotten');
  });

  it('let each origin have only a share of the slow requests, and report how long a message has to wait', () => {
    const { slots, pass } = slotsOf(16);
    const origin = 'https://hangs.test';
    const taken = [];
    for (let line = 1; slots.originPause(origin) === null; line++) {
      assert.ok(line < TOO_MANY, 'the requests to one origin are bounded');
      taken.push(slots.take(messageOf(line), origin));
      pass(50);
      slots.free();
    }
    assert.ok(taken.length < 100, `${taken.length} requests`);
    assert.equal(slots.originPause('https://other.test'), null);
    assert.equal(slots.free() > 0, true);
    const [soon = 0] = [slots.originPause(origin) ?? undefined];
    pass(5_000);
    assert.ok((slots.originPause(origin) ?? 0) > soon, 'longer, the longer the origin hangs');
    pass(3_600_000);
    assert.ok((slots.originPause(origin) ?? 0) <= 10_000, 'bounded');
    for (const slot of taken) slots.give(slot);
    assert.equal(slots.originPause(origin), null);
    assert.equal(slots.taken, 0);
  });
});
