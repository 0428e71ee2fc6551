import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { aroundTests } from './support/around-tests.ts';
import { DEADLINE_MS } from './support/deadline.ts';
import { freePort, isListening } from './support/free-port.ts';
import { connectTo } from './support/raw-http.ts';
import { startTestService, type TestService, temporaryFolder, until } from './support/service.ts';

// Runs on SQLite alone: receivers do not depend on the service's database.

/** The receivers in examples/verify, each run if its toolchain is on this machine. */

const FOLDER = path.join(import.meta.dirname, '../examples/verify');
const RECEIVERS: Record<string, { needs: string; command: (port: number) => [string, ...string[]] }> = {
  'receiver.ts': { needs: 'node', command: () => [process.execPath, 'receiver.ts'] },
  'receiver.py': { needs: 'python3', command: () => ['python3', 'receiver.py'] },
  'receiver.go': { needs: 'go', command: () => ['go', 'run', 'receiver.go'] },
  'Receiver.java': { needs: 'javac', command: () => ['java', 'Receiver.java'] },
  'receiver.php': { needs: 'php', command: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'] },
};

/** The first run of Go compiles its library. */
const COMPILING_DEADLINE_MS = 5 * DEADLINE_MS;
/** Above the limit of the receivers, and small enough for the system's buffers, so that it can be sent completely. */
const MORE_THAN_ANY_MESSAGE_BYTES = 1024 * 1024 + 1;
/** Without these, the virtual machine optimizes for a long run, on every processor. */
const JAVA_OPTIONS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';
/** Optimizing Go's library, and compiling its parts in C, would take half as long again. */
const GO_SETTINGS = { GOFLAGS: "'-gcflags=all=-N -l'", CGO_ENABLED: '0' };

const isInstalled = (program: string) =>
  (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program)));

describe('the example receivers', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  for (const [name, { needs, command }] of Object.entries(RECEIVERS)) {
    const skip = !isInstalled(needs) && `${needs} is not installed`;

    describe(name, { skip }, () => {
      let id: number;
      let url: string;
      let secret: string;
      let receiver: RunningReceiver;

      before(async () => {
        const port = await freePort();
        url = `http://127.0.0.1:${port}/`;
        ({ id } = await service.api.create('/webhooks', { name: 'CRM', topic: 'ACCOUNT', target_url: url }));
        secret = (await service.api.post(`/webhooks/${id}/signing-secret`)).body.signing_secret;
        receiver = await startReceiver(command(port), port, secret);
      });
      after(async () => {
        await receiver?.[Symbol.asyncDispose]();
        await service.api.delete(`/webhooks/${id}`);
      });

      /** What the receiver printed about a message, without its id. */
      const printedAbout = (messageId: string) =>
        receiver
          .output()
          .split('\n')
          .filter((line) => line.split(' ')[1] === messageId)
          .map((line) => line.replace(` ${messageId}`, ''));

      const printed = (messageId: string) =>
        until(() => printedAbout(messageId).length > 0 && printedAbout(messageId), `${messageId} is printed`);

      test('accepts signed postbacks once, and no changed or old ones', async () => {
        const { api } = service;
        await api.create('/accounts', { name: 'Nörthwind 💥' });
        const deliveries = `/webhooks/${id}/deliveries`;
        const delivery = await until(async () => {
          const { data } = (await api.get(`${deliveries}?subtopic=ACCOUNT_CREATED`)).body;
          return data[0]?.status === 'DELIVERED' && data[0];
        }, 'the message is delivered');

        const { signing_secret: other } = (await api.post(`/webhooks/${id}/signing-secret`)).body;
        assert.notEqual(other, secret);
        await api.post(`${deliveries}/${delivery.id}/redeliver`);
        await until(async () => {
          const { body } = await api.get(`${deliveries}/${delivery.id}`);
          return body.attempts === 2 && body.status === 'DELIVERED';
        }, 'the message is delivered again, with the signatures of both secrets');

        const body = '{"subtopic":"ACCOUNT_DELETED"}';
        const now = nowInSeconds();
        const changed = body.replace('_', '-');
        assert.equal(await post(url, secret, { id: 'changed', body: changed, signed: body }), 401);
        assert.equal(await post(url, secret, { id: 'old', body, timestamp: now - 3_600 }), 401);
        assert.equal(await post(url, other, { id: 'other', body }), 401);
        const long = ' '.repeat(MORE_THAN_ANY_MESSAGE_BYTES);
        assert.equal(await post(url, secret, { id: 'long', body: long }), 413);
        assert.equal(await post(url, secret, { id: 'direct', body }), 204);
        assert.deepEqual(await printed('direct'), ['received ACCOUNT_DELETED']);
        assert.deepEqual(printedAbout(delivery.message_id), ['received ACCOUNT_CREATED']);
        for (const refused of ['changed', 'old', 'other', 'long'])
          assert.deepEqual(printedAbout(refused), []);
      });

      test('still receives after a sender has disconnected in the middle of a request', async () => {
        const stranger = await unfinishedRequest(url);
        stranger.destroy();
        await once(stranger, 'close');
        const body = '{"subtopic":"ACCOUNT_CREATED"}';
        assert.equal(await post(url, secret, { id: 'after', body }), 204);
        assert.equal(await post(url, secret, { id: 'after-that', body }), 204);
        assert.deepEqual(await printed('after-that'), ['received ACCOUNT_CREATED']);
      });

      test('receives while another sender does not finish its request', async () => {
        const strangers = await Promise.all(Array.from({ length: 3 }, () => unfinishedRequest(url)));
        const body = '{"subtopic":"ACCOUNT_CREATED"}';
        assert.equal(await post(url, secret, { id: 'meanwhile', body }), 204);
        for (const stranger of strangers) stranger.destroy();
      });

      test('does nothing for a test message, whose data is made up', async () => {
        const { status, body } = await service.api.post(
          `/webhooks/${id}/test?subtopic=ACCOUNT_ACTIVATION_UPDATED`,
        );
        assert.deepEqual([status, body.delivered, body.response_status], [200, true, 204]);
        const line = await until(
          () =>
            receiver
              .output()
              .split('\n')
              .find((each) => /^test |ACTIVATION/.test(each)),
          'it is printed',
        );
        assert.match(line, /^test \S+$/);
      });

      test('does not confirm a message that it failed to handle, nor its repetition', async () => {
        for (const attempt of ['first', 'second']) {
          const status = await post(url, secret, { id: 'unusable', body: 'not a message' });
          assert.equal(status, 500, `${attempt} attempt`);
        }
        const body = '{"subtopic":"ACCOUNT_CREATED"}';
        assert.equal(await post(url, secret, { id: 'unusable', body }), 204, 'the next attempt succeeds');
        assert.deepEqual(await printed('unusable'), ['received ACCOUNT_CREATED']);
      });
    });

    test(`${name} accepts nothing without a usable secret, because anyone could sign with an empty key`, {
      skip,
    }, async () => {
      // The second secret is copied from the README. Some languages refuse it on their own.
      const refusals = [
        { secret: '', message: /Set WEBHOOK_SECRET/ },
        { secret: 'whsec_…', message: /WEBHOOK_SECRET|base64/ },
      ];
      for (const { secret, message } of refusals) {
        const port = await freePort();
        const url = `http://127.0.0.1:${port}/`;
        const starting = async () => {
          await using _receiver = await startReceiver(command(port), port, secret);
          return await post(url, 'whsec_', { id: 'any', body: '{"subtopic":"ACCOUNT_DELETED"}' });
        };
        // The server of PHP starts anyway.
        if (name === 'receiver.php') assert.equal(await starting(), 500);
        else await assert.rejects(starting, message);
      }
    });
  }

  test('receiver.php does not confirm a message whose id it cannot store', {
    skip: !isInstalled('php') && 'php is not installed',
  }, async () => {
    const port = await freePort();
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    const noFolder = path.join(FOLDER, 'receiver.php');
    await using receiver = await startReceiver(
      RECEIVERS['receiver.php']!.command(port),
      port,
      secret,
      noFolder,
    );
    const body = '{"subtopic":"ACCOUNT_CREATED"}';
    assert.equal(
      await post(`http://127.0.0.1:${port}/`, secret, { id: 'one', body }),
      500,
      receiver.output(),
    );
  });
});

