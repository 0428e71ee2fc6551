import type { Reader } from '../../database/database.ts';
import { type LanguageChoice, readLanguageChoices } from './equivalent-courses.ts';
import { fittingLanguages } from './language-choice.ts';
import type { LaunchClaim } from './launch-tokens.ts';
import type { RegistrationLaunchMode } from './registration.ts';
import { readLaunch } from './registration-store.ts';

/** A permitted launch: its token and its expiry in epoch milliseconds. */
export interface AllowedLaunch {
  token: string;
  expiresAt: number;
}

/** The result of resolving a launch token: what it launches, or why it cannot. */
export type Launch =
  | {
      state: 'open';
      registrationId: string;
      courseId: number;
      courseName: string;
      versionId: number;
      /** The language of an equivalent; null for a course. */
      language: string | null;
      learningStandard: string;
      learnerId: string;
      mode: RegistrationLaunchMode;
      /** Where the learner returns to; null when the launch call named no address. */
      returnUrl: string | null;
      /** Epoch milliseconds. */
      expiresAt: number;
    }
  /** The learner chooses the language first. */
  | { state: 'choose'; choices: readonly LanguageChoice[] }
  /** `outdated`: a reset has changed the version since. */
  | { state: 'invalid' | 'expired' | 'outdated' | 'deleted' };

/** The course that a valid launch token opens. */
export type OpenLaunch = Extract<Launch, { state: 'open' }>;

/** The result of starting a launch: the URL of its player page, or why there is none. */
export type StartedLaunch =
  | { state: 'started'; url: string }
  /** The registration was deleted after its token was resolved, or no runtime plays the standard of the course. */
  | { state: 'deleted' | 'unplayable' };

/** The language of an equivalent that a learner gets. */
export interface WantedLanguage {
  /** Chosen by the learner; null before that. */
  chosen: string | null;
  /** Accepted by the browser, the preferred one first. */
  accepted: readonly string[];
}

/** Resolves a launch token that has not expired. */
export async function resolveLaunch(
  reader: Pick<Reader, 'query'>,
  { registrationId, versionId, returnUrl, mode, language: requested, expiresAt }: LaunchClaim,
  wanted: WantedLanguage,
): Promise<Launch> {
  const launch = await readLaunch(reader, registrationId);
  if (launch === undefined) return { state: 'deleted' };
  // The version of an equivalent changes with the language.
  if (launch.version_id !== versionId && launch.equivalent_id === null) return { state: 'outdated' };
  const learnerId = launch.learner_id;
  const open = { state: 'open', registrationId, learnerId, mode, returnUrl, expiresAt } as const;
  if (launch.equivalent_id !== null && launch.language === null) {
    const all = await readLanguageChoices(reader, launch.equivalent_id);
    const matching = requested === null ? [] : fittingLanguages(all, [requested]);
    // The equivalent may have lost what the launch call requested.
    const choices = matching.length > 0 ? matching : all;
    const chosen = choices.filter(({ language }) => language === wanted.chosen);
    const fitting = chosen.length > 0 ? chosen : fittingLanguages(choices, wanted.accepted);
    const only = choices.length === 1 ? choices[0] : fitting.length === 1 ? fitting[0] : undefined;
    if (only !== undefined) return { ...open, ...only };
    // An earlier release deleted an equivalent without choices. The course that represented it is played.
    if (choices.length > 1) return { state: 'choose', choices: fitting.length > 0 ? fitting : choices };
  }
  return {
    ...open,
    courseId: launch.course_id,
    courseName: launch.course_name,
    versionId: launch.version_id,
    language: launch.language,
    learningStandard: launch.learning_standard,
  };
}
