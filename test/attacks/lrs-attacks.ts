import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { MIB } from '../../src/bytes.ts';
import { makeParties, register } from '../content/registration-helpers.ts';
import { Unit } from '../player/cmi5-helpers.ts';
import { launchUnit } from '../player/learner-helpers.ts';
import { activity, type LrsClient, lrsClient, statement } from '../player/lrs-helpers.ts';
import { cmi5Files } from '../support/course-packages.ts';
import { registerTo } from '../support/registered-course.ts';
import type { WatchedService } from '../support/watched-service.ts';
import { type Attack, assertStatus } from './attack.ts';
import type { ManyRows } from './many-rows.ts';

const MENTIONS = 2_000;
/** Definitions of 190 kB each. Together they stay below the limit of data that a request is compared with. */
const LARGE_DEFINITIONS = 60;
const EXTENSIONS_OF_LARGE = 17_000;
/** The maximum that the limit of members in a request permits. */
const LARGE_PER_REQUEST = 5;
const MANY_STATEMENTS = 20_000;
/** The maximum number of units of a course, and of activities that a request mentions. */
const UNITS = 2_000;
const ACTIVITIES = 85_000;
/** Statements of almost the maximum size. */
const STATEMENTS = 32;
/** The maximum number of agents in a request. */
const AGENTS = 47_000;
const STATEMENTS_AT_ONCE = 500;
/** Together, about as many activities as a request may name. */
const ACTIVITIES_EACH = 15;
const LARGEST_AT_ONCE = 12;
/** A change may wait for this part of the time that all of them take. It waits for one or two. Other programs slow both down. */
const PATIENCE = 4;
/** The statements of a page, and the activities of each: the maximum that a request may name. */
const MENTIONING = 38;
const MENTIONED = 9_900;
const COURSE_ID = 'http://example.com/course';
const SIGNATURE = 'http://adlnet.gov/expapi/attachments/signature';

/** Attacks on signatures, definitions and the comparison of statements, on the agents of requests, and by many statements. */
export async function lrsAttacks(service: WatchedService, rows: ManyRows): Promise<Attack[]> {
  const lrs = await lrsClient(service);
  return [
    repeatedSignature(lrs),
    await manyLanguages(lrs),
    manyExtensions(lrs),
    manyMembers(lrs),
    await manyStatements(service, rows),
    ...(await largeDefinitions(lrs)),
    ...(await manyUnits(service)),
    repeatedAgents(lrs),
    manyActivities(lrs),
    sharedAttachment(lrs),
    await manyMentions(lrs),
    await largestAtOnce(service, lrs),
  ];
}

/**
 * A course of thousands of units. One of them sends statements about thousands of activities whose ids begin like the
 * units' ids.
 */
async function manyUnits(service: WatchedService): Promise<Attack[]> {
  const text = (element: string) => `<${element}><langstring lang="en">x</langstring></${element}>`;
  const units = Array.from(
    { length: UNITS },
    (_, n) =>
      `<au id="${COURSE_ID}/unit-${n}">${text('title')}${text('description')}<url>au/index.html</url></au>`,
  );
  const structure = `<courseStructure xmlns="https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd"><course id="${COURSE_ID}">${text('title')}${text('description')}</course>${units.join('')}</courseStructure>`;
  const { registrationId } = await registerTo(service, { ...cmi5Files(), 'cmi5.xml': structure });
  const unit = await Unit.start(await launchUnit(service, registrationId, `${COURSE_ID}/unit-0`));
  const others = Array.from({ length: ACTIVITIES }, (_, n) => ({
    id: `${COURSE_ID}z/unit-${String(n).padStart(35, '0')}`,
  }));
  const about = (other: object[]) => ({
    ...statement({ context: { contextActivities: { other } } }),
    ...{ id: randomUUID(), actor: unit.actor },
  });
  const each = Math.floor(ACTIVITIES / STATEMENTS);
  const statements = Array.from({ length: STATEMENTS }, (_, n) =>
    about([...others.slice(n * each, (n + 1) * each), { id: `${COURSE_ID}/unit-0` }]),
  );
  return [
    {
      name: 'statements: one about thousands of activities, in a course of thousands of units',
      perform: async () => answered(await unit.lrs.call('POST', 'statements', { body: about(others) }), 413),
    },
    {
      name: 'statements: many about thousands of activities, in a course of thousands of units',
      perform: async () =>
        answered(await unit.lrs.call('POST', 'statements', { body: statements }), 403, 413),
    },
  ];
}

