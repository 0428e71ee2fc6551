import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MIB } from '../../src/bytes.ts';
import { aroundTests } from '../support/around-tests.ts';
import { eachPage } from '../support/each-page.ts';
import { startLaunch } from '../support/player-client.ts';
import { lessons, scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { assertInvalid } from '../webhooks/webhook-expectations.ts';

const UNITS = ['i1', 'i2', 'i3'];

/** An attempt as a page shows it: its number, its units, and whether its state is stored. */
type Shown = [attempt: number, units: string[], hasState: boolean];

describe('the history of a registration', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  /** Makes attempts in which each unit stores a text of this many characters. */
  async function registrationWith(attempts: number, length: number): Promise<string> {
    const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(UNITS.length) }));
    for (let attempt = 1; attempt <= attempts; attempt++) {
      if (attempt > 1) await service.api.post(`/registrations/${registrationId}/reset`);
      const client = await startLaunch(service, registrationId);
      await client.open();
      for (const unit of UNITS) {
        await client.openUnit(unit);
        const cmi = { suspend_data: `${attempt} ${unit} ${'x'.repeat(length)}` };
        const { status } = await client.commit(unit, cmi, { state: { attempt } });
        assert.equal(status, 200);
      }
    }
    return registrationId;
  }

  async function pagesOf(registrationId: string, query = ''): Promise<{ pages: Shown[][]; bytes: number[] }> {
    const pages: Shown[][] = [];
    const bytes: number[] = [];
    const history = `/registrations/${registrationId}/runtime?${query}`;
    for await (const body of eachPage((page) => service.api.get(page), history)) {
      bytes.push(Buffer.byteLength(JSON.stringify(body)));
      pages.push(
        body.attempts.map((each: { attempt: number; state: object | null; units: { unit_id: string }[] }) => [
          each.attempt,
          each.units.map(({ unit_id }) => unit_id),
          each.state !== null,
        ]),
      );
      for (const { attempt, units } of body.attempts) {
        for (const { unit_id, data } of units) {
          assert.ok(data.cmi.suspend_data.startsWith(`${attempt} ${unit_id} `));
        }
      }
    }
    return { pages, bytes };
  }

  it('has pages that are limited in bytes and continue where the last one ended, even within an attempt', async () => {
    const id = await registrationWith(2, 0.4 * MIB);
    const { pages, bytes } = await pagesOf(id);
    assert.deepEqual(pages, [
      [[1, ['i1', 'i2'], true]],
      [
        [1, ['i3'], false],
        [2, ['i1'], true],
      ],
      [[2, ['i2', 'i3'], false]],
    ]);
    assert.ok(
      bytes.every((each) => each < 1.1 * MIB),
      `${bytes}`,
    );
  });

  it('puts a unit that is larger than a page on its own page', async () => {
    const id = await registrationWith(1, 1.5 * MIB);
    const { pages } = await pagesOf(id);
    assert.deepEqual(pages, [
      [[1, [], true]],
      [[1, ['i1'], false]],
      [[1, ['i2'], false]],
      [[1, ['i3'], false]],
    ]);
  });

  it('starts with the latest attempt if that is requested', async () => {
    const id = await registrationWith(3, 10);
    const { pages } = await pagesOf(id, 'order=desc&limit=5');
    assert.deepEqual(pages, [
      [
        [3, UNITS, true],
        [2, [], true],
      ],
      [
        [2, UNITS, false],
        [1, ['i1'], true],
      ],
      [[1, ['i2', 'i3'], false]],
    ]);
    assert.deepEqual((await pagesOf(id)).pages, [[1, 2, 3].map((attempt) => [attempt, UNITS, true])]);
  });

  it('rejects an unknown cursor or order', async () => {
    const id = await registrationWith(1, 10);
    assertInvalid(await service.api.get(`/registrations/${id}/runtime?cursor=x`), ['/query/cursor']);
    assertInvalid(await service.api.get(`/registrations/${id}/runtime?order=up`), ['/query/order']);
  });
});