const nowInSeconds = () => Math.floor(Date.now() / 1_000);

/** Posts a message as the service would, and returns the status of the response. */
async function post(
  url: string,
  secret: string,
  { id, body, signed = body, timestamp = nowInSeconds() }: Message,
): Promise<number> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${signed}`).digest('base64');
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    },
    body,
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  await response.arrayBuffer();
  return response.status;
}

interface Message {
  id: string;
  body: string;
  /** The signed text, if it is not the body. */
  signed?: string;
  timestamp?: number;
}

/** The connection of a sender that has sent a part of a request. */
async function unfinishedRequest(url: string): Promise<Socket> {
  const socket = connectTo(url);
  await once(socket, 'connect');
  await new Promise<void>((resolve) => {
    socket.write('POST / HTTP/1.1\r\nHost: receiver\r\nContent-Length: 100\r\n\r\nabc', () => resolve());
  });
  return socket;
}

interface RunningReceiver extends AsyncDisposable {
  output(): string;
}

/** Starts a receiver and waits until it accepts connections. */
async function startReceiver(
  [program, ...args]: [string, ...string[]],
  port: number,
  secret: string,
  handled?: string,
): Promise<RunningReceiver> {
  const folder = temporaryFolder();
  const child = spawn(program, args, {
    cwd: FOLDER,
    detached: true,
    env: {
      ...process.env,
      ...GO_SETTINGS,
      JAVA_TOOL_OPTIONS: JAVA_OPTIONS,
      PORT: String(port),
      WEBHOOK_SECRET: secret,
      HANDLED: handled ?? folder.path,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const kill = () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  // A test that is killed must leave no receiver behind.
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    // Programs such as `go run` have children of their own.
    if (child.exitCode === null && child.pid !== undefined) {
      const exited = once(child, 'exit');
      kill();
      await exited;
    }
    folder[Symbol.dispose]();
  };
  try {
    await until(
      () => {
        assert.equal(child.exitCode, null, errors);
        return isListening(port);
      },
      `${program} listens`,
      COMPILING_DEADLINE_MS,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { output: () => output, [Symbol.asyncDispose]: stop };
}
