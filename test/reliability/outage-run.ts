import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '../../src/time/units.ts';
import { Callers } from '../support/callers.ts';
import { changedConstants } from '../support/changed-constants.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { Api, createClient, requestToken, until } from '../support/service.ts';
import { type ServingProcess, startProcess } from '../support/service-process.ts';
import { startTarget, type Target } from '../support/target.ts';
import type { FaultSpan } from './instance-faults.ts';
import { DELIVERY_TIMEOUT_SECONDS, LEASE_MS, LEASE_PRELOAD } from './lease.ts';
import { ifUnread } from './unread-response.ts';

/** A dependency of the service fails, and recovers. */
export interface Outage {
  name: string;
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
  /** The log line that occurs once when the outage begins; null if the service is not affected. */
  says: RegExp | null;
  /** The log line at the end of the outage. An error may be logged again only after this, or after a minute. */
  saysOver?: RegExp;
  /** Whether readiness fails, too. */
  isUnready: boolean;
}

/** The measurements of an outage. */
export interface OutageResult {
  outage: string;
  confirmed: number;
  refused: number;
  /** The time from the end of the fault to readiness and a confirmed change. */
  'recovered after, s': number;
  says: string;
}

const CALLERS = 4;
/** The pause of a client between two calls, unless a run says otherwise. */
const CALL_EVERY_MS = 40;
const WEBHOOKS = 3;
/** How long a fault lasts after the service noticed it, unless a run says otherwise. */
const HOLD_MS = 1_500;
const ARRIVALS_BETWEEN = 10;
/** The latest lines of the log that a failure shows: those of about two outages. */
const LINES_SHOWN = 16;
/** The log line when polls of the queue succeed again, which may be before the end of the outage. */
const QUEUE_OVER = /^the queue responds again/;
/** Deliveries this shortly before a fault may not have been recorded. */
const RECENT_MS = 5_000;

/** The service ends an outage in the log sooner, so that the next one begins another. */
const SHORT_QUIET = changedConstants({
  'src/observability/database-watch.ts': { TRY_EVERY_MS: 500, QUIET_MS: 1_000, QUIET_FACTOR: 1 },
});

type Settings = Parameters<typeof startProcess>[0];

/** A service with clients that constantly create accounts, and webhooks that are sent each of them. */
export class ServiceUnderOutages implements AsyncDisposable {
  readonly target: Target;
  readonly #stack: AsyncDisposableStack;
  readonly #program: ServingProcess;
  readonly #api: Api;
  readonly #webhooks: number[] = [];
  readonly #callers: Callers;
  /** Names of accounts whose creation was confirmed, by caller. */
  readonly #confirmed: string[][] = Array.from({ length: CALLERS }, () => []);
  readonly #spans: FaultSpan[] = [];
  readonly #arrivedAt: number[] = [];
  /** Which of them got no answer in time. */
  readonly #unread = new Set<number>();
  readonly #holdMs: number;
  #refused = 0;

