import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { MIB } from '../../src/bytes.ts';
import { textDigest } from '../../src/player/scorm/text-digest.ts';
import { type PlayerClient, startUnit } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import type { WatchedService } from '../support/watched-service.ts';
import { type Attack, assertStatus, manyTimes } from './attack.ts';

/** Slightly below the limit of members in a request. */
const MEMBERS = 49_000;
/** Slightly below the limit of values that a registration may share with other courses. */
const OBJECTIVES = 4_900;
const STORES = 120;
const UNITS = 1_000;
const LARGE_CHANGE = 'beacons: changes of a text of 8 MB';
const FORGED = 'beacons: forged launches';

/** Attacks on the endpoint to which pages send their last save while they close, and with its URLs. */
export async function beaconAttacks(service: WatchedService): Promise<Attack[]> {
  const { client } = await startUnit(service, scorm12Course(), 'i1');
  return [
    ...changeAttacks(client),
    ...(await growingAttacks(service)),
    ...encodingAttacks(client),
    ...tokenAttacks(client),
    await manyAtOnce(service),
    ...(await sharedValueAttacks(service)),
    await manyUnits(service),
  ];
}

/** Sends a body as a browser's beacon does, and asserts the response. */
async function beacon(
  { base }: Pick<PlayerClient, 'base'>,
  body: string | Buffer,
  headers: Record<string, string>,
  ...statuses: number[]
): Promise<void> {
  const response = await fetch(`${base}/commit`, { method: 'POST', body, headers });
  assertStatus({ status: response.status, body: await response.text() }, ...statuses);
}

function changeAttacks(client: PlayerClient): Attack[] {
  const text = 'é'.repeat(3.9 * MIB);
  const splices = (of: string) => [
    ...Array.from({ length: 15 }, (_, n) => ({ of: `${n}`, start: 0, end: 0, text: 'x'.repeat(0.5 * MIB) })),
    { of, start: text.length, end: 0, text: '' },
  ];
  return [
    {
      name: LARGE_CHANGE,
      async perform() {
        assertStatus(await client.commit('i1', { suspend_data: text }), 200);
        const change = { isChange: true, splices: splices(textDigest(text)) };
        assertStatus(await client.commit('i1', {}, change), 200);
      },
    },
    {
      name: 'beacons: halves of characters, and a change of them',
      queriesLike: LARGE_CHANGE,
      async perform() {
        const halves = '\ud800'.repeat(MIB);
        assertStatus(await client.commit('i1', { suspend_data: halves }), 200);
        const added = [{ of: textDigest(halves), start: MIB, end: 0, text: '\udc00' }];
        assertStatus(await client.commit('i1', {}, { isChange: true, splices: added }), 200);
      },
    },
    {
      name: 'beacons: one change, a thousand times',
      async perform() {
        assertStatus(await client.commit('i1', { suspend_data: 'one' }), 200);
        const added = [{ of: textDigest('one'), start: 3, end: 0, text: ' two' }];
        const commit = client.commitOf('i1', {}, { isChange: true, splices: added });
        const outcomes: string[] = [];
        await manyTimes(1_000, 50, async () => {
          const answer = await client.post('commit', commit);
          assertStatus(answer, 200);
          outcomes.push(answer.body.outcome);
        });
        assert.equal(outcomes.filter((outcome) => outcome === 'recorded').length, 1);
      },
    },
    {
      name: 'beacons: impossible sequence numbers of pages',
      perform: () =>
        manyTimes(200, 20, async (n) => {
          const place = [-1, 1.5, 1e300, Number.MAX_SAFE_INTEGER, '1', null][n % 6];
          const commit = { ...client.commitOf('i1', {}), page: place, visit: place, lateOf: place };
          assertStatus(await client.post('commit', commit), 400, 409);
        }),
    },
  ];
}

