import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';

const item = (id: string, prerequisites: string | null) =>
  `<item identifier="${id}" identifierref="r1"><title>${id}</title>${prerequisitesOf(prerequisites)}</item>`;
const block = (id: string, prerequisites: string | null, ...items: string[]) =>
  `<item identifier="${id}"><title>${id}</title>${items.join('')}${prerequisitesOf(prerequisites)}</item>`;
const prerequisitesOf = (script: string | null) =>
  script === null
    ? ''
    : `<adlcp:prerequisites type="aicc_script"><![CDATA[${script}]]></adlcp:prerequisites>`;
const PASSED = { core: { lesson_status: 'passed' } };
const FAILED = { core: { lesson_status: 'failed' } };

describe('prerequisites of SCORM 1.2', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

  const start = async (...items: string[]) => {
    const { registrationId } = await registerTo(service, scorm12Course({ items: items.join('') }));
    return { registrationId, player: await startLaunch(service, registrationId) };
  };
  type Contents = { units: { id: string; isOpen: boolean }[] };
  const closed = ({ units }: Contents) => units.filter(({ isOpen }) => !isOpen).map(({ id }) => id);

  it('keep a unit closed until they are met', async () => {
    const { player } = await start(item('a', null), item('b', 'a'), item('c', 'a & b'));
    assert.deepEqual(closed(await player.open()), ['b', 'c']);
    const refused = await player.post('unit', { unit: 'b' });
    assert.equal(refused.status, 409);
    assert.match(refused.body.detail, /prerequisites of the unit "b" are not met/);
    await player.openUnit('a');
    await player.commit('a', FAILED, { terminated: true });
    assert.deepEqual(closed((await player.post('units')).body), ['b', 'c']);
    await player.commit('a', PASSED, { terminated: true });
    assert.deepEqual(closed((await player.post('units')).body), ['c']);
    await player.openUnit('b');
  });

  it('of a block hold for its units, and a block is done when all its units are', async () => {
    const { player } = await start(
      block('first', null, item('a', null), item('b', null)),
      block('second', 'first', item('c', null), item('d', 'c')),
    );
    assert.deepEqual(closed(await player.open()), ['c', 'd']);
    await player.commit('a', PASSED);
    assert.deepEqual(closed((await player.post('units')).body), ['c', 'd']);
    await player.commit('b', PASSED);
    assert.deepEqual(closed((await player.post('units')).body), ['d']);
  });

  it('that cannot be read, or name what the course does not have, close nothing', async () => {
    const { player } = await start(item('a', '& ('), item('b', 'elsewhere'), item('c', 'elsewhere & a'));
    assert.deepEqual(closed(await player.open()), ['c']);
  });

  it('may ask for a certain status', async () => {
    const { player } = await start(item('a', null), item('b', 'a="failed"'), item('c', '~a'));
    assert.deepEqual(closed(await player.open()), ['b']);
    await player.commit('a', FAILED);
    assert.deepEqual(closed((await player.post('units')).body), []);
    await player.commit('a', PASSED);
    assert.deepEqual(closed((await player.post('units')).body), ['b', 'c']);
  });
});
