import { assetKey } from '../../events/asset-key.ts';
import {
  availableSubtopics,
  FOCUS_TYPES_OF_TOPIC,
  type FocusType,
  isExcludedByFocus,
  isFocusType,
  isSubtopic,
  isTopic,
  SUBTOPICS,
  type Subtopic,
  subtopicsOf,
  type Topic,
  topicOf,
} from '../../events/catalogue.ts';
import { givenTime } from '../../http/given.ts';
import { isObject } from '../../is-object.ts';
import { type InputError, pointerTo } from '../../problems/problem.ts';
import { haveSameOrigin, TARGET_URL_FAULTS, targetUrlFault } from './target-url.ts';
import {
  type Authentication,
  DEFAULT_LOGGING_MODE,
  DEFAULT_MAX_ATTEMPTS,
  type Focus,
  MAX_FOCUSES,
  type Webhook,
  type WebhookConfiguration,
} from './webhook.ts';
import type { WebhookInput } from './webhook-schemas.ts';

/** Says why a URL cannot be a target; null if it can. */
export type CheckTargetUrl = (url: string) => string | null;

/** What an update may keep from the current webhook. */
export type CurrentConfiguration = Pick<
  Webhook,
  'topic' | 'allSubtopics' | 'subtopics' | 'authentication' | 'targetUrl'
>;

/**
 * The errors of a configuration beyond its schema. Only members of the right type and lists of an allowed length are
 * checked. So the errors can be reported together with those of the schema.
 */
export function configurationErrors(
  input: unknown,
  { checkTargetUrl, current }: { checkTargetUrl: CheckTargetUrl; current: CurrentConfiguration | null },
): InputError[] {
  if (!isObject(input)) return [];
  return [
    ...focusErrors(input),
    ...subtopicErrors(input, current),
    ...targetErrors(input.target_url, checkTargetUrl, current),
    ...authenticationErrors(input, current),
  ];
}

/** The configuration of a valid input, with defaults for omitted members. */
export function toConfiguration(
  input: WebhookInput,
  current: CurrentConfiguration | null,
): WebhookConfiguration {
  const focus = (input.focus ?? []).map(
    (each): Focus => ({
      type: each.webhook_focus_type,
      id: each.webhook_focus_id,
      name: each.webhook_focus_name ?? null,
    }),
  );
  const available = availableSubtopics(
    input.topic,
    focus.map((each) => each.type),
  );
  const allSubtopics = input.subtopics === undefined || isReadAsAll(input, input.subtopics, current);
  return {
    name: input.name,
    topic: input.topic,
    allSubtopics,
    subtopics: allSubtopics ? available : available.filter((each) => input.subtopics?.includes(each)),
    focus,
    targetUrl: input.target_url,
    authentication: toAuthentication(input),
    enabled: input.enabled ?? true,
    paused: input.paused ?? false,
    maxAttempts: input.max_attempts ?? DEFAULT_MAX_ATTEMPTS,
    ignoreBefore: givenTime(input.ignore_before_dt),
    loggingMode: input.logging_mode ?? DEFAULT_LOGGING_MODE,
  };
}

/**
 * Whether a list of subtopics only repeats the list that a record with all subtopics shows. `all_subtopics` must be
 * true, and the list must be the one under the given focus. In an update, the list may also be the webhook's current
 * one or the topic's whole list. So an update that adds a focus can be sent again. Any other list is explicit.
 */
function isReadAsAll(
  input: { topic?: unknown; focus?: unknown; all_subtopics?: unknown },
  listed: readonly unknown[],
  current: CurrentConfiguration | null,
): boolean {
  const { topic, focus } = input;
  if (input.all_subtopics !== true || !isTopic(topic)) return false;
  const shown: (readonly Subtopic[])[] = [availableSubtopics(topic, focusTypesOf(focus))];
  if (current !== null) shown.push(subtopicsOf(topic));
  if (current?.allSubtopics === true && current.topic === topic) shown.push(current.subtopics);
  return shown.some((each) => each.length === listed.length && each.every((one) => listed.includes(one)));
}

function toAuthentication(input: WebhookInput): Authentication {
  const { authentication } = input;
  if (authentication?.type !== 'BASIC') return { type: 'NONE' };
  return { type: 'BASIC', key: authentication.key ?? '', secret: authentication.secret ?? null };
}

function focusErrors(input: Record<string, unknown>): InputError[] {
  const { topic, focus } = input;
  if (!Array.isArray(focus) || focus.length > MAX_FOCUSES) return [];
  const allowed = isTopic(topic) ? FOCUS_TYPES_OF_TOPIC[topic] : null;
  const seen = new Set<string>();
  return focus.flatMap((each: unknown, index): InputError[] => {
    if (!isObject(each)) return [];
    const { webhook_focus_type: type, webhook_focus_id: id } = each;
    if (!isFocusType(type)) return [];
    const at = pointerTo('/focus', index);
    if (typeof id === 'number') {
      const key = assetKey({ type, id });
      if (seen.has(key)) return [{ pointer: at, detail: 'must not repeat another focus of the list' }];
      seen.add(key);
    }
    if (allowed === null || allowed.includes(type)) return [];
    return [
      {
        pointer: `${at}/webhook_focus_type`,
        detail: `must be one of ${allowed.join(', ')} for the topic ${topic as string}`,
      },
    ];
  });
}

