import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { startUnit } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { startTestService } from '../support/service.ts';

/** Requests of a registration that are handled at once or wait. */
const MAX_REQUESTS = 104;

type Service = Awaited<ReturnType<typeof startTestService>>;

/** Sends a save without its body. Resolves with the socket and the first line of the response, if one arrives. */
function beginSave(base: string): { socket: Socket; answer: Promise<string | null> } {
  const { hostname, port, pathname } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${pathname}/commit HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n`,
  );
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.on('error', () => {});
  const answer = once(socket, 'close').then(() => Buffer.concat(parts).toString() || null);
  return { socket, answer };
}

describe('the requests of a registration', () => {
  let service: Service;
  before(async () => {
    service = await startTestService();
  });
  after(() => service[Symbol.asyncDispose]());

  test('take turns, so that nothing is lost if many are sent at once', async () => {
    const { client } = await startUnit(service, scorm12Course(), 'i1');
    const commits = Array.from({ length: 60 }, (_, n) => client.commitOf('i1', { suspend_data: `${n}` }));
    const answers = await Promise.all(commits.map((commit) => client.post('commit', commit)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const { data } = await client.openUnit('i1');
    assert.match(JSON.stringify(data), /"suspend_data":"59"/);
  });

  test('are refused beyond a maximum, and files and other registrations are served meanwhile', async () => {
    const { client } = await startUnit(service, scorm12Course(), 'i1');
    const { client: other } = await startUnit(service, scorm12Course(), 'i1');
    const begun = Array.from({ length: MAX_REQUESTS + 20 }, () => beginSave(client.base));
    const refused: string[] = [];
    await new Promise<void>((resolve) => {
      for (const { answer } of begun) {
        void answer.then((text) => {
          if (text !== null) refused.push(text);
          if (refused.length === 20) resolve();
        });
      }
    });
    for (const text of refused) assert.match(text, /^HTTP\/1\.1 429 .*\r\nretry-after: 1\r\n/is);
    assert.equal((await fetch(`${client.base}/content/lesson/index.html`)).status, 200);
    assert.equal((await other.commit('i1', { suspend_data: 'x' })).status, 200);
    assert.equal((await client.post('units')).status, 429);

    for (const { socket } of begun) socket.destroy();
    let status = 429;
    // The service learns of closed connections one by one.
    while (status === 429) ({ status } = await client.commit('i1', { suspend_data: 'y' }));
    assert.equal(status, 200);
  });
});
