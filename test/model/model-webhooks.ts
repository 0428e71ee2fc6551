import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import type { ContentModel, ModelEvent } from './content-model.ts';
import { type HistoryEntry, LineChecker } from './line-checker.ts';
import { type ExpectedMessage, type LineLog, type Span, tick } from './log.ts';
import { CLOCK_TOLERANCE_MS, type RunContext } from './run-context.ts';
import { assertStatistics } from './statistics-checker.ts';
import type { ModelTarget } from './targets.ts';
import { WebhookChoices } from './webhook-choices.ts';
import {
  effectiveSubtopics,
  matches,
  messageOf,
  payloadOf,
  type WebhookConfiguration,
} from './webhook-model.ts';

interface ModelWebhook {
  id: number;
  number: number;
  target: ModelTarget;
  log: LineLog;
  checker: LineChecker;
  isDeleted: boolean;
}

/** Events that one operation caused, in their order. */
export interface CausedEvents {
  cause: string;
  events: readonly ModelEvent[];
  asked: Span;
  /** Epoch milliseconds around it. */
  wall: Span;
}

const MOST_WEBHOOKS = 34;
/** Below this none is deleted. */
const LEAST_WEBHOOKS = 20;

/** The webhooks of a run: what happens to them, and what their targets have to get. */
export class ModelWebhooks {
  readonly #context: RunContext;
  readonly #choices: WebhookChoices;
  readonly #all: ModelWebhook[] = [];

  constructor(context: RunContext, content: ContentModel) {
    this.#context = context;
    this.#choices = new WebhookChoices(content, context.choices);
  }

  get count(): number {
    return this.#all.length;
  }

  /** What arrived so far: messages, each once, and attempts. */
  get arrived(): { messages: number; attempts: number } {
    const arrivals = this.#all.flatMap(({ log }) => log.arrivals);
    return { messages: new Set(arrivals.map(({ messageId }) => messageId)).size, attempts: arrivals.length };
  }

  /** Notes the messages that have to come of operations that ran at once. */
  expect(caused: readonly CausedEvents[]): void {
    // The same for each webhook, to tell that an event has one timestamp.
    const identities = new Map<ModelEvent, object>();
    for (const { events } of caused) for (const event of events) identities.set(event, {});
    for (const { id, log } of this.#alive()) {
      const { configuration } = presentOf(log);
      const group = caused.map(({ events, ...when }) =>
        events
          .filter((event) => matches(configuration, event))
          .map(
            (event): ExpectedMessage => ({
              ...when,
              event: identities.get(event)!,
              text: messageOf(id, configuration, event),
              again: null,
            }),
          ),
      );
      if (group.some((messages) => messages.length > 0)) log.expected.push(group);
    }
  }

