import { randomUUIDv7 } from 'node:crypto';
import { type Subtopic, subtopicsOf, type Topic, topicOf } from '../../events/catalogue.ts';
import { ConcurrencyLimit } from '../../http/concurrency-limit.ts';
import { type InputError, invalidInput, notFound } from '../../problems/problem.ts';
import type { BasicCredentials } from '../../secrets/credentials-cipher.ts';
import { haveSameOrigin } from '../configuration/target-url.ts';
import type { WebhookConfiguration } from '../configuration/webhook.ts';
import type { WebhookInput } from '../configuration/webhook-schemas.ts';
import type { WebhookService } from '../configuration/webhook-service.ts';
import type { DeliveryTarget, DeliveryTargets } from '../delivery-targets.ts';
import { MessageBuilder } from '../messages/message.ts';
import { SAMPLE_RESOURCES, sampleUser } from '../messages/sample-events.ts';
import type { SigningKeys } from '../signing/signing-secret.ts';

/** Marks a request as a test, so that a receiver can tell it from an event. */
const TEST_HEADERS = { 'webhook-test': 'true' };
/** The `subscription_id` of a webhook that has no id yet. */
const NO_ID = 0;
/** Number of test messages of a caller that may wait for their targets at a time. */
export const MAX_TESTS_AT_A_TIME = 8;

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
  /** Why the test failed; null if it succeeded. */
  reason: string | null;
  durationMs: number;
  /** Whether the message had a signature. */
  signed: boolean;
  body: string;
}

/** The caller that sends a test message, and which sample. */
export interface TestRequest {
  /** Defaults to the first subtopic of the webhook. */
  subtopic: Subtopic | undefined;
  caller: { readonly id: string; readonly user: string };
}

/** The error of a sample whose subtopic is of another topic than the webhook. */
export function sampleErrors(topic: Topic, subtopic: Subtopic): InputError[] {
  if (topicOf(subtopic) === topic) return [];
  const allowed = subtopicsOf(topic).join(', ');
  return [{ pointer: '/query/subtopic', detail: `must be a subtopic of ${topic}: ${allowed}` }];
}

/** Dependencies of {@link TestMessages}. */
export interface TestMessagesDependencies {
  webhooks: WebhookService;
  targets: DeliveryTargets;
  send: SendPostback;
  now: () => number;
}

/** The target of a test message, its credentials and its signing keys. */
type Destination = Pick<DeliveryTarget, 'targetUrl' | 'credentials' | 'signingKeys' | 'lost'>;

/**
 * Sends sample messages to the targets of webhooks immediately, bypassing the line: a test must show how the
 * target responds, whatever is waiting. It is not counted in the statistics and does not appear in the history.
 */
