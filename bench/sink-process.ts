import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sharedNow } from './clock.ts';
import { SIDE_PATHS, SIDES, type SinkCommand, type SinkReport, TIMED_PATH } from './sink-protocol.ts';
import { Turns } from './turns.ts';

/**
 * The target of the benchmark in a separate process. It responds to posts with 200, counts them and records their
 * times.
 */

const ANSWER = '{"received":true}';
const ANSWER_HEADERS = { 'Content-Type': 'application/json', 'Content-Length': ANSWER.length };
/** Longer than any pause between posts, so that no new connections are measured. */
const KEEP_ALIVE_MS = 60_000;

const turns = new Turns();
let arrivals: [number, number][] = [];

function report(what: SinkReport): void {
  process.send?.(what);
}

function time(request: IncomingMessage): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const at = sharedNow();
    const message = JSON.parse(Buffer.concat(chunks).toString()) as { resource: { account: { id: number } } };
    arrivals.push([message.resource.account.id, at]);
  });
}

async function obey(command: SinkCommand): Promise<void> {
  if (command.kind === 'compare') {
    const comparison = await turns.compare(command.plan, () => report({ kind: 'warm' }));
    report({ kind: 'comparison', comparison });
  } else if (command.kind === 'let-pass') {
    turns.letPass(command.passing);
  } else {
    report({ kind: 'arrivals', arrivals });
    arrivals = [];
  }
}

process.on('message', (command: SinkCommand) => void obey(command));
process.on('disconnect', () => process.exit());

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  if (request.url === TIMED_PATH) time(request);
  else request.resume();
  const side = SIDES.find((each) => request.url === SIDE_PATHS[each]) ?? 'service';
  request.on('end', () => {
    turns.admit(side, () => response.writeHead(200, ANSWER_HEADERS).end(ANSWER));
  });
});
server.listen(0, '127.0.0.1', () => {
  report({ kind: 'listening', port: (server.address() as AddressInfo).port });
});
