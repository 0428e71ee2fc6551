import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connectTo } from '../support/raw-http.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer, endlessBytes, hang } from '../support/target-behaviours.ts';
import type { WatchedService } from '../support/watched-service.ts';
import { webhookInput } from '../webhooks/webhook-expectations.ts';
import { type Attack, assertStatus } from './attack.ts';
import type { ManyRows } from './many-rows.ts';

const HANGING_WEBHOOKS = 5_000;
const SILENT_NAMES = 10;
const TRICKLING_UPLOADS = 64;
const IDLE_CONNECTIONS = 1_000;
const PIPELINED_REQUESTS = 1_000;

/** Attacks by slow clients, and by targets that send invalid responses or none. */
export async function networkAttacks(
  { api, url }: WatchedService,
  rows: ManyRows,
  stack: AsyncDisposableStack,
): Promise<Attack[]> {
  const badTarget = async (name: string, target: Target, count: number): Promise<Attack> => {
    const { id: accountId } = await api.create('/accounts', { name });
    await rows.webhooks({
      count,
      topic: 'ACCOUNT',
      subtopic: 'ACCOUNT_ACTIVATION_UPDATED',
      targetUrl: target.url,
    });
    let enabled = true;
    return {
      name,
      async perform() {
        enabled = !enabled;
        // Ends the attempts of an earlier attack.
        target.dropConnections();
        const before = target.acceptedConnections;
        assertStatus(await api.put(`/accounts/${accountId}`, { name, enabled }), 200);
        await target.waitUntil(() => target.acceptedConnections > before);
      },
    };
  };
  const trickling = (count: number, head: string, byte: string) => async () => {
    const sockets = await Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connectTo(url);
        await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
        socket.write(head);
        return socket;
      }),
    );
    // Sends as much as possible until the service has responded to another client twenty times.
    for (let n = 0; n < 20; n++) {
      for (const socket of sockets) if (!socket.destroyed) socket.write(byte);
      assertStatus(await api.get('/health/live'), 200);
    }
    await Promise.all(sockets.map(closed));
  };
  /** Sends a thousand requests in one packet and reads nothing until the service has answered another client. */
  const pipelined = (path: string) => async () => {
    const socket = connectTo(url).pause();
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: service\r\n\r\n`.repeat(PIPELINED_REQUESTS));
    for (let n = 0; n < 20; n++) assertStatus(await api.get('/health/live'), 200);
    await closed(socket);
  };
  const upload = [
    'POST /courses HTTP/1.1',
    'Host: service',
    `Authorization: Bearer ${api.token}`,
    'Content-Type: multipart/form-data; boundary=b',
    'Content-Length: 1000000000',
    '',
    '--b',
    'Content-Disposition: form-data; name="file"; filename="a.zip"',
    '',
    '',
  ].join('\r\n');
  const hanging = stack.use(await startTarget({ respondWith: hang() }));
  const statusLines = stack.use(
    await startTarget({ respondWith: endlessBytes('HTTP/1.1 200 ', 'OK and so on ') }),
  );
  const interim = stack.use(
    await startTarget({ respondWith: endlessBytes('', 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n') }),
  );
  const extensions = stack.use(
    await startTarget({
      respondWith: endlessBytes(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
        '1;extension=of-a-chunk\r\nx\r\n',
      ),
    }),
  );
  const silent = Array.from({ length: SILENT_NAMES }, (_, n) =>
    webhookInput({
      target_url: `http://h${n}.silent.invalid/`,
      subtopics: ['ACCOUNT_DELETED'],
      max_attempts: 1,
    }),
  );
  for (const input of silent) await api.create('/webhooks', input);
  const quick = stack.use(await startTarget({ respondWith: answer(200) }));
  await api.create('/webhooks', webhookInput({ target_url: quick.url, subtopics: ['ACCOUNT_DELETED'] }));
  const shortLived: number[] = [];
  for (let n = 0; n < 4; n++)
    shortLived.push((await api.create('/accounts', { name: `short-lived ${n}` })).id);
  return [
    {
      name: 'ten webhooks whose host names get no DNS response',
      async perform() {
        const before = quick.requests.length;
        assertStatus(await api.delete(`/accounts/${shortLived.pop()}`), 204);
        await quick.waitFor((requests) => requests.length > before);
      },
    },
    { name: 'uploads that trickle', perform: trickling(TRICKLING_UPLOADS, upload, 'x') },
    {
      name: 'header fields that trickle',
      perform: trickling(IDLE_CONNECTIONS, 'GET / HTTP/1.1\r\nHost: service\r\nX: ', 'y'),
    },
    { name: 'a packet full of requests for the API description', perform: pipelined('/openapi.json') },
    { name: 'a packet full of requests for metrics', perform: pipelined('/metrics') },
    { name: 'bytes that are not HTTP', perform: trickling(TRICKLING_UPLOADS, '\u0000\u0001', '\u0002') },
    await badTarget('five thousand webhooks of a target that hangs', hanging, HANGING_WEBHOOKS),
    await badTarget('endless status lines', statusLines, 20),
    await badTarget('endless informational responses', interim, 20),
    await badTarget('endless chunk extensions', extensions, 20),
  ];
}

async function closed(socket: Socket): Promise<void> {
  if (socket.closed) return;
  const end = once(socket, 'close');
  socket.destroy();
  await end;
}