/** Statements by groups that repeat a member, whose name is stored each time. */
function repeatedAgents(lrs: LrsClient): Attack {
  const member = Array(Math.floor(AGENTS / STATEMENTS)).fill({ mbox: 'mailto:a@b.example', name: 'a' });
  return {
    name: 'statements: groups that repeat a member',
    perform: async () => {
      const body = Array.from({ length: STATEMENTS }, () => ({
        ...statement(),
        actor: { objectType: 'Group', member },
      }));
      answered(await lrs.call('POST', 'statements', { body }), 200);
    },
  };
}

/** Statements about more activities together than a request may name. */
function manyActivities(lrs: LrsClient): Attack {
  const each = Math.floor(ACTIVITIES / STATEMENTS);
  const body = Array.from({ length: STATEMENTS }, (_, of) => {
    const other = Array.from({ length: each }, (_unused, n) => ({ id: `a:${of}-${n}` }));
    return statement({ context: { contextActivities: { other } } });
  });
  return {
    name: 'statements: many about too many activities together',
    perform: async () => answered(await lrs.call('POST', 'statements', { body }), 413),
  };
}

/** Requests that are short, but need many large definitions. */
async function largeDefinitions(lrs: LrsClient): Promise<Attack[]> {
  const extensions = Object.fromEntries(Array.from({ length: EXTENSIONS_OF_LARGE }, (_, n) => [`a:${n}`, 1]));
  const short = Array.from({ length: LARGE_DEFINITIONS }, (_, n) => ({
    ...statement({ object: activity(`large-${n}`) }),
    id: randomUUID(),
    timestamp: '2026-01-31T09:30:00Z',
  }));
  const withDefinition = (n: number) => ({
    ...short[n],
    object: { ...activity(`large-${n}`), definition: { extensions } },
  });
  const numbers = [...short.keys()];
  for (let from = 0; from < numbers.length; from += LARGE_PER_REQUEST) {
    await lrs.store(...numbers.slice(from, from + LARGE_PER_REQUEST).map(withDefinition));
  }
  return [
    {
      name: 'statements: large ones sent again without their definitions',
      perform: async () => answered(await lrs.call('POST', 'statements', { body: short }), 200),
    },
    {
      name: 'statements: an extension more for each of many large definitions',
      perform: async () => {
        const added = { definition: { extensions: { [`b:${randomUUID()}`]: 1 } } };
        const other = numbers.map((n) => ({ ...activity(`large-${n}`), ...added }));
        const body = statement({ context: { contextActivities: { other } } });
        answered(await lrs.call('POST', 'statements', { body }), 200);
      },
    },
  ];
}

/** Statements that all have the same attachment, which each of them stores. */
function sharedAttachment(lrs: LrsClient): Attack {
  const content = 'x'.repeat(MIB);
  const attachment = {
    ...{ usageType: 'a:b', display: {}, contentType: 'text/plain' },
    ...{ length: content.length, sha2: createHash('sha256').update(content).digest('hex') },
  };
  const json = JSON.stringify(
    Array.from({ length: STATEMENTS_AT_ONCE }, () => statement({ attachments: [attachment] })),
  );
  const body =
    `--b\r\nContent-Type: application/json\r\n\r\n${json}\r\n--b\r\nContent-Transfer-Encoding: binary\r\n` +
    `X-Experience-API-Hash: ${attachment.sha2}\r\n\r\n${content}\r\n--b--\r\n`;
  return {
    name: 'statements: hundreds with the same large attachment',
    stopsBeforeDatabase: true,
    perform: async () => {
      const headers = { 'content-type': 'multipart/mixed; boundary=b' };
      answered(await lrs.call('POST', 'statements', { body, headers }), 413);
    },
  };
}

/** A page of statements that mention hundreds of thousands of activities, whose definitions are searched. */
async function manyMentions(lrs: LrsClient): Promise<Attack> {
  for (let of = 0; of < MENTIONING; of++) {
    const other = Array.from({ length: MENTIONED }, (_, n) => ({ id: `m:${of}-${n}` }));
    await lrs.store(statement({ verb: { id: 'm:m' }, context: { contextActivities: { other } } }));
  }
  return {
    name: 'statements: a page that mentions hundreds of thousands of activities',
    perform: async () =>
      answered(await lrs.call('GET', 'statements', { query: { verb: 'm:m', format: 'canonical' } }), 200),
  };
}