  async create(): Promise<void> {
    const { number, target } = this.#context.targets.add();
    const configuration = this.#choices.configuration(this.#urlOf(number, 0), true);
    const start = tick();
    const payload = payloadOf(configuration, { brief: this.#context.choices.chance(0.5) });
    const { body } = await this.#context.call('POST', '/webhooks', [201], payload);
    const log: LineLog = {
      webhookId: body.id,
      configurations: [
        { start, since: tick(), end: Number.POSITIVE_INFINITY, configuration, deleted: false },
      ],
      expected: [],
      arrivals: target.arrivals,
      skips: [],
      resets: [],
      emptyAt: [],
    };
    assertRecord(body, configuration);
    this.#context.trace(`webhook ${body.id} is ${describe(configuration)}`);
    const checker = new LineChecker(log, this.#context.service);
    this.#all.push({ id: body.id, number, target, log, checker, isDeleted: false });
  }

  /** Does something to a webhook or its target, or makes another one. */
  async change(): Promise<void> {
    const { choices } = this.#context;
    const webhook = choices.one(this.#alive());
    if (webhook === undefined || choices.chance(0.06)) {
      if (this.#all.length < MOST_WEBHOOKS) await this.create();
      return;
    }
    const choice = choices.next();
    if (this.#context.mode !== 'delivering') {
      if (choice < 0.3) await this.#resetStatistics(webhook);
      else if (this.#context.mode === 'read-only') await this.#assertReadOnly(webhook);
      else if (choice < 0.6) await this.#update(webhook, this.#changed(webhook));
    } else if (choice < 0.26) await this.#update(webhook, this.#changed(webhook));
    else if (choice < 0.34) await this.#switch(webhook);
    else if (choice < 0.38) await this.#ignoreEarlier(webhook);
    else if (choice < 0.41) await this.#sendBack(webhook);
    else if (choice < 0.46) await this.#resetStatistics(webhook);
    else if (choice < 0.52) await this.#refusedWebhook(webhook);
    else if (choice < 0.56) await this.#delete(webhook);
    else if (choice < 0.62) await this.#redeliver(webhook);
    else if (choice < 0.68) await this.#skip(webhook);
    else if (choice < 0.74)
      await this.#context.call('POST', `/webhooks/${webhook.id}/line/retry`, [200, 409]);
    else webhook.target.isDown = !webhook.target.isDown && choices.chance(0.7);
  }

  /** Waits until all of it has come to its end, and compares it. */
  async finish(): Promise<void> {
    for (const { target } of this.#all) target.isDown = false;
    for (const webhook of this.#all) {
      if (webhook.isDeleted) await this.#untilHistoryIsWhole(webhook);
      else await this.#untilEmpty(webhook);
      webhook.checker.settle(await this.#history(webhook));
      if (!webhook.isDeleted) await this.#compareStatistics(webhook);
    }
  }

  async #compareStatistics({ id, log }: ModelWebhook): Promise<void> {
    const { body: statistics } = await this.#context.call('GET', `/webhooks/${id}/statistics`, [200]);
    const { body: record } = await this.#context.call('GET', `/webhooks/${id}`, [200]);
    const targetOrigin = this.#context.targets.origin;
    assertStatistics(log, this.#context.service, { statistics, inError: record.in_error, targetOrigin });
  }

  #changed(webhook: ModelWebhook): WebhookConfiguration {
    const { configuration } = presentOf(webhook.log);
    return this.#choices.changed(configuration, () =>
      this.#urlOf(webhook.number, this.#context.choices.between(1, 99)),
    );
  }

  /** A record that was read is sent back, with another name: everything else stays. */
  async #sendBack(webhook: ModelWebhook): Promise<void> {
    const { configuration } = presentOf(webhook.log);
    const name = this.#context.choices.name('Webhook');
    const { body } = await this.#context.call('GET', `/webhooks/${webhook.id}`, [200]);
    await this.#update(webhook, { ...configuration, name }, { ...body, name });
  }

  async #update(
    webhook: ModelWebhook,
    configuration: WebhookConfiguration,
    record?: Record<string, unknown>,
  ): Promise<void> {
    const { choices } = this.#context;
    this.#context.trace(`webhook ${webhook.id} becomes ${describe(configuration)}`);
    const present = presentOf(webhook.log);
    const payload = record ?? payloadOf(configuration, { brief: choices.chance(0.5) });
    const { credentials } = configuration;
    // Its secret stays when it is not said again.
    if (credentials !== null && credentials === present.configuration.credentials && choices.chance(0.6))
      payload.authentication = { type: 'BASIC', key: credentials.key };
    const reset = choices.chance(0.1);
    const start = tick();
    const span = { start, since: start, end: Number.POSITIVE_INFINITY, configuration, deleted: false };
    webhook.log.configurations.push(span);
    const place = `/webhooks/${webhook.id}${reset ? '?resetStatistics=true' : ''}`;
    const { body } = await this.#context.call('PUT', place, [200], payload);
    span.since = tick();
    present.end = span.since;
    if (reset) webhook.log.resets.push({ start, end: span.since });
    assertRecord(body, configuration);
    if (!configuration.enabled && this.#context.mode === 'delivering') await this.#untilEmpty(webhook);
  }

  /** Makes it inactive or active: what waits is discarded. */
  async #switch(webhook: ModelWebhook): Promise<void> {
    const { configuration } = presentOf(webhook.log);
    await this.#update(webhook, { ...configuration, enabled: !configuration.enabled });
  }

  /** Discards what waits, and nothing that happens from now on. */
  async #ignoreEarlier(webhook: ModelWebhook): Promise<void> {
    const { configuration } = presentOf(webhook.log);
    const ignoreBefore = Date.now() + CLOCK_TOLERANCE_MS + 1;
    await this.#update(webhook, { ...configuration, ignoreBefore });
    await until(() => Date.now() > ignoreBefore + CLOCK_TOLERANCE_MS, 'the clock goes on');
  }

  async #resetStatistics(webhook: ModelWebhook): Promise<void> {
    this.#context.trace(`reset statistics of webhook ${webhook.id}`);
    const start = tick();
    const { body } = await this.#context.call('POST', `/webhooks/${webhook.id}/statistics/reset`, [200]);
    webhook.log.resets.push({ start, end: tick() });
    assert.deepEqual([body.success_count, body.error_count, body.last_success_dt], [0, 0, null]);
  }

  async #refusedWebhook(webhook: ModelWebhook): Promise<void> {
    const { configuration } = presentOf(webhook.log);
    const payload = this.#choices.invalid(payloadOf(configuration, { brief: false }), configuration);
    this.#context.trace(`refused: ${JSON.stringify(payload)}`);
    const isNew = this.#context.choices.chance(0.5);
    await this.#context.call(
      isNew ? 'POST' : 'PUT',
      isNew ? '/webhooks' : `/webhooks/${webhook.id}`,
      [400],
      payload,
    );
  }

