import { haveSameOrigin, targetUrlFault } from '../../../../../src/webhooks/configuration/target-url.ts';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import {
  type Draft,
  effectiveSubtopics,
  excludedSubtopics,
  STEPS,
  type Step,
  type StoredKey,
} from './draft.ts';

/** The errors of the input, by the API member that each concerns (`authentication.key`). */
export type FieldErrors = Readonly<Record<string, string>>;

const MAX_NAME_LENGTH = 200;
const MAX_URL_LENGTH = 2_048;
const { checks } = webhookEditing;

/** The errors of a step; empty if it is valid. */
export function stepErrors(step: Step, draft: Draft, secret: string, storedKey: StoredKey): FieldErrors {
  switch (step) {
    case 'target':
      return targetErrors(draft, secret, storedKey);
    case 'topic':
      return draft.topic === null ? { topic: checks.topic } : {};
    case 'events':
      if (effectiveSubtopics(draft).length > 0) return {};
      return { subtopics: excludedSubtopics(draft).length > 0 ? checks.subtopicsExcluded : checks.subtopics };
    case 'focus':
      return effectiveSubtopics(draft).length > 0 ? {} : { focus: checks.subtopicsExcluded };
    case 'review':
      return {};
  }
}

/**
 * The first invalid step, or the last one. Events and a focus that cannot be combined can be corrected in either
 * step, so both can be opened.
 */
export function firstOpenStep(draft: Draft, secret: string, storedKey: StoredKey): Step {
  const isMendedByFocus = excludedSubtopics(draft).length > 0;
  return (
    STEPS.find(
      (step) =>
        !(step === 'events' && isMendedByFocus) &&
        Object.keys(stepErrors(step, draft, secret, storedKey)).length > 0,
    ) ?? 'review'
  );
}

/** Whether the stored secret is kept if none is entered. */
export function secretStays(draft: Draft, storedKey: StoredKey): boolean {
  return hasStoredKey(draft, storedKey) && haveSameOrigin(draft.targetUrl.trim(), storedKey.targetUrl);
}

/** Whether a stored secret must be entered again, because it would be sent to another target. */
export function secretMovesTarget(draft: Draft, storedKey: StoredKey): boolean {
  return hasStoredKey(draft, storedKey) && !secretStays(draft, storedKey);
}

function hasStoredKey(draft: Draft, storedKey: StoredKey): storedKey is NonNullable<StoredKey> {
  return draft.authentication === 'BASIC' && draft.key === storedKey?.key;
}

/** The step in which an API member is entered. */
export function stepOfField(field: string): Step {
  if (field === 'topic') return 'topic';
  if (field.startsWith('subtopics')) return 'events';
  if (field.startsWith('focus')) return 'focus';
  return 'target';
}

function targetErrors(draft: Draft, secret: string, storedKey: StoredKey): FieldErrors {
  const errors: Record<string, string> = {};
  const name = draft.name.trim();
  if (name === '') errors.name = checks.name;
  else if ([...name].length > MAX_NAME_LENGTH) errors.name = checks.nameLength;
  const url = urlError(draft.targetUrl.trim());
  if (url !== null) errors.target_url = url;
  if (draft.authentication === 'BASIC') {
    if (draft.key === '') errors['authentication.key'] = checks.key;
    else if (draft.key.includes(':')) errors['authentication.key'] = checks.keyColon;
    if (secret === '' && !secretStays(draft, storedKey)) {
      errors['authentication.secret'] = secretMovesTarget(draft, storedKey)
        ? checks.secretMoves
        : checks.secret;
    }
  }
  return errors;
}

function urlError(text: string): string | null {
  if ([...text].length > MAX_URL_LENGTH) return checks.targetUrlLength;
  const fault = targetUrlFault(text);
  return fault === null ? null : checks.targetUrlFaults[fault];
}
