import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { MIB } from '../../src/bytes.ts';
import { launch } from '../content/registration-helpers.ts';
import { Unit } from '../player/cmi5-helpers.ts';
import { Player } from '../player/learner-helpers.ts';
import { ANN, activity, type LrsClient, lrsClient, statement } from '../player/lrs-helpers.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { followLink, type PlayerClient, startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import type { WatchedService } from '../support/watched-service.ts';
import { type Attack, assertStatus, manyTimes } from './attack.ts';
import { hacpAttacks } from './hacp-attacks.ts';

const MANY_LEARNERS = 100;
const SAVES_OF_EACH = 3;
/** Bodies that break a rule of their form. */
const REJECTED_STATEMENTS = new Set([
  'more JSON than is taken',
  'brackets that are never closed',
  'arrays within arrays',
  'a number of millions of digits',
  'escapes without end',
  'names of prototypes',
]);
const REJECTED_DOCUMENTS = new Set([
  '300,000 members',
  'countless empty objects',
  'brackets that are never closed',
]);
const CONDITIONS = 'files: thousands of conditions';
/** The attacks by statements and commits, each with one that stores rows of about the same size. */
const SAME_SIZE: Readonly<Record<string, string>> = {
  'statements: 100,000 members': 'statements: five hundred at once',
  'statements: one of 100,000 members': 'statements: as much JSON as is taken',
  'commits: as many members as are taken': 'commits: suspend data of 1 MB whose every character is escaped',
  'commits: 200,000 members': 'commits: suspend data of 8 MB',
  'commits: a state as large as a request': 'commits: suspend data of 8 MB',
  'commits: a state with the maximum number of members':
    'commits: suspend data of 1 MB whose every character is escaped',
};
/** An attack by statements or commits. */
const named = (name: string) => ({
  name,
  ...(SAME_SIZE[name] === undefined ? {} : { queriesLike: SAME_SIZE[name] }),
});

/** Attacks by courses and learners, and by clients of the learning record store. */
export async function playerAttacks(service: WatchedService): Promise<Attack[]> {
  const lrs = await lrsClient(service);
  const { registrationId, accountId, courseId } = await registerTo(service, scorm12Course());
  const client = await startLaunch(service, registrationId);
  await client.open();
  await client.openUnit('i1');
  return [
    ...statementAttacks(lrs),
    ...documentAttacks(lrs),
    ...commitAttacks(client),
    {
      name: 'the raw data of an attempt of 8 MB',
      async perform() {
        await client.commit('i1', { suspend_data: 'x'.repeat(7.9 * MIB) });
        assertStatus(await service.api.get(`/registrations/${registrationId}/runtime`), 200);
      },
    },
    await openedLink(service, registrationId),
    await largeStatements(service),
    ...(await hacpAttacks(service)),
    ...fileAttacks(client),
    await crowd(service, { account_id: accountId, course_id: courseId }),
  ];
}

/** Each opening of a link may start a launch, which is stored. */
async function openedLink(service: WatchedService, registrationId: string): Promise<Attack> {
  const url = await launch(service, registrationId);
  return {
    name: 'a launch link that is opened without pause',
    perform: () =>
      manyTimes(500, 50, async () => {
        const response = await fetch(url, { redirect: 'manual' });
        assertStatus({ status: response.status, body: await response.text() }, 303);
      }),
  };
}

/** A registration whose course stored statements of the maximum size. */
async function largeStatements(service: WatchedService): Promise<Attack> {
  const unitId = 'https://example.com/course/one';
  const { registrationId } = await registerTo(service, cmi5Course([{ id: unitId }]));
  const player = await Player.open(service, registrationId);
  const unit = await Unit.start(await player.openUnit(unitId));
  const { context } = unit.statement('read') as { context: { contextActivities: object } };
  const free = { ...context, contextActivities: unit.launchData.contextTemplate.contextActivities };
  const large = () => ({
    ...unit.statement('read'),
    context: free,
    result: { extensions: { 'https://example.com/x': Array(50_000).fill('x') } },
  });
  assert.deepEqual(
    await unit.send(unit.initialized(), ...Array.from({ length: 150 }, large)),
    Array(151).fill(200),
  );
  return {
    name: 'the largest pages of the statements of a registration',
    perform: async () =>
      assertStatus(await service.api.get(`/registrations/${registrationId}/statements?limit=200`), 200),
  };
}

function members(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`https://example.com/${n}`, 1]));
}