function subtopicErrors(input: Record<string, unknown>, current: CurrentConfiguration | null): InputError[] {
  const { topic, subtopics } = input;
  if (subtopics === undefined && input.all_subtopics === false) {
    return [{ pointer: '/subtopics', detail: 'is required if all_subtopics is false' }];
  }
  if (!Array.isArray(subtopics) || subtopics.length > SUBTOPICS.length) return [];
  if (subtopics.length === 0) {
    return [{ pointer: '/subtopics', detail: 'must not be empty; omit it for all subtopics of the topic' }];
  }
  if (isReadAsAll(input, subtopics, current)) return [];
  const known = isTopic(topic) ? topic : null;
  const focusTypes = focusTypesOf(input.focus);
  const seen = new Set<unknown>();
  return subtopics.flatMap((each: unknown, index): InputError[] => {
    const reason = subtopicError(each, known, focusTypes, seen.has(each));
    seen.add(each);
    return reason === null ? [] : [{ pointer: pointerTo('/subtopics', index), detail: reason }];
  });
}

/** @param topic null if it is missing or unknown: then only what is wrong for every topic is an error */
function subtopicError(
  subtopic: unknown,
  topic: Topic | null,
  focusTypes: readonly FocusType[],
  isRepeated: boolean,
): string | null {
  if (!isSubtopic(subtopic)) return null;
  if (topic !== null && topicOf(subtopic) !== topic) return `must be a subtopic of ${topic}`;
  if (isRepeated) return `must not repeat ${subtopic}`;
  if (topic !== null && isExcludedByFocus(subtopic, focusTypes)) {
    return `${subtopic} is not available with a focus of type ${focusTypes.join(', ')}`;
  }
  return null;
}

function targetErrors(
  targetUrl: unknown,
  checkTargetUrl: CheckTargetUrl,
  current: CurrentConfiguration | null,
): InputError[] {
  if (typeof targetUrl !== 'string') return [];
  // Earlier releases or settings accepted URLs that are rejected now. A webhook with such a URL can still be paused,
  // deactivated or changed. Delivery checks the URL itself.
  if (targetUrl === current?.targetUrl) return [];
  const fault = targetUrlFault(targetUrl);
  const reason = fault === null ? checkTargetUrl(targetUrl) : TARGET_URL_FAULTS[fault];
  return reason === null ? [] : [{ pointer: '/target_url', detail: reason }];
}

function authenticationErrors(
  { authentication, target_url: targetUrl }: Record<string, unknown>,
  current: CurrentConfiguration | null,
): InputError[] {
  if (!isObject(authentication)) return [];
  const { type, key, secret } = authentication;
  if (type === undefined || type === 'NONE') {
    return ['key', 'secret']
      .filter((member) => authentication[member] !== undefined)
      .map((member) => ({ pointer: `/authentication/${member}`, detail: 'is allowed only for type BASIC' }));
  }
  if (type !== 'BASIC') return [];
  const errors: InputError[] = [];
  if (key === undefined)
    errors.push({ pointer: '/authentication/key', detail: 'is required for type BASIC' });
  if (key === '' && (secret !== undefined || !isLost(current)))
    errors.push({ pointer: '/authentication/key', detail: 'must not be empty' });
  if (typeof key === 'string' && key.includes(':')) {
    errors.push({ pointer: '/authentication/key', detail: "must not contain ':' (RFC 7617)" });
  }
  if (secret === undefined) {
    const fault = keptSecretFault(key, targetUrl, current);
    if (fault !== null) errors.push({ pointer: '/authentication/secret', detail: fault });
  }
  return errors;
}

/**
 * Whether the stored credentials cannot be decrypted. The record then has an empty key and can be sent back, so that the
 * webhook can still be deactivated or changed.
 */
function isLost(current: CurrentConfiguration | null): boolean {
  return current?.authentication.type === 'BASIC' && current.authentication.key === '';
}

/**
 * Why an update must contain the secret: the stored one could be sent to another target. Null if the stored one is
 * kept.
 */
function keptSecretFault(
  key: unknown,
  targetUrl: unknown,
  current: CurrentConfiguration | null,
): string | null {
  if (current?.authentication.type !== 'BASIC' || current.authentication.key !== key)
    return 'is required for type BASIC with a new key';
  if (typeof targetUrl === 'string' && !haveSameOrigin(targetUrl, current.targetUrl))
    return 'is required again when the scheme, host or port of target_url changes';
  return null;
}

function focusTypesOf(focus: unknown): FocusType[] {
  if (!Array.isArray(focus)) return [];
  const types = focus
    .map((each: unknown) => (isObject(each) ? each.webhook_focus_type : null))
    .filter(isFocusType);
  return [...new Set(types)];
}
