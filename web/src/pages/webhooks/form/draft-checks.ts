import { MAX_URL_LENGTH } from '../../../../../src/text-lengths.ts';
import { haveSameOrigin, targetUrlFault } from '../../../../../src/webhooks/configuration/target-url.ts';
import { nameFault } from '../../../components/name-fault.ts';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { lengthOf } from '../../../utilities/length-of.ts';
import { type Draft, effectiveSubtopics, excludedSubtopics, type StoredKey } from './draft.ts';

/** The API members that have a field in the form. */
export const DRAFT_FIELDS = [
  'name',
  'target_url',
  'authentication.key',
  'authentication.secret',
  'topic',
  'subtopics',
  'focus',
] as const;

/** The errors of the input, by the API member that each concerns (`authentication.key`). */
export type FieldErrors = Partial<Record<(typeof DRAFT_FIELDS)[number], string>>;

const { checks } = webhookEditing;

/** All errors of a draft; empty if it can be saved. */
export function draftErrors(draft: Draft, secret: string, storedKey: StoredKey): FieldErrors {
  return {
    ...targetErrors(draft, secret, storedKey),
    ...(draft.topic === null ? { topic: checks.topic } : subtopicErrors(draft)),
  };
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

function subtopicErrors(draft: Draft): FieldErrors {
  if (effectiveSubtopics(draft).length > 0) return {};
  return { subtopics: excludedSubtopics(draft).length > 0 ? checks.subtopicsExcluded : checks.subtopics };
}

function targetErrors(draft: Draft, secret: string, storedKey: StoredKey): FieldErrors {
  const errors: FieldErrors = {};
  const name = nameFault(draft.name, checks.name);
  if (name !== null) errors.name = name;
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
  if (lengthOf(text) > MAX_URL_LENGTH) return checks.targetUrlLength;
  const fault = targetUrlFault(text);
  return fault === null ? null : checks.targetUrlFaults[fault];
}