  async #assertReadOnly(webhook: ModelWebhook): Promise<void> {
    const { configuration } = presentOf(webhook.log);
    await this.#context.call(
      'PUT',
      `/webhooks/${webhook.id}`,
      [403],
      payloadOf(configuration, { brief: false }),
    );
    await this.#context.call('DELETE', `/webhooks/${webhook.id}`, [403]);
  }

  async #delete(webhook: ModelWebhook): Promise<void> {
    if (this.#alive().length < LEAST_WEBHOOKS) return;
    this.#context.trace(`delete webhook ${webhook.id}`);
    const present = presentOf(webhook.log);
    const start = tick();
    const { configuration } = present;
    const span = { start, since: start, end: Number.POSITIVE_INFINITY, configuration, deleted: true };
    webhook.log.configurations.push(span);
    await this.#context.call('DELETE', `/webhooks/${webhook.id}`, [204]);
    span.since = tick();
    present.end = span.since;
    webhook.isDeleted = true;
  }

  /** Sends dead letters again, once nothing waits any more. */
  async #redeliver(webhook: ModelWebhook): Promise<void> {
    webhook.target.isDown = false;
    await this.#untilEmpty(webhook);
    const dead = webhook.checker.settle(await this.#history(webhook));
    this.#context.trace(`send ${dead.length} dead letters of webhook ${webhook.id} again`);
    const { enabled } = presentOf(webhook.log).configuration;
    const start = tick();
    const place = `/webhooks/${webhook.id}/deliveries/redeliver?status=DEAD_LETTERED`;
    const { body } = await this.#context.call('POST', place, [enabled ? 202 : 409]);
    if (!enabled) return;
    assert.deepEqual(body, { redelivered: dead.length, remaining: 0 });
    const asked = { start, end: tick() };
    const again = dead.map((letter): ExpectedMessage => {
      const moment = Date.parse(JSON.parse(letter.text).timestamp);
      const wall = { start: moment, end: moment };
      return { cause: 'sent again', event: {}, text: () => letter.text, asked, wall, again: letter };
    });
    if (again.length > 0) webhook.log.expected.push([again]);
  }

  /** Moves a head that fails to the dead-letter queue. */
  async #skip(webhook: ModelWebhook): Promise<void> {
    const { body } = await this.#context.call('GET', `/webhooks/${webhook.id}/line`, [200]);
    if (body.head === null || body.head.attempts === 0) return;
    this.#context.trace(`skip the head of webhook ${webhook.id}`);
    const start = tick();
    const messageId: string = body.head.message_id;
    const place = `/webhooks/${webhook.id}/line/skip?message_id=${messageId}`;
    const { status } = await this.#context.call('POST', place, [200, 409]);
    if (status === 200) webhook.log.skips.push({ messageId, start, end: tick() });
  }

  async #untilEmpty(webhook: ModelWebhook): Promise<void> {
    await until(
      async () =>
        (await this.#context.call('GET', `/webhooks/${webhook.id}/line`, [200])).body.state === 'EMPTY',
      `the line of webhook ${webhook.id} is empty`,
    );
    webhook.log.emptyAt.push(tick());
  }

  /** A deleted webhook has no line that could be read; each of its messages ends in its history. */
  async #untilHistoryIsWhole(webhook: ModelWebhook): Promise<void> {
    const expected = webhook.log.expected.flat(2).filter(({ again }) => again === null).length;
    await until(async () => {
      const history = await this.#history(webhook);
      const isOver = history.every(({ status }) => status !== 'RETRYING' && status !== 'QUEUED');
      return isOver && history.length >= expected;
    }, `the messages of webhook ${webhook.id}, which is deleted, are over`);
    webhook.log.emptyAt.push(tick());
  }

  /** All of it, the oldest first. */
  async #history({ id }: ModelWebhook): Promise<HistoryEntry[]> {
    const entries: HistoryEntry[] = [];
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await this.#context.call('GET', `/webhooks/${id}/deliveries?limit=200${after}`, [200]);
      entries.push(...body.data);
      cursor = body.next_cursor;
    } while (cursor !== null);
    return entries.reverse();
  }

  #alive(): ModelWebhook[] {
    return this.#all.filter(({ isDeleted }) => !isDeleted);
  }

  #urlOf(number: number, variant: number): string {
    return `${this.#context.targets.origin}/${number}/${variant}`;
  }
}