export class TestMessages {
  readonly #with: TestMessagesDependencies;
  readonly #limit = new ConcurrencyLimit(
    MAX_TESTS_AT_A_TIME,
    `${MAX_TESTS_AT_A_TIME} of your test messages are waiting for their targets. Try again when one has its response`,
  );

  constructor(dependencies: TestMessagesDependencies) {
    this.#with = dependencies;
  }

  /**
   * Sends a sample of the given subtopic of the webhook's topic, or of the webhook's first subtopic, even if the
   * webhook is inactive. @throws {ProblemError} `not-found`, `invalid-request`, `too-many-requests`, `webhooks-read-only`
   */
  async send(webhookId: number, request: TestRequest): Promise<TestResult> {
    this.#with.webhooks.assertWritable();
    const webhook = await this.#with.webhooks.get(webhookId);
    const target = await this.#targetOf(webhookId);
    return await this.#test({ ...webhook, id: webhookId, targetUrl: target.targetUrl }, target, request);
  }

  /**
   * Sends a sample as a webhook with this configuration would, and stores nothing. With a webhook id, its stored
   * secrets are used as in an update. The signing secret signs only for the origin that it was stored for. The stored
   * secret is used if the input has none, and only for the origin and the key that it was stored for.
   * @throws {ProblemError} `not-found`, `invalid-request`, `too-many-requests`, `webhooks-read-only`
   */
  async sendUnsaved(
    input: WebhookInput,
    webhookId: number | null,
    request: TestRequest,
  ): Promise<TestResult> {
    this.#with.webhooks.assertWritable();
    const configuration = await this.#with.webhooks.preview(input, webhookId);
    const stored = webhookId === null ? null : await this.#targetOf(webhookId);
    const destination = destinationOf(configuration, stored);
    return await this.#test({ ...configuration, id: webhookId ?? NO_ID }, destination, request);
  }

  async #targetOf(webhookId: number): Promise<DeliveryTarget> {
    const target = (await this.#with.targets.read([webhookId])).get(webhookId);
    if (target === undefined || target.state === 'DELETED') throw notFound('webhook', webhookId);
    return target;
  }

  async #test(
    webhook: Omit<WebhookConfiguration, 'authentication'> & { id: number },
    destination: Destination,
    { subtopic, caller }: TestRequest,
  ): Promise<TestResult> {
    const chosen = subtopic ?? webhook.subtopics[0]!;
    const errors = sampleErrors(webhook.topic, chosen);
    if (errors.length > 0) throw invalidInput(errors);
    const body = new MessageBuilder({
      subtopic: chosen,
      resource: SAMPLE_RESOURCES[chosen],
      user: sampleUser(chosen, caller.user),
      occurredAt: this.#with.now(),
    }).build({
      id: webhook.id,
      name: webhook.name,
      topic: webhook.topic,
      target_url: webhook.targetUrl,
      logging_mode: webhook.loggingMode,
      max_attempts: webhook.maxAttempts,
    });
    const result = await this.#limit.run(caller.id, () => this.#post(destination, body));
    return {
      delivered: result.outcome === 'DELIVERED',
      responseStatus: result.status,
      responseBody: result.responseBody,
      reason: result.reason,
      durationMs: result.durationMs,
      signed: destination.lost === null && destination.signingKeys !== null,
      body,
    };
  }

  async #post(destination: Destination, body: string): Promise<SendResult> {
    // Without the lost secrets, the request would differ from that of a delivery.
    if (destination.lost !== null) {
      const reason = destination.lost;
      return { outcome: 'FAILED', status: null, responseBody: null, reason, durationMs: 0 };
    }
    return await this.#with.send({
      messageId: randomUUIDv7(),
      url: destination.targetUrl,
      body,
      credentials: destination.credentials,
      signingKeys: destination.signingKeys,
      extraHeaders: TEST_HEADERS,
    });
  }
}

/** @throws {ProblemError} `invalid-request` if the stored secret belongs to another origin or key */
function destinationOf(
  { targetUrl, authentication }: WebhookConfiguration,
  stored: DeliveryTarget | null,
): Destination {
  const isStoredOrigin = stored !== null && haveSameOrigin(targetUrl, stored.targetUrl);
  // Another origin could pass a signed sample on to the stored target, which would accept it as an event.
  const signing = isStoredOrigin
    ? { signingKeys: stored.signingKeys, lost: stored.signingLost }
    : { signingKeys: null, lost: null };
  if (authentication.type === 'NONE') return { targetUrl, credentials: null, ...signing };
  const { key, secret } = authentication;
  if (secret !== null) return { targetUrl, credentials: { key, secret }, ...signing };
  const keeps = {
    targetUrl,
    credentials: stored?.credentials ?? null,
    ...signing,
    lost: stored?.lost ?? null,
  };
  if (keeps.lost !== null) return keeps;
  // Someone may have changed the webhook since the input was checked.
  if (isStoredOrigin && stored.credentials?.key === key) return keeps;
  throw invalidInput([
    { pointer: '/authentication/secret', detail: 'is required: the webhook was changed in the meantime' },
  ]);
}
