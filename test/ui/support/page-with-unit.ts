import type { TestContext } from 'node:test';
import { Saver, type SavingState } from '../../../web/player/src/saver.ts';
import { pageInNode } from './page-in-node.ts';

/** A page with one unit, which reports the value of `now.work`. */
export function pageWithUnit(t: TestContext) {
  const page = pageInNode(t);
  const states: SavingState[] = [];
  const now = { work: '', isRunning: true, others: {}, state: undefined as unknown };
  const saver = new Saver({
    owner: { registration: 'R', attempt: 1 },
    path: 'commit',
    unit: 'i1',
    page: 1,
    visit: 1,
    counter: { next: 1 },
    read: () => ({
      cmi: { suspend_data: now.work, ...now.others },
      terminated: !now.isRunning,
      elapsedMs: Math.round(performance.now()),
      ...(now.state === undefined ? {} : { state: now.state }),
    }),
    isRunning: () => now.isRunning,
    onState: (state) => states.push(state),
  });
  const report = (work: string, how: 'value' | 'commit' | 'terminate' = 'terminate') => {
    now.work = work;
    saver.changed(how);
  };
  const sent = () => page.requests.map(({ body }) => body?.cmi?.suspend_data);
  const times = () => page.requests.map(({ body }) => body?.elapsedMs);
  return { page, saver, states, report, sent, times, now };
}