async function growingAttacks(service: WatchedService): Promise<Attack[]> {
  const { client, registrationId } = await startUnit(service, scorm12Course(), 'i1');
  let next = 0;
  const members = () => Object.fromEntries(Array.from({ length: MEMBERS }, () => [(next++).toString(36), 1]));
  return [
    {
      name: 'beacons: changes that add countless members',
      queriesLike: LARGE_CHANGE,
      async perform() {
        for (let n = 0; n < 12; n++) {
          assertStatus(await client.commit('i1', members(), { isChange: true }), 200, 413);
        }
        assertStatus(await service.api.get(`/registrations/${registrationId}/runtime`), 200);
      },
    },
  ];
}

function encodingAttacks(client: PlayerClient): Attack[] {
  const json = (suspend: string) =>
    Buffer.from(JSON.stringify(client.commitOf('i1', { suspend_data: suspend })));
  const bodies: Record<string, () => [string | Buffer, Record<string, string>?]> = {
    'a gzip bomb': () => [gzipSync(Buffer.alloc(100 * MIB)), { 'content-encoding': 'gzip' }],
    'a compressed save': () => [gzipSync(json('x')), { 'content-encoding': 'gzip' }],
    'UTF-16': () => [
      Buffer.from(`\ufeff${json('x')}`, 'utf16le'),
      { 'content-type': 'text/plain;charset=utf-16' },
    ],
    'Latin-1': () => [Buffer.from(json('é'.repeat(MIB)).toString(), 'latin1')],
    'overlong zeros': () => [Buffer.alloc(7.9 * MIB, Buffer.from([0xc0, 0x80]))],
    'a form': () => [
      `commit=${'%7B'.repeat(2.5 * MIB)}`,
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    'parts of a form': () => [
      Buffer.alloc(7.9 * MIB, '--b\r\nContent-Disposition: form-data; name="commit"\r\n\r\n{}\r\n'),
      { 'content-type': 'multipart/form-data; boundary=b' },
    ],
    nothing: () => [''],
  };
  return Object.entries(bodies).map(([name, bodyOf]) => ({
    name: `beacons: ${name}`,
    stopsBeforeDatabase: true,
    perform: async () => {
      const [body, headers = {}] = bodyOf();
      await beacon(client, body, headers, 400, 413);
    },
  }));
}

function tokenAttacks(client: PlayerClient): Attack[] {
  const { origin, pathname } = new URL(client.base);
  const token = pathname.slice(1);
  const body = 'x'.repeat(0.5 * MIB);
  const forged = (n: number): string => {
    switch (n % 6) {
      case 0:
        return `cwp1_${randomBytes(40).toString('base64url')}`;
      case 1:
        // The claim of another launch with the signature of this one.
        return token.slice(0, 5) + randomBytes(20).toString('base64url') + token.slice(32);
      case 2:
        return `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
      case 3:
        return `${token}${'A'.repeat(n)}`;
      case 4:
        return `cwl1_${token.slice(5)}`;
      default:
        return randomUUID();
    }
  };
  return [
    {
      name: FORGED,
      perform: () =>
        manyTimes(120, 30, async (n) => beacon({ base: `${origin}/${forged(n)}` }, body, {}, 404, 410)),
    },
    {
      name: 'beacons: paths similar to that of a launch',
      queriesLike: FORGED,
      perform: () =>
        manyTimes(75, 30, async (n) => {
          const path = `${token}%2f${'..%2f'.repeat(4 * n)}${'%00'.repeat(4 * n)}`;
          await beacon({ base: `${origin}/${path}` }, body, {}, 400, 404, 410, 414, 431);
        }),
    },
  ];
}

/** A page that sends many requests at once, while the data that all units share is large. */
async function manyAtOnce(service: WatchedService): Promise<Attack> {
  const { client } = await startUnit(service, scorm12Course(), 'i1');
  const state = { state: { a: '\u0001'.repeat(MIB) } };
  assertStatus(await client.commit('i1', {}, state), 200);
  const stale = JSON.stringify(client.commitOf('i1', {}));
  assertStatus(await client.commit('i1', {}), 200);
  return {
    name: 'beacons: many requests at once, with large shared data',
    perform: () =>
      manyTimes(80, 80, async (n) => {
        if (n % 2 === 0) return await beacon(client, stale, {}, 200, 429);
        const response = await fetch(`${client.base}/attempt`);
        assertStatus({ status: response.status, body: await response.text() }, 200, 429);
      }),
  };
}

/** Courses and learners that fill the values shared between courses up to the limit. */
async function sharedValueAttacks(service: WatchedService): Promise<Attack[]> {
  const objectives = Array.from(
    { length: OBJECTIVES },
    (_, n) =>
      `<imsss:objective objectiveID="o${n}"><imsss:mapInfo targetObjectiveID="g${n}"/></imsss:objective>`,
  ).join('');
  const stores = Array.from({ length: STORES * 4 }, (_, n) => `<adlcp:map targetID="s${n}"/>`).join('');
  const items =
    `<item identifier="i1" identifierref="r1"><title>1</title><imsss:sequencing><imsss:objectives>` +
    `<imsss:primaryObjective objectiveID="p"/>${objectives}</imsss:objectives></imsss:sequencing>` +
    `<adlcp:data>${stores}</adlcp:data></item><item identifier="i2" identifierref="r1"><title>2</title></item>`;
  const plain = scorm2004Course({ items });
  const manifest = String(plain['imsmanifest.xml']).replace(
    '<organization ',
    '<organization adlseq:objectivesGlobalToSystem="true" adlcp:sharedDataGlobalToSystem="true" ',
  );
  const course = { ...plain, 'imsmanifest.xml': manifest };
  const { client: manyObjectives } = await startUnit(service, course, 'i1');
  const { client: largeStores } = await startUnit(service, course, 'i1');
  let round = 0;
  const save = async (client: PlayerClient, shared: { objectives?: object; stores?: object }) => {
    const sequencing = {
      format: 2,
      current: null,
      suspended: null,
      activities: {},
      objectives: {},
      stores: {},
      ...shared,
    };
    assertStatus(await client.commit('i1', {}, { state: { sequencing } }), 200, 413);
  };
  const progress = (measure: number) => ({
    satisfied: true,
    measure,
    raw: null,
    min: null,
    max: null,
    completed: null,
    progress: null,
  });
  return [
    {
      name: 'beacons: thousands of shared objectives that all change',
      async perform() {
        round += 1;
        const all = Array.from({ length: OBJECTIVES }, (_, n) => [`g${n}`, progress(round / 1_000)]);
        await save(manyObjectives, { objectives: Object.fromEntries(all) });
      },
    },
    {
      name: 'beacons: shared stores that are full',
      async perform() {
        round += 1;
        const all = Array.from({ length: STORES }, (_, n) => [
          `s${n + STORES * (round % 4)}`,
          `${round}${'x'.repeat(63_000)}`,
        ]);
        await save(largeStores, { stores: Object.fromEntries(all) });
      },
    },
    {
      name: 'pages that open with the maximum of shared values',
      async perform() {
        for (const client of [manyObjectives, largeStores]) {
          await client.open();
          await client.openUnit('i1');
        }
      },
    },
  ];
}

/** A course with a manifest of the maximum size, whose units are all saved. */
async function manyUnits(service: WatchedService): Promise<Attack> {
  const items = Array.from(
    { length: UNITS },
    (_, n) =>
      `<item identifier="i${n}" identifierref="r1"><title>${n}</title><imsss:sequencing>` +
      `<imsss:objectives><imsss:primaryObjective objectiveID="p"><imsss:mapInfo targetObjectiveID="g${n}"/>` +
      `</imsss:primaryObjective></imsss:objectives></imsss:sequencing></item>`,
  ).join('');
  const { client } = await startUnit(service, scorm2004Course({ items }), 'i0');
  return {
    name: 'saves of a course of a thousand sequenced units',
    perform: () =>
      manyTimes(10, 5, async (n) => {
        await client.openUnit(`i${n}`);
        assertStatus(await client.commit(`i${n}`, { completion_status: 'completed' }), 200);
      }),
  };
}