  private constructor(
    stack: AsyncDisposableStack,
    {
      target,
      program,
      api,
      callEveryMs,
      holdMs,
    }: { target: Target; program: ServingProcess; api: Api; callEveryMs: number; holdMs: number },
  ) {
    this.#stack = stack;
    this.#holdMs = holdMs;
    this.target = target;
    this.#program = program;
    this.#api = api;
    this.#callers = new Callers(CALLERS, async (caller) => {
      await this.#call(caller);
      await delay(callEveryMs);
    });
    target.respondWith((exchange) => {
      const number = this.#arrivedAt.push(performance.now()) - 1;
      ifUnread(exchange, () => this.#unread.add(number));
      exchange.response.writeHead(204).end();
    });
  }

  /**
   * @param options.targetHost a name for 127.0.0.1, if the service is to look it up.
   * @param options.callEveryMs the pause of a client between two calls.
   * @param options.holdMs how long a fault lasts after the service noticed it.
   */
  static async start(
    settings: Settings,
    {
      preload,
      targetHost = '127.0.0.1',
      callEveryMs = CALL_EVERY_MS,
      holdMs = HOLD_MS,
    }: { preload?: string; targetHost?: string; callEveryMs?: number; holdMs?: number } = {},
  ): Promise<ServiceUnderOutages> {
    await using stack = new AsyncDisposableStack();
    const target = stack.use(await startTarget());
    const program = stack.use(
      await startProcess(
        {
          delivery_timeout: DELIVERY_TIMEOUT_SECONDS,
          queue_polling_interval: 1,
          retry_max_delay: 0.5,
          ...settings,
        },
        { preload: [...LEASE_PRELOAD, SHORT_QUIET, ...[preload ?? []].flat()] },
      ),
    );
    const { clientId, clientSecret } = await createClient(settings.data_dir);
    const api = new Api(program.url, await requestToken(program.url, clientId, clientSecret));
    const ids: number[] = [];
    for (let n = 0; n < WEBHOOKS; n++) {
      const { id } = await api.create('/webhooks', {
        name: `webhook ${n}`,
        topic: 'ACCOUNT',
        target_url: `http://${targetHost}:${target.port}/${n}`,
        max_attempts: 1_000,
        logging_mode: 'NONE',
      });
      ids.push(id);
    }
    const service = new ServiceUnderOutages(stack.move(), { target, program, api, callEveryMs, holdMs });
    service.#webhooks.push(...ids);
    return service;
  }

  /**
   * Begins an outage, waits until the service says so, ends it, and waits until the service works again by itself.
   * @throws {AssertionError} if the log or readiness does not say what is wrong, or the log says it more than once
   */
  async suffer(outage: Outage): Promise<OutageResult> {
    try {
      return await this.#suffer(outage);
    } catch (error) {
      // The log is written a moment after the responses.
      await delay(SECOND_MS);
      throw new Error(`failed at the outage "${outage.name}"; the log: ${this.#latestLines()}`, {
        cause: error,
      });
    }
  }

  async #suffer({ name, begin, end, says, saysOver, isUnready }: Outage): Promise<OutageResult> {
    const during = <T>(step: Promise<T>) => this.#callers.during(step);
    const linesBefore = this.#program.logLines.length;
    const said = (text: RegExp) =>
      this.#program.logLines.slice(linesBefore).filter(({ msg }) => text.test(msg)).length;
    const confirmedBefore = this.#count();
    const refusedBefore = this.#refused;
    const span: FaultSpan = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.#spans.push(span);
    await during(begin());
    if (says !== null) await during(until(() => said(says) > 0, `${name}: the log says ${says}`));
    if (isUnready)
      await during(until(async () => (await this.#readiness()) === 503, `${name}: it is not ready`));
    await during(delay(this.#holdMs));
    await during(end());
    const endedAt = performance.now();
    span.to = endedAt;
    const confirmed = this.#count();
    await during(
      until(
        async () => (await this.#readiness()) === 200 && this.#count() >= confirmed + CALLERS,
        `${name}: it is ready and confirms changes`,
        2 * DEADLINE_MS,
      ),
    );
    const recoveredMs = performance.now() - endedAt;
    const arrivals = this.target.requests.length;
    await during(this.target.waitFor(arrivals + ARRIVALS_BETWEEN, { deadlineMs: LEASE_MS + DEADLINE_MS }));
    // What an earlier outage left may be refused late, and end, before this one begins. So each begun outage must end.
    if (says !== null && saysOver !== undefined)
      await during(until(() => said(saysOver) >= said(says), `${name}: the log says ${saysOver}`));
    const minutes = Math.floor((performance.now() - span.from) / MINUTE_MS);
    const ends = [QUEUE_OVER, ...(saysOver === undefined ? [] : [saysOver])].map(said);
    const begun = Math.max(1, ...ends);
    const errors = this.#program.logLines.slice(linesBefore).filter(({ level }) => level === 'error');
    for (const [text, lines = []] of Object.entries(Object.groupBy(errors, ({ msg }) => String(msg))))
      assert.ok(lines.length <= begun + minutes, `${name}: said ${lines.length} times: ${text}`);
    return {
      outage: name,
      confirmed: this.#count() - confirmedBefore,
      refused: this.#refused - refusedBefore,
      'recovered after, s': Number((recoveredMs / SECOND_MS).toFixed(1)),
      says: says?.source.replace('^', '') ?? '–',
    };
  }

  /**
   * Ends the changes and waits until all is delivered.
   * @throws {AssertionError} if a confirmed change did not arrive, or out of order, or arrived again without a reason
   */
  async finish(): Promise<void> {
    await this.#callers.stop();
    for (const id of this.#webhooks)
      await until(
        async () => (await this.#api.get(`/webhooks/${id}/line`)).body.state === 'EMPTY',
        `the line of webhook ${id} empties`,
        LEASE_MS + 2 * DEADLINE_MS,
      );
    assert.ok(this.#count() > 0);
    for (let n = 0; n < WEBHOOKS; n++) this.#assertArrived(n);
    assert.deepEqual(await this.#program.end('SIGTERM'), { code: 0, signal: null });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#callers[Symbol.asyncDispose]();
    await this.#stack.disposeAsync();
  }

  #count(): number {
    return this.#confirmed.reduce((sum, names) => sum + names.length, 0);
  }

  /** The latest errors of the log and ends of outages, with details that the response does not have. */
  #latestLines(): string {
    const lines = this.#program.logLines.filter(
      ({ level, msg }) => level === 'error' || /again/.test(String(msg)),
    );
    return JSON.stringify(lines.slice(-LINES_SHOWN));
  }

  async #readiness(): Promise<number> {
    return (await fetch(`${this.#program.url}/health/ready`)).status;
  }

  async #call(caller: number): Promise<void> {
    const name = `${caller}:${randomUUID()}`;
    const { status, headers, body } = await this.#api.post('/accounts', { name });
    if (status === 201) this.#confirmed[caller]!.push(name);
    else {
      assert.equal(status, 503, JSON.stringify(body));
      assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
      assert.match(headers.get('retry-after') ?? '', /^\d+$/);
      assert.doesNotMatch(JSON.stringify(body), /postgres|sqlite|ECONN|127\.0\.0\.1|\/tmp/i);
      this.#refused += 1;
    }
  }

  #assertArrived(webhook: number): void {
    const seen = new Map<string, number>();
    const names: string[] = [];
    for (const [n, { path, text, headers }] of this.target.requests.entries()) {
      if (path !== `/${webhook}`) continue;
      const id = String(headers['webhook-id']);
      const earlier = seen.get(id);
      seen.set(id, n);
      if (earlier === undefined) names.push(JSON.parse(text).resource.account.name);
      else {
        const at = this.#arrivedAt[earlier]!;
        const isExplained =
          this.#unread.has(earlier) ||
          this.#spans.some(({ from, to }) => at >= from - RECENT_MS && at <= to + LEASE_MS);
        assert.ok(isExplained, `webhook ${webhook}: ${id} was repeated without a reason`);
      }
    }
    const arrived = new Map(names.map((name, place) => [name, place]));
    for (const confirmed of this.#confirmed) {
      const lost = confirmed.filter((name) => !arrived.has(name));
      assert.deepEqual(lost, [], `webhook ${webhook}: lost`);
      const places = confirmed.map((name) => arrived.get(name)!);
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
        `webhook ${webhook}: out of order`,
      );
    }
  }
}
