import {
  COMPLETIONS,
  type Completion,
  type RegistrationStatus,
  SUCCESSES,
  type Success,
} from '../../../api/registrations.ts';
import {
  formatScore,
  formatSeconds,
  parseScore,
  parseSeconds,
} from '../../../components/registrations/results.ts';
import { registrations } from '../../../texts/registrations.ts';

const { checks, completions, successes, inWords } = registrations.status;

/** A status while it is edited. */
export interface StatusDraft {
  completion: Completion;
  success: Success;
  score: string;
  duration: string;
}

/** The errors of a draft, by its members. */
export type DraftFaults = Partial<Record<'score' | 'duration', string>>;

/** The draft with which an edit starts. */
export function draftOf({ completion, success, score, duration }: RegistrationStatus): StatusDraft {
  return {
    completion,
    success,
    score: score === null ? '' : String(score),
    duration: formatSeconds(duration),
  };
}

/** The errors of a draft; empty if there are none. */
export function faultsOf({ score, duration }: StatusDraft): DraftFaults {
  return {
    ...(parseScore(score) === undefined ? { score: checks.score } : {}),
    ...(parseSeconds(duration) === undefined ? { duration: checks.duration } : {}),
  };
}

/** The status of a draft without errors. */
export function statusOf({ completion, success, score, duration }: StatusDraft): RegistrationStatus {
  return { completion, success, score: parseScore(score) ?? null, duration: parseSeconds(duration) ?? 0 };
}

/** A draft after it was saved: what was changed since it was sent stays, everything else is as saved. */
export function afterSaving(draft: StatusDraft, sent: StatusDraft, saved: StatusDraft): StatusDraft {
  return {
    completion: draft.completion === sent.completion ? saved.completion : draft.completion,
    success: draft.success === sent.success ? saved.success : draft.success,
    score: draft.score === sent.score ? saved.score : draft.score,
    duration: draft.duration === sent.duration ? saved.duration : draft.duration,
  };
}

/** Whether two drafts are equal. */
export function isSameStatus(one: StatusDraft, other: StatusDraft): boolean {
  return (
    one.completion === other.completion &&
    one.success === other.success &&
    one.score === other.score &&
    one.duration === other.duration
  );
}

/** A status in a sentence. */
export function statusInWords({ completion, success, score, duration }: RegistrationStatus): string {
  return inWords(completions[completion], successes[success], formatScore(score), formatSeconds(duration));
}

/** The completions and successes to choose from. */
export const COMPLETION_OPTIONS = COMPLETIONS.map((value) => ({ value, label: completions[value] }));
export const SUCCESS_OPTIONS = SUCCESSES.map((value) => ({ value, label: successes[value] }));