function statementAttacks(lrs: LrsClient): Attack[] {
  const sized = (count: number, length: number) =>
    JSON.stringify(
      Array.from({ length: count }, () => statement({ result: { response: 'x'.repeat(length) } })),
    );
  const bodies: Record<string, string> = {
    'more JSON than is taken': sized(70, 200_000),
    'as much JSON as is taken': sized(40, 200_000),
    'five hundred at once': sized(500, 15_000),
    '100,000 members': JSON.stringify(
      Array.from({ length: 100 }, () => statement({ result: { extensions: members(980) } })),
    ),
    'one of 100,000 members': JSON.stringify(statement({ result: { extensions: members(99_000) } })),
    'brackets that are never closed': '['.repeat(14 * MIB),
    'arrays within arrays': `${'['.repeat(1_000)}${']'.repeat(1_000)}`,
    'a number of millions of digits': `{"a":${'1'.repeat(7 * MIB)}}`,
    'escapes without end': `{"a":"${'\\u0041'.repeat(1.2 * MIB)}"}`,
    'halves of characters': JSON.stringify(
      Array.from({ length: 30 }, () =>
        statement({ result: { response: '\ud800'.repeat(40_000), extensions: members(1_000) } }),
      ),
    ),
    'names of prototypes': `[${'{"__proto__":{"a":1},"constructor":{"prototype":{}}},'.repeat(400)}{}]`,
    'thousands of activities': JSON.stringify(
      Array.from({ length: 9 }, (_, n) =>
        statement({
          context: {
            contextActivities: {
              other: Array.from({ length: 1_000 }, (_, m) => activity(`other-${n}-${m}`)),
            },
          },
        }),
      ),
    ),
  };
  return [
    ...Object.entries(bodies).map(([name, body]) => {
      const stopsBeforeDatabase = REJECTED_STATEMENTS.has(name);
      return {
        ...named(`statements: ${name}`),
        stopsBeforeDatabase,
        perform: async () => {
          const response = await lrs.call('POST', 'statements', { body });
          (stopsBeforeDatabase ? rejected : answered)(response);
        },
      };
    }),
    ...multipartAttacks(lrs),
    {
      name: 'statements: the largest pages in one language',
      perform: async () =>
        answered(await lrs.call('GET', 'statements', { query: { limit: '100', format: 'canonical' } })),
    },
    {
      name: 'statements: pages with their attachments',
      perform: async () => answered(await lrs.call('GET', 'statements', { query: { attachments: 'true' } })),
    },
  ];
}

function multipartAttacks(lrs: LrsClient): Attack[] {
  const send = async (body: Buffer, boundary = 'b') =>
    answered(
      await lrs.call('POST', 'statements', {
        body,
        headers: { 'content-type': `multipart/mixed; boundary=${boundary}` },
      }),
    );
  const attached = (count: number, length: number) =>
    withAttachments(Array.from({ length: count }, (_, n) => Buffer.alloc(length, `${n} `)));
  return [
    { name: 'multipart: one attachment of 14 MB', perform: () => send(attached(1, 14 * MIB)) },
    { name: 'multipart: a hundred attachments', perform: () => send(attached(100, 140_000)) },
    {
      name: 'multipart: boundaries without end',
      stopsBeforeDatabase: true,
      perform: () => send(Buffer.concat([Buffer.from('--b\r\n'), Buffer.alloc(14 * MIB, '\r\n--b')])),
    },
    {
      name: 'multipart: near misses of a boundary, repeated',
      stopsBeforeDatabase: true,
      perform: () => send(Buffer.alloc(14 * MIB, '\r\n--'), '-'.repeat(70)),
    },
    {
      name: 'multipart: no end',
      stopsBeforeDatabase: true,
      perform: () => send(Buffer.concat([Buffer.from('--b\r\n\r\n'), Buffer.alloc(14 * MIB, ' ')])),
    },
  ];
}

