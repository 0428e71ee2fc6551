import type { Registration } from '../../api/registrations.ts';
import { registrations } from '../../texts/registrations.ts';
import { StatusBadge, type Tone } from '../status-badge.tsx';
import { formatScore } from './results.ts';

type State = keyof typeof registrations.states;

const TONES: Readonly<Record<State, Tone>> = {
  passed: 'good',
  failed: 'bad',
  completed: 'good',
  in_progress: 'info',
  not_launched: 'quiet',
};

/** A learner's progress in a word, or the result with its score. */
export function RegistrationState({
  registration,
  score = null,
}: {
  registration: Pick<Registration, 'completion' | 'success' | 'launched_dt'>;
  score?: number | null;
}) {
  const state = stateOf(registration);
  return (
    <StatusBadge tone={TONES[state]}>
      {registrations.states[state]}
      {score !== null && ` · ${formatScore(score)}`}
    </StatusBadge>
  );
}

function stateOf({
  completion,
  success,
  launched_dt,
}: Pick<Registration, 'completion' | 'success' | 'launched_dt'>): State {
  if (success === 'PASS') return 'passed';
  if (success === 'FAIL') return 'failed';
  if (completion === 'Completed') return 'completed';
  return launched_dt === null && completion === 'Unknown' ? 'not_launched' : 'in_progress';
}