function presentOf({ configurations }: LineLog): LineLog['configurations'][number] {
  return configurations.at(-1)!;
}

/** Asserts that a webhook reads back as it was configured. */
function assertRecord(
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape.
  record: any,
  configuration: WebhookConfiguration,
): void {
  const { name, topic, targetUrl, enabled, maxAttempts, ignoreBefore, loggingMode, credentials } =
    configuration;
  assert.deepEqual(
    {
      name: record.name,
      topic: record.topic,
      subtopics: record.subtopics,
      all_subtopics: record.all_subtopics,
      focus: record.focus.map((each: Record<string, unknown>) => [
        each.webhook_focus_type,
        each.webhook_focus_id,
      ]),
      target_url: record.target_url,
      authentication: record.authentication,
      enabled: record.enabled,
      max_attempts: record.max_attempts,
      ignore_before_dt: record.ignore_before_dt,
      logging_mode: record.logging_mode,
      in_error: record.in_error,
    },
    {
      name,
      topic,
      subtopics: effectiveSubtopics(configuration),
      all_subtopics: configuration.subtopics === null,
      focus: configuration.focus.map(({ type, id }) => [type, id]),
      target_url: targetUrl,
      authentication: credentials === null ? { type: 'NONE' } : { type: 'BASIC', key: credentials.key },
      enabled,
      max_attempts: maxAttempts,
      ignore_before_dt: ignoreBefore === null ? null : new Date(ignoreBefore).toISOString(),
      logging_mode: loggingMode,
      in_error: false,
    },
  );
}

function describe(configuration: WebhookConfiguration): string {
  return JSON.stringify(configuration);
}
