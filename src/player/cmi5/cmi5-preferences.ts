import { ProblemError } from '../../problems/problem.ts';
import { readObject } from '../lrs/documents/document-content.ts';
import { isJsonType } from '../lrs/lrs-request.ts';
import { isLanguage } from '../lrs/rules/data-types.ts';

/** The id of the learner's preferences, a document of the agent profile (cmi5 section 11). */
export const PREFERENCES = 'cmi5LearnerPreferences';
/** Maximum length of the languages. Checking all that a document may contain takes long. */
const MAX_LANGUAGES_LENGTH = 4_000;

/**
 * Refuses preferences that other units could not read.
 * @throws {ProblemError} `forbidden`, as cmi5 requires
 */
export function assertPreferences(document: {
  kind: string;
  id: string;
  contentType: string;
  content: Buffer;
}): void {
  if (document.kind !== 'agent-profile' || document.id !== PREFERENCES) return;
  const value = isJsonType(document.contentType) ? readObject(document.content) : null;
  if (value === null) throw refused('are a JSON object');
  const { languagePreference, audioPreference } = value;
  if (typeof languagePreference === 'string' && languagePreference.length > MAX_LANGUAGES_LENGTH) {
    throw refused(`have a languagePreference of at most ${MAX_LANGUAGES_LENGTH} characters`);
  }
  const languages = typeof languagePreference === 'string' ? languagePreference.split(',') : [''];
  if (!languages.every((tag) => isLanguage(tag.trim()) === null)) {
    throw refused('have a languagePreference: language tags with commas between them');
  }
  if (audioPreference !== 'on' && audioPreference !== 'off') {
    throw refused('have an audioPreference: on or off');
  }
}

function refused(reason: string): ProblemError {
  return new ProblemError('forbidden', `cmi5: A learner's preferences ${reason} (11.1)`);
}
