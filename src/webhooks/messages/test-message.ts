import { randomUUIDv7 } from 'node:crypto';
import { type Subtopic, subtopicsOf, topicOf } from '../../events/catalogue.ts';
import { invalidInput, notFound } from '../../problems/problem.ts';
import type { BasicCredentials } from '../../secrets/credentials-cipher.ts';
import type { DeliveryTarget, DeliveryTargets } from '../configuration/delivery-targets.ts';
import type { WebhookService } from '../configuration/webhook-service.ts';
import type { SigningKeys } from '../signing/signing-secret.ts';
import { MessageBuilder } from './message.ts';
import { SAMPLE_RESOURCES } from './sample-events.ts';

/** Marks a request as a test, so that a receiver can tell it from an event. */
const TEST_HEADERS = { 'webhook-test': 'true' };

/** The response of a target, or why there is none. */
export interface SendResult {
  outcome: 'DELIVERED' | 'FAILED';
  status: number | null;
  responseBody: string | null;
  reason: string | null;
  durationMs: number;
}

/** Sends a request to a target, like the sender of deliveries. */
export type SendPostback = (postback: {
  messageId: string;
  url: string;
  body: string;
  credentials: BasicCredentials | null;
  signingKeys: SigningKeys | null;
  extraHeaders: Readonly<Record<string, string>>;
}) => Promise<SendResult>;

/** The result of a test message. */
export interface TestResult {
  delivered: boolean;
  responseStatus: number | null;
  responseBody: string | null;
  /** Why it failed. */
  reason: string | null;
  durationMs: number;
  targetUrl: string;
  body: string;
}

/** Dependencies of {@link TestMessages}. */
export interface TestMessagesDependencies {
  webhooks: WebhookService;
  targets: DeliveryTargets;
  send: SendPostback;
  now: () => number;
}

/**
 * Sends sample messages to the targets of webhooks immediately, bypassing the line: a test must show how the
 * target responds, whatever is waiting. It is not counted in the statistics and does not appear in the history.
 */
export class TestMessages {
  readonly #with: TestMessagesDependencies;

  constructor(dependencies: TestMessagesDependencies) {
    this.#with = dependencies;
  }

  /**
   * Sends a sample of the given subtopic of the webhook's topic, or of the webhook's first subtopic, even if the
   * webhook is inactive. @throws {ProblemError} `not-found`, `invalid-request`, `webhooks-read-only`
   */
  async send(
    webhookId: number,
    { subtopic, user }: { subtopic: Subtopic | undefined; user: string },
  ): Promise<TestResult> {
    this.#with.webhooks.assertWritable();
    const webhook = await this.#with.webhooks.get(webhookId);
    const target = (await this.#with.targets.read([webhookId])).get(webhookId);
    if (target === undefined || target.state === 'DELETED') throw notFound('webhook', webhookId);
    const chosen = subtopic ?? webhook.subtopics[0]!;
    if (topicOf(chosen) !== webhook.topic) {
      const allowed = subtopicsOf(webhook.topic).join(', ');
      throw invalidInput([
        { pointer: '/query/subtopic', detail: `must be a subtopic of ${webhook.topic}: ${allowed}` },
      ]);
    }
    const body = new MessageBuilder({
      subtopic: chosen,
      resource: SAMPLE_RESOURCES[chosen],
      user,
      occurredAt: this.#with.now(),
    }).build({
      id: webhook.id,
      name: webhook.name,
      topic: webhook.topic,
      target_url: webhook.targetUrl,
      logging_mode: webhook.loggingMode,
      max_attempts: webhook.maxAttempts,
    });
    const result = await this.#post(target, body);
    return {
      delivered: result.outcome === 'DELIVERED',
      responseStatus: result.status,
      responseBody: result.responseBody,
      reason: result.reason,
      durationMs: result.durationMs,
      targetUrl: target.targetUrl,
      body,
    };
  }

  async #post(target: DeliveryTarget, body: string): Promise<SendResult> {
    // Without them, the request would differ from that of a delivery.
    if (target.lost !== null) {
      const reason = target.lost;
      return { outcome: 'FAILED', status: null, responseBody: null, reason, durationMs: 0 };
    }
    return await this.#with.send({
      messageId: randomUUIDv7(),
      url: target.targetUrl,
      body,
      credentials: target.credentials,
      signingKeys: target.signingKeys,
      extraHeaders: TEST_HEADERS,
    });
  }
}