/** Requests of as many statements and activities as one may have, and changes by another client in the meantime. */
async function largestAtOnce({ api }: WatchedService, lrs: LrsClient): Promise<Attack> {
  const { id: accountId } = await api.create('/accounts', { name: 'Patience' });
  const change = async (n: number) =>
    assertStatus(await api.put(`/accounts/${accountId}`, { name: `Patience ${n}` }), 200);
  const store = async () => {
    const body = Array.from({ length: STATEMENTS_AT_ONCE }, () => {
      const other = Array.from({ length: ACTIVITIES_EACH }, () => ({ id: `a:${randomUUID()}` }));
      return statement({ context: { contextActivities: { other } } });
    });
    answered(await lrs.call('POST', 'statements', { body }), 200);
  };
  return {
    name: 'statements: many of the largest requests at once',
    async perform() {
      let isOver = false;
      const all = millisecondsOf(() => Promise.all(Array.from({ length: LARGEST_AT_ONCE }, store))).finally(
        () => {
          isOver = true;
        },
      );
      let longest = 0;
      for (let n = 0; !isOver; n++) longest = Math.max(longest, await millisecondsOf(() => change(n)));
      const total = await all;
      assert.ok(longest <= total / PATIENCE, `a change took ${longest} ms, and all the requests ${total} ms`);
    },
  };
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return Math.round(performance.now() - begin);
}

/** A definition in thousands of languages, and a statement that mentions its activity again and again. */
async function manyLanguages(lrs: LrsClient): Promise<Attack> {
  const letters = [...'abcdefghijklmnop'];
  const tags = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => `${a}${b}${c}`)));
  const object = {
    ...activity('languages'),
    definition: { name: Object.fromEntries(tags.map((tag) => [tag, ''])) },
  };
  const mentions = Array(MENTIONS).fill(activity('languages'));
  const [, id] = await lrs.store(
    statement({ object }),
    statement({ context: { contextActivities: { other: mentions } } }),
  );
  const languages = Array.from({ length: 50 }, (_, n) => `zz-${n}`).join(',');
  return {
    name: 'statements: a definition in thousands of languages, mentioned again and again',
    perform: async () =>
      answered(
        await lrs.call('GET', 'statements', {
          query: { statementId: id!, format: 'canonical' },
          headers: { 'accept-language': languages },
        }),
        200,
      ),
  };
}

/** A statement that mentions an activity again and again, each time with another extension. */
function manyExtensions(lrs: LrsClient): Attack {
  const mentions = Array.from({ length: MENTIONS }, (_, n) => ({
    ...activity('extensions'),
    definition: { extensions: { [`a:${n}`]: 1 } },
  }));
  const body = statement({ context: { contextActivities: { other: mentions } } });
  return {
    name: 'statements: an extension more with every mention of an activity',
    perform: async () => answered(await lrs.call('POST', 'statements', { body }), 200),
  };
}

/** A form whose agent has millions of members. */
function manyMembers(lrs: LrsClient): Attack {
  const body = `X-Experience-API-Version=1.0.3&agent={"objectType":"Group","member":[${'{},'.repeat(5_000_000)}{}]}`;
  return {
    name: 'statements: an agent with millions of members in a form',
    stopsBeforeDatabase: true,
    perform: async () =>
      answered(
        await lrs.call('POST', 'statements', {
          query: { method: 'GET' },
          body,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
        400,
      ),
  };
}

/** The deletion of a registration whose course stored thousands of statements. */
async function manyStatements(service: WatchedService, rows: ManyRows): Promise<Attack> {
  const parties = await makeParties(service);
  const registrations: string[] = [];
  for (let n = 0; n < 3; n++) {
    const { registration_id: id } = await register(service, parties, `writer ${n}`);
    await rows.statements(id, MANY_STATEMENTS);
    registrations.push(id);
  }
  return {
    name: 'a deletion of thousands of statements',
    perform: async () => assertStatus(await service.api.delete(`/registrations/${registrations.pop()}`), 204),
  };
}

function answered({ status, text }: { status: number; text: string }, ...statuses: number[]): void {
  assertStatus({ status, body: text }, ...statuses);
}

/** A statement with a hundred attachments that all name one large signature. */
function repeatedSignature(lrs: LrsClient): Attack {
  const part = (text: string) => Buffer.from(text).toString('base64url');
  const payload = `${JSON.stringify(statement())}${' '.repeat(0.7 * MIB)}`;
  const content = `${part('{"alg":"RS256"}')}.${part(payload)}.${part('signature')}`;
  const attachment = {
    usageType: SIGNATURE,
    display: {},
    contentType: 'application/octet-stream',
    length: content.length,
    sha2: createHash('sha256').update(content).digest('hex'),
  };
  const json = JSON.stringify(statement({ attachments: Array(100).fill(attachment) }));
  const body =
    `--b\r\nContent-Type: application/json\r\n\r\n${json}\r\n--b\r\nContent-Transfer-Encoding: binary\r\n` +
    `X-Experience-API-Hash: ${attachment.sha2}\r\n\r\n${content}\r\n--b--\r\n`;
  return {
    name: 'statements: one signature for a hundred attachments',
    stopsBeforeDatabase: true,
    perform: async () =>
      answered(
        await lrs.call('POST', 'statements', {
          body,
          headers: { 'content-type': 'multipart/mixed; boundary=b' },
        }),
        400,
      ),
  };
}
