import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError } from '../../../api/errors.ts';
import { createRegistration, isRegistered, registrationsKey } from '../../../api/registrations.ts';
import { newIdempotencyKey } from '../../../api/request.ts';
import { fieldOf } from '../../../components/field-errors.ts';
import { notifyLeft } from '../../../components/notify.tsx';
import { type RunState, useRun } from '../../../components/use-run.ts';
import { registrations } from '../../../texts/registrations.ts';
import type { FaultyRow, LearnerRow } from './learner-rows.ts';

const texts = registrations.many;
const MAX_NAMED = 5;

/** The content for which the learners are registered. */
export interface Plan {
  accountId: number;
  subject: { type: 'COURSE' | 'EQUIVALENT'; id: number };
  learners: readonly LearnerRow[];
  /** Whether to skip learners who are already registered for it. */
  skipRegistered: boolean;
}

/** The progress of the registrations. */
export interface Registering extends RunState {
  plan: Plan;
  registered: number;
  skipped: number;
  refused: FaultyRow[];
}

/**
 * Registers learners one after another, in the order of the list. If the service rejects a learner's id, it is
 * recorded. Any other failure stops the run, and `resume` continues with the same learner.
 */
export function useRegistering() {
  const queryClient = useQueryClient();
  /** The idempotency key of the next learner, so that a repeated request creates nothing twice. */
  const key = useRef(newIdempotencyKey());
  const { start, ...registering } = useRun<Registering>({
    step: async (state) => {
      const { learners } = state.plan;
      const learner = learners[processed(state)];
      if (learner === undefined) return { ...state, phase: 'done' };
      const next = await registerNext(state, learner, key.current);
      key.current = newIdempotencyKey();
      return processed(next) === learners.length ? { ...next, phase: 'done' } : next;
    },
    onLeft: notifyRun,
    onEnd: () => queryClient.invalidateQueries({ queryKey: registrationsKey }),
  });
  return {
    ...registering,
    start: (plan: Plan) =>
      start({ phase: 'running', plan, registered: 0, skipped: 0, refused: [], error: null }),
  };
}

/** The number of learners that were processed. */
export function processed({ registered, skipped, refused }: Registering): number {
  return registered + skipped + refused.length;
}

/** The results so far, and the number of learners that are left. */
export function resultOf(state: Registering): string {
  const { registered, skipped } = state;
  const left = state.plan.learners.length - processed(state);
  return [texts.done(registered), skipped > 0 && texts.skipped(skipped), left > 0 && texts.left(left)]
    .filter(Boolean)
    .join(' ');
}

/** Shows how a run ended whose page was left. */
function notifyRun(state: Registering): void {
  const refused = state.refused.map(({ row, id, fault }) => texts.row(row, id, fault)).slice(0, MAX_NAMED);
  const refusal = refused.length === 0 ? [] : [texts.refused, ...refused];
  notifyLeft(texts.title, [resultOf(state), ...refusal].join(' '), state.error);
}

async function registerNext(now: Registering, learner: LearnerRow, key: string): Promise<Registering> {
  const { accountId, subject, skipRegistered } = now.plan;
  if (skipRegistered && (await isRegistered(accountId, subject, learner.id))) {
    return { ...now, skipped: now.skipped + 1 };
  }
  const chosen = subject.type === 'EQUIVALENT' ? { equivalent_id: subject.id } : { course_id: subject.id };
  try {
    await createRegistration({ account_id: accountId, ...chosen, learner_id: learner.id }, key);
    return { ...now, registered: now.registered + 1 };
  } catch (error) {
    const fault = error instanceof ApiError ? error.errors.find(isAboutId) : undefined;
    if (fault === undefined) throw error;
    return { ...now, refused: [...now.refused, { ...learner, fault: fault.detail }] };
  }
}

function isAboutId({ pointer }: { pointer: string }): boolean {
  return fieldOf(pointer) === 'learner_id';
}
