import type { Choices } from './choices.ts';
import type { ContentModel } from './content-model.ts';
import {
  EXCLUDED,
  FOCUS_TYPES,
  type FocusReference,
  LOGGING_MODES,
  TOPICS,
  type Topic,
  type WebhookConfiguration,
} from './webhook-model.ts';

/** The riskiest ones more often. */
const TOPICS_BY_WEIGHT: [Topic, ...Topic[]] = [
  'ACCOUNT',
  'ACCOUNT_CONTENT',
  'ACCOUNT_CONTENT',
  'COURSE',
  'REGISTRATION',
  'REGISTRATION',
];

/** Chooses configurations of webhooks, valid and invalid ones. */
export class WebhookChoices {
  readonly #content: ContentModel;
  readonly #choices: Choices;

  constructor(content: ContentModel, choices: Choices) {
    this.#content = content;
    this.#choices = choices;
  }

  configuration(targetUrl: string, isNew: boolean): WebhookConfiguration {
    const choices = this.#choices;
    const topic = choices.pick(TOPICS_BY_WEIGHT);
    const focus = this.#focus(topic);
    return {
      name: choices.name('Webhook'),
      topic,
      subtopics: choices.chance(0.5) ? null : this.subtopics(topic, focus),
      focus,
      targetUrl,
      credentials: choices.chance(0.3) ? { key: choices.name('key'), secret: choices.name('secret') } : null,
      enabled: !isNew || choices.chance(0.9),
      maxAttempts: choices.pick([1, 2, 3, 5, 10, 10, 10, 1000]),
      ignoreBefore: null,
      loggingMode: choices.one(Object.keys(LOGGING_MODES) as (keyof typeof LOGGING_MODES)[])!,
    };
  }

  /** The same webhook with one member changed. */
  changed(current: WebhookConfiguration, newUrl: () => string): WebhookConfiguration {
    const choices = this.#choices;
    const changed = { ...current };
    const changes: (() => Partial<WebhookConfiguration>)[] = [
      () => ({ name: choices.name('Webhook') }),
      () => ({ targetUrl: newUrl() }),
      () => ({ maxAttempts: choices.pick([1, 2, 4, 10, 1000]) }),
      () => ({ loggingMode: choices.one(Object.keys(LOGGING_MODES) as (keyof typeof LOGGING_MODES)[])! }),
      () => ({
        credentials: choices.chance(0.5)
          ? null
          : { key: choices.name('key'), secret: choices.name('secret') },
      }),
      () => ({ ignoreBefore: choices.chance(0.5) ? null : Date.now() - 3_600_000 }),
      () => {
        const { topic } = changed;
        const focus = this.#focus(topic);
        return { focus, subtopics: choices.chance(0.5) ? null : this.subtopics(topic, focus) };
      },
      () => {
        const { topic, focus, subtopics } = this.configuration(current.targetUrl, false);
        return { topic, focus, subtopics };
      },
    ];
    for (const change of choices.some(changes, 2)) Object.assign(changed, change());
    return changed;
  }

  subtopics(topic: Topic, focus: readonly FocusReference[]): string[] {
    const allowed = TOPICS[topic].filter((each) => focus.length === 0 || each !== EXCLUDED[topic]);
    return this.#choices.some<string>(allowed, allowed.length);
  }

  /** A payload that must be rejected. */
  invalid(
    valid: Record<string, unknown>,
    { topic, subtopics }: WebhookConfiguration,
  ): Record<string, unknown> {
    const other = topic === 'COURSE' ? 'ACCOUNT_DELETED' : 'COURSE_VERSION_UPLOADED';
    const wrong: Record<string, unknown>[] = [
      { subtopics: [] },
      { subtopics: [other] },
      { subtopics: [TOPICS[topic][0], TOPICS[topic][0]] },
      { subtopics: subtopics ?? [], subtopic: 'ACCOUNT_CREATED' },
      { topic: 'ACCOUNTS' },
      { name: undefined },
      { target_url: 'ftp://127.0.0.1/' },
      { max_attempts: 0 },
      { max_attempts: 1001 },
      { logging_mode: 'FULL_ON_ERROR' },
      { authentication: { type: 'NONE', key: 'a', secret: 'b' } },
      {
        topic: 'ACCOUNT',
        subtopics: ['ACCOUNT_CREATED'],
        focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: 1 }],
      },
      {
        topic: 'COURSE',
        subtopics: ['COURSE_IMPORTED'],
        focus: [{ webhook_focus_type: 'COURSE', webhook_focus_id: 1 }],
      },
      {
        topic: 'COURSE',
        subtopics: undefined,
        focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: 1 }],
      },
    ];
    return { ...valid, ...this.#choices.one(wrong)! };
  }

  #focus(topic: Topic): FocusReference[] {
    const choices = this.#choices;
    if (choices.chance(0.45)) return [];
    const focus: FocusReference[] = [];
    const accounts = [...this.#content.accounts.keys()];
    if (FOCUS_TYPES[topic].includes('ACCOUNT') && choices.chance(0.6)) {
      // An asset that does not exist is accepted, and may exist later.
      const some = [...accounts, Math.max(0, ...accounts) + 1];
      focus.push(...choices.some(some, 3).map((id) => ({ type: 'ACCOUNT' as const, id })));
    }
    if (FOCUS_TYPES[topic].includes('COURSE') && (focus.length === 0 || choices.chance(0.6))) {
      const assets = this.#content.assets().filter(({ type }) => FOCUS_TYPES[topic].includes(type));
      focus.push(...choices.some(assets, 3));
    }
    if (focus.length > 0) return focus;
    return accounts.length > 0 && FOCUS_TYPES[topic].includes('ACCOUNT')
      ? [{ type: 'ACCOUNT', id: choices.one(accounts)! }]
      : [];
  }
}
