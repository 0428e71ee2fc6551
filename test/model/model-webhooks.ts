import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import type { ContentModel, ModelEvent } from './content-model.ts';
import { type HistoryEntry, LineChecker } from './line-checker.ts';
import { type ExpectedMessage, type LineLog, type Span, tick } from './log.ts';
import { CLOCK_TOLERANCE_MS, type RunContext } from './run-context.ts';
import { assertStatistics } from './statistics-checker.ts';
import type { ModelTarget } from './targets.ts';
import { WebhookChoices } from './webhook-choices.ts';
import { matches, messageOf, payloadOf, type WebhookConfiguration } from './webhook-model.ts';
import { assertRecord } from './webhook-record.ts';

/** A webhook of a run. */
export interface ModelWebhook {
  id: number;
  number: number;
  target: ModelTarget;
  log: LineLog;
  checker: LineChecker;
  isDeleted: boolean;
}

/** Events that one operation caused, in order. */
export interface CausedEvents {
  cause: string;
  events: readonly ModelEvent[];
  asked: Span;
  /** Epoch milliseconds around it. */
  wall: Span;
}

const MOST_WEBHOOKS = 34;
/** Webhooks are deleted only while there are more than this. */
const LEAST_WEBHOOKS = 20;

/** The webhooks of a run: operations on them, and the messages that their targets must receive. */
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

  /** The numbers so far: distinct messages, and attempts. */
  get arrived(): { messages: number; attempts: number } {
    const arrivals = this.#all.flatMap(({ log }) => log.arrivals);
    return { messages: new Set(arrivals.map(({ messageId }) => messageId)).size, attempts: arrivals.length };
  }

  /** Records the expected messages of simultaneous operations. */
  expect(caused: readonly CausedEvents[]): void {
    // The same for each webhook, to check that an event has one timestamp.
    const identities = new Map<ModelEvent, object>();
    for (const { events } of caused) for (const event of events) identities.set(event, {});
    for (const { id, log } of this.#alive()) {
      const { configuration } = currentOf(log);
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
      purges: [],
      resets: [],
      emptyAt: [],
    };
    assertRecord(body, configuration);
    this.#context.trace(`webhook ${body.id} is ${describe(configuration)}`);
    const checker = new LineChecker(log, this.#context.service);
    this.#all.push({ id: body.id, number, target, log, checker, isDeleted: false });
  }

  /** Changes a webhook or its target, or creates another webhook. */
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

  /** A webhook for all events of accounts, which retries for as long as its target is down. */
  async startPile(): Promise<ModelWebhook> {
    const webhook = this.#context.choices.one(this.#alive())!;
    const { configuration } = currentOf(webhook.log);
    await this.#update(webhook, {
      ...configuration,
      topic: 'ACCOUNT',
      subtopics: null,
      focus: [],
      enabled: true,
      maxAttempts: 1_000,
      ignoreBefore: null,
    });
    webhook.target.isDown = true;
    return webhook;
  }

  /** Purges the line of a webhook whose target is down, until a message that was in flight has failed and is purged, too. */
  async purge(webhook: ModelWebhook): Promise<void> {
    const isRetrying = async () => (await this.#history(webhook)).some(({ status }) => status === 'RETRYING');
    // In a run with few receives, the line advances by itself.
    const isStuck = this.#context.service.maxReceives >= 1_000;
    if (isStuck) await until(isRetrying, 'the head has failed');
    const [head] = await this.#waiting(webhook);
    this.#context.trace(`purge the line of webhook ${webhook.id}`);
    const span: Span = { start: tick(), end: Number.POSITIVE_INFINITY };
    webhook.log.purges.push(span);
    await until(async () => {
      const { body } = await this.#context.call('POST', `/webhooks/${webhook.id}/line/purge`, [200]);
      assert.deepEqual([body.remaining, body.next_cursor], [0, null]);
      const left = await this.#waiting(webhook);
      assert.ok(left.length <= 1, `a purge of webhook ${webhook.id} left ${left.length} messages`);
      if (isStuck && left.length > 0) assert.equal(left[0], head, 'only the head may have been in flight');
      return await this.#isEmpty(webhook);
    }, `the line of webhook ${webhook.id} is purged`);
    span.end = tick();
    webhook.log.emptyAt.push(tick());
    webhook.target.isDown = false;
  }

  /** Waits until all deliveries are finished, and compares them. */
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
    const { configuration } = currentOf(webhook.log);
    return this.#choices.changed(configuration, () =>
      this.#urlOf(webhook.number, this.#context.choices.between(1, 99)),
    );
  }

  /** Sends a record back as it was read, except for its name. Everything else must stay. */
  async #sendBack(webhook: ModelWebhook): Promise<void> {
    const { configuration } = currentOf(webhook.log);
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
    const current = currentOf(webhook.log);
    const payload = record ?? payloadOf(configuration, { brief: choices.chance(0.5) });
    const { credentials } = configuration;
    // The secret stays if it is not given again.
    if (credentials !== null && credentials === current.configuration.credentials && choices.chance(0.6))
      payload.authentication = { type: 'BASIC', key: credentials.key };
    const reset = choices.chance(0.1);
    const start = tick();
    const span = { start, since: start, end: Number.POSITIVE_INFINITY, configuration, deleted: false };
    webhook.log.configurations.push(span);
    const place = `/webhooks/${webhook.id}${reset ? '?resetStatistics=true' : ''}`;
    const { body } = await this.#context.call('PUT', place, [200], payload);
    span.since = tick();
    current.end = span.since;
    if (reset) webhook.log.resets.push({ start, end: span.since });
    assertRecord(body, configuration);
    if (!configuration.enabled && this.#context.mode === 'delivering') await this.#untilEmpty(webhook);
  }

  /** Deactivates or activates it: waiting messages are discarded. */
  async #switch(webhook: ModelWebhook): Promise<void> {
    const { configuration } = currentOf(webhook.log);
    await this.#update(webhook, { ...configuration, enabled: !configuration.enabled });
  }

  /** Discards waiting messages, but no later ones. */
  async #ignoreEarlier(webhook: ModelWebhook): Promise<void> {
    const { configuration } = currentOf(webhook.log);
    const ignoreBefore = Date.now() + CLOCK_TOLERANCE_MS + 1;
    await this.#update(webhook, { ...configuration, ignoreBefore });
    await until(() => Date.now() > ignoreBefore + CLOCK_TOLERANCE_MS, 'the clock advances');
  }

  async #resetStatistics(webhook: ModelWebhook): Promise<void> {
    this.#context.trace(`reset statistics of webhook ${webhook.id}`);
    const start = tick();
    const { body } = await this.#context.call('POST', `/webhooks/${webhook.id}/statistics/reset`, [200]);
    webhook.log.resets.push({ start, end: tick() });
    assert.deepEqual([body.success_count, body.error_count, body.last_success_dt], [0, 0, null]);
  }

  async #refusedWebhook(webhook: ModelWebhook): Promise<void> {
    const { configuration } = currentOf(webhook.log);
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
    const { configuration } = currentOf(webhook.log);
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
    const current = currentOf(webhook.log);
    const start = tick();
    const { configuration } = current;
    const span = { start, since: start, end: Number.POSITIVE_INFINITY, configuration, deleted: true };
    webhook.log.configurations.push(span);
    await this.#context.call('DELETE', `/webhooks/${webhook.id}`, [204]);
    span.since = tick();
    current.end = span.since;
    webhook.isDeleted = true;
  }

  /** Redelivers dead letters once nothing waits any more. */
  async #redeliver(webhook: ModelWebhook): Promise<void> {
    webhook.target.isDown = false;
    await this.#untilEmpty(webhook);
    const dead = webhook.checker.settle(await this.#history(webhook));
    this.#context.trace(`redeliver ${dead.length} dead letters of webhook ${webhook.id}`);
    const { enabled } = currentOf(webhook.log).configuration;
    const start = tick();
    const place = `/webhooks/${webhook.id}/deliveries/redeliver?status=DEAD_LETTERED`;
    const { body } = await this.#context.call('POST', place, [enabled ? 202 : 409]);
    if (!enabled) return;
    assert.deepEqual(body, { redelivered: dead.length, remaining: 0, next_cursor: null });
    const asked = { start, end: tick() };
    const again = dead.map((letter): ExpectedMessage => {
      const moment = Date.parse(JSON.parse(letter.text).timestamp);
      const wall = { start: moment, end: moment };
      return { cause: 'sent again', event: {}, text: () => letter.text, asked, wall, again: letter };
    });
    if (again.length > 0) webhook.log.expected.push([again]);
  }

  /** Removes the dead letters of the webhook that probably has most, once nothing waits any more. */
  async removeDeadLetters(): Promise<void> {
    const deadOf = ({ log }: ModelWebhook) =>
      log.arrivals.filter(({ status }) => status >= 300).length / currentOf(log).configuration.maxAttempts;
    const webhook = this.#alive().reduce((most, each) => (deadOf(each) > deadOf(most) ? each : most));
    webhook.target.isDown = false;
    await this.#untilEmpty(webhook);
    const dead = webhook.checker.settle(await this.#history(webhook));
    this.#context.trace(`remove ${dead.length} dead letters of webhook ${webhook.id}`);
    const place = `/webhooks/${webhook.id}/deliveries/remove`;
    const { body } = await this.#context.call('POST', place, [200]);
    assert.deepEqual(body, { removed: dead.length, remaining: 0, next_cursor: null });
    webhook.checker.removeDeadLetters();
  }

  /** Moves a failing head to the dead-letter queue. */
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
    await until(() => this.#isEmpty(webhook), `the line of webhook ${webhook.id} is empty`);
    webhook.log.emptyAt.push(tick());
  }

  async #isEmpty({ id }: ModelWebhook): Promise<boolean> {
    return (await this.#context.call('GET', `/webhooks/${id}/line`, [200])).body.state === 'EMPTY';
  }

  /** The ids of the messages that wait, in order. */
  async #waiting({ id }: ModelWebhook): Promise<string[]> {
    const { body } = await this.#context.call('GET', `/webhooks/${id}/line/messages?limit=200`, [200]);
    return body.data.map(({ message_id }: { message_id: string }) => message_id);
  }

  /** A deleted webhook has no readable line; all its messages end in the history. */
  async #untilHistoryIsWhole(webhook: ModelWebhook): Promise<void> {
    const expected = webhook.log.expected.flat(2).filter(({ again }) => again === null).length;
    await until(async () => {
      const history = await this.#history(webhook);
      const isOver = history.every(({ status }) => status !== 'RETRYING' && status !== 'QUEUED');
      return isOver && history.length >= expected;
    }, `the messages of webhook ${webhook.id}, which is deleted, are over`);
    webhook.log.emptyAt.push(tick());
  }

  /** The whole history, oldest first. */
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

function currentOf({ configurations }: LineLog): LineLog['configurations'][number] {
  return configurations.at(-1)!;
}

function describe(configuration: WebhookConfiguration): string {
  return JSON.stringify(configuration);
}
