import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { launch, register } from '../../test/content/registration-helpers.ts';
import type { TestService } from '../../test/support/service.ts';
import type { ReceivedPostback, Target } from '../../test/support/target.ts';
import { type Learner, newLearner } from '../../test/ui/support/learner.ts';

/** The context that all runs of a package share. */
export interface Stage {
  readonly service: TestService;
  readonly browser: Browser;
  /** Receives the postbacks about the course's registrations, and no others. */
  readonly target: Target;
  /** The postbacks that were already compared, in order. */
  readonly compared: ReceivedPostback[];
  readonly webhook: { readonly id: number; readonly name: string };
  readonly account: { readonly id: number; readonly name: string };
  readonly course: {
    readonly id: number;
    readonly name: string;
    readonly learning_standard: string;
    readonly location: string;
  };
}

/** A change of a registration's status. `duration` is in seconds, and is not compared if it depends on the clock. */
export interface Change {
  readonly completion: string;
  readonly success: string;
  readonly score: number | null;
  readonly duration?: number;
}

/** The body of a postback about a registration (docs/receiving.md). */
interface Message {
  timestamp: string;
  resource: { registration: { duration: number; completion_dt: string | null } };
}

/** How a learner plays a course, and the postbacks that it must cause. */
export type Script = (play: Play) => Promise<void>;

/** One learner of a course, with a separate registration. Postbacks are compared in full and in order. */
export class Play {
  readonly #stage: Stage;
  readonly #learnerId: string;
  readonly #registrationId: string;
  readonly #startedAt = Date.now();
  #isLaunched = false;
  #completedAt: string | null = null;
  /** The changes in the received postbacks, in words. */
  readonly received: string[] = [];

  private constructor(stage: Stage, learnerId: string, registrationId: string) {
    this.#stage = stage;
    this.#learnerId = learnerId;
    this.#registrationId = registrationId;
  }

  static async begin(stage: Stage, learnerId: string): Promise<Play> {
    const parties = { account_id: stage.account.id, course_id: stage.course.id };
    const { registration_id: id } = await register(stage.service, parties, learnerId);
    return new Play(stage, learnerId, id);
  }

  /** Opens the course in a new browser profile. Accepts every dialog. */
  async visit(work: (learner: Learner) => Promise<void>): Promise<void> {
    await using learner = await newLearner(this.#stage.browser);
    learner.page.on('dialog', (dialog) => void dialog.accept().catch(() => {}));
    await learner.open(this.#stage.service, this.#registrationId);
    if (!this.#isLaunched) await this.#receives('REGISTRATION_LAUNCHED', {});
    this.#isLaunched = true;
    await work(learner);
  }

  /** Waits for the next postback, which must report this change. */
  async reports(change: Change): Promise<void> {
    await this.#receives('REGISTRATION_STATUS_UPDATED', change);
  }

  /** The current result of the registration. */
  async recorded(): Promise<Change> {
    const { body } = await this.#stage.service.api.get(`/registrations/${this.#registrationId}`);
    const { completion, success, score, duration } = body;
    return { completion, success, score, duration };
  }

  /** Fails if there was an unexpected postback. The next one must be the first launch of another learner. */
  async end(): Promise<void> {
    const other = await Play.begin(this.#stage, `after-${this.#learnerId}`);
    await launch(this.#stage.service, other.#registrationId);
    await other.#receives('REGISTRATION_LAUNCHED', {});
  }

  /** The data reported by the unit that was opened last: `cmi` of its data model. */
  async dataModel(): Promise<Record<string, unknown>> {
    const { body } = await this.#stage.service.api.get(`/registrations/${this.#registrationId}/runtime`);
    return body.attempts.at(-1)?.units.at(-1)?.data?.cmi ?? {};
  }

  async #receives(subtopic: string, change: Partial<Change>): Promise<void> {
    const { target, compared } = this.#stage;
    await target.waitFor(compared.length + 1);
    const postback = target.requests[compared.length]!;
    const previous = compared.at(-1);
    compared.push(postback);
    const message = postback.json as Message;
    this.#assertTimes(message, previous);
    assert.equal(postback.text, JSON.stringify(this.#expected(subtopic, change, message)));
    this.received.push(subtopic === 'REGISTRATION_LAUNCHED' ? 'launched' : inWords(change));
  }

  /** Values that cannot be predicted: times, and the duration of courses that measure it. */
  #assertTimes({ timestamp, resource }: Message, previous: ReceivedPostback | undefined): void {
    assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    if (previous !== undefined) assert.ok(timestamp >= (previous.json as Message).timestamp, 'time goes on');
    const { duration, completion_dt: completedAt } = resource.registration;
    const longest = Math.ceil((Date.now() - this.#startedAt) / 1_000);
    if (duration !== undefined) assert.ok(Number.isInteger(duration) && duration >= 0, `${duration} s`);
    if (completedAt === null || completedAt === undefined) return;
    assert.ok(Math.abs(Date.parse(completedAt) - Date.now()) < longest * 1_000, completedAt);
    this.#completedAt ??= completedAt;
  }

  #expected(subtopic: string, change: Partial<Change>, actual: Message): object {
    const { webhook, account, course, target } = this.#stage;
    const { completion, success, score, duration = actual.resource.registration.duration } = change;
    const status = {
      completion,
      success,
      score,
      duration,
      completion_dt: completion === 'Completed' ? this.#completedAt : null,
    };
    return {
      subscription_id: webhook.id,
      name: webhook.name,
      topic: 'REGISTRATION',
      subtopic,
      resource: {
        account: { id: account.id, name: account.name, enabled: true },
        content: {
          course: {
            id: course.id,
            name: course.name,
            version_id: 0,
            learning_standard: course.learning_standard,
            location: course.location,
          },
        },
        registration: {
          account_id: account.id,
          registration_id: this.#registrationId,
          course_id: course.id,
          learner_id: this.#learnerId,
          ...(completion === undefined ? {} : status),
        },
      },
      user: this.#learnerId,
      timestamp: actual.timestamp,
      target_url: target.url,
      logging_mode: 'FULL_ON_ERROR',
      max_attempts: 10,
    };
  }
}

function inWords({ completion, success, score }: Partial<Change>): string {
  return [completion, success, score ?? 'no score'].join(' ');
}