/** A body of a statement with attachments. */
function withAttachments(contents: readonly Buffer[]): Buffer {
  const described = contents.map((content) => ({
    usageType: 'https://example.com/usage',
    display: { en: 'Attached' },
    contentType: 'text/plain',
    length: content.length,
    sha2: createHash('sha256').update(content).digest('hex'),
  }));
  const json = JSON.stringify(statement({ attachments: described }));
  const head = `--b\r\nContent-Type: application/json\r\n\r\n${json}\r\n`;
  const parts = contents.flatMap((content, n) => [
    Buffer.from(
      `--b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: binary\r\nX-Experience-API-Hash: ${described[n]!.sha2}\r\n\r\n`,
    ),
    content,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([Buffer.from(head), ...parts, Buffer.from('--b--\r\n')]);
}

function documentAttacks(lrs: LrsClient): Attack[] {
  const query = { activityId: activity('state').id, agent: JSON.stringify(ANN), stateId: 'state' };
  const bodies: Record<string, string> = {
    'a text of 4 MB': JSON.stringify({ a: 'x'.repeat(4 * MIB - 100) }),
    '300,000 members': JSON.stringify(members(300_000)),
    'as many members as are taken': JSON.stringify(members(49_000)),
    'countless empty objects': `[${'{},'.repeat(1.3 * MIB)}1]`,
    'brackets that are never closed': '['.repeat(4 * MIB - 1),
  };
  return [
    ...Object.entries(bodies).map(([name, body]) => {
      const stopsBeforeDatabase = REJECTED_DOCUMENTS.has(name);
      return {
        name: `documents: ${name}`,
        stopsBeforeDatabase,
        perform: async () => {
          const response = await lrs.call('PUT', 'activities/state', { query, body });
          (stopsBeforeDatabase ? rejected : answered)(response);
        },
      };
    }),
    {
      name: 'documents: the maximum number of members to merge',
      async perform() {
        const body = JSON.stringify(members(24_000));
        await lrs.call('PUT', 'activities/state', { query, body });
        answered(await lrs.call('POST', 'activities/state', { query, body }));
      },
    },
  ];
}

function commitAttacks(client: PlayerClient): Attack[] {
  const bodies: Record<string, [object, object?]> = {
    'suspend data of 1 MB whose every character is escaped': [{ suspend_data: '\u0001'.repeat(MIB) }],
    'suspend data of 8 MB': [{ suspend_data: 'x'.repeat(7.9 * MIB) }],
    'as many members as are taken': [members(49_000)],
    '200,000 members': [members(200_000)],
    'a state as large as a request': [{}, { state: { a: 'x'.repeat(7.9 * MIB) } }],
    'a state with the maximum number of members': [{}, { state: members(49_000) }],
    'a change after many members': [{ a: 1 }, { isChange: true }],
  };
  const raw = (body: string) => async () => {
    const response = await fetch(`${client.base}/commit`, { method: 'POST', body });
    assertStatus({ status: response.status, body: await response.text() }, 400, 413);
  };
  return [
    ...Object.entries(bodies).map(([name, [cmi, further = {}]]) => ({
      ...named(`commits: ${name}`),
      perform: async () => assertStatus(await client.commit('i1', cmi, further), 200, 400, 413),
    })),
    {
      name: 'commits: brackets that are never closed',
      stopsBeforeDatabase: true,
      perform: raw('['.repeat(7.9 * MIB)),
    },
    {
      name: 'commits: a number of millions of digits',
      stopsBeforeDatabase: true,
      perform: raw('1'.repeat(7.9 * MIB)),
    },
    {
      name: 'commits: unknown members',
      stopsBeforeDatabase: true,
      perform: raw(JSON.stringify(members(49_000))),
    },
  ];
}

function fileAttacks(client: PlayerClient): Attack[] {
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${client.base}/content/${path}`, { headers });
    const body = await response.text();
    assertStatus({ status: response.status, body }, 200, 206, 304, 404, 416);
  };
  const ranges = `bytes=${Array.from({ length: 1_200 }, (_, n) => `${n}-${n}`).join(',')}`;
  return [
    {
      name: 'files: more than a thousand ranges',
      queriesLike: CONDITIONS,
      perform: () => manyTimes(100, 10, () => read('lesson/index.html', { range: ranges })),
    },
    {
      name: CONDITIONS,
      perform: () =>
        manyTimes(100, 10, () => read('lesson/index.html', { 'if-none-match': '"a",'.repeat(3_000) })),
    },
    {
      name: 'files: paths out of the course',
      queriesLike: CONDITIONS,
      perform: () =>
        manyTimes(200, 10, (n) => read(`${'..%2f'.repeat(n)}${'%252e%252e/'.repeat(n)}etc/passwd`)),
    },
  ];
}

/** A hundred learners who save at the same time, again and again. */
async function crowd(
  service: WatchedService,
  parties: { account_id: number; course_id: number },
): Promise<Attack> {
  const learners: PlayerClient[] = [];
  await manyTimes(MANY_LEARNERS, 5, async (n) => {
    const { registration_id: id } = await service.api.create('/registrations', {
      ...parties,
      learner_id: `learner-${n}`,
    });
    const learner = await followLink(await launch(service, id));
    await learner.open();
    await learner.openUnit('i1');
    learners.push(learner);
  });
  return {
    name: 'a hundred learners who save 64 KB at the same time, three times each',
    perform: () =>
      manyTimes(learners.length, learners.length, async (n) => {
        for (let save = 0; save < SAVES_OF_EACH; save++)
          assertStatus(await learners[n]!.commit('i1', { suspend_data: 'x'.repeat(65_536) }), 200);
      }),
  };
}

function answered({ status, text }: { status: number; text: string }): void {
  assertStatus({ status, body: text }, 200, 204, 400, 413);
}

function rejected({ status, text }: { status: number; text: string }): void {
  assertStatus({ status, body: text }, 400, 413);
}
