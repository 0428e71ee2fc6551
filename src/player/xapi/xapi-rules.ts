import { mergeStatus } from '../attempts/merge-status.ts';
import type { UnitResult } from '../attempts/unit-result.ts';
import type { StoredStatement } from '../lrs/xapi-types.ts';
import type { SessionRules, SessionSituation } from '../sessions/session-rules.ts';
import { readXapiUnit, statusOfStatement, visitMsOf } from './xapi-status.ts';

/** The rules of xAPI courses. Every statement is accepted; those about the units of the course count. */
export const xapiRules: SessionRules = {
  assertOpen() {},
  begin({ session, present, course, now }: SessionSituation) {
    const results: UnitResult[] = [];
    const resultOf = (unitId: string, statements: readonly StoredStatement[]): UnitResult => {
      const state = present.units.find((each) => each.unitId === unitId) ?? null;
      const unit = readXapiUnit(state);
      const before = unit.sessionId === session.sessionId ? unit : null;
      // A session may report less time than was recorded, which stays recorded.
      const earlierMs = before?.earlierMs ?? state?.durationMs ?? 0;
      const reportedMs = longestOf([before?.reportedMs ?? 0, ...statements.map(visitMsOf)]);
      // For a course that reports no time, the elapsed time counts.
      const passed = unitId === session.unitId ? now - session.startedAt : 0;
      // Earlier releases did not store whether a time was reported.
      const least = before?.reportedMs === undefined ? (before?.sessionMs ?? 0) : 0;
      const sessionMs = reportedMs ?? Math.max(least, passed);
      const status = statements.reduce((merged, each) => {
        const { completion, ...reported } = statusOfStatement(each);
        // A statement that does not complete the unit does not begin another try either, so its score counts.
        const isDone = merged.completion === 'Completed';
        return mergeStatus(merged, { ...reported, completion: isDone ? 'Completed' : completion });
      }, unit.status);
      return {
        unitId,
        position: null,
        apply: () => ({
          data: { status, sessionId: session.sessionId, sessionMs, earlierMs, reportedMs },
          status,
          visitMs: earlierMs + sessionMs,
        }),
      };
    };
    return {
      admit() {},
      stored(statements) {
        for (const { id } of course.units) {
          const about = statements.filter(({ object }) => object.id === id);
          if (about.length > 0) results.push(resultOf(id, about));
        }
      },
      outcome: () => ({ results, facts: session.facts, endedAt: null, statements: [] }),
    };
  },
};

/** The longest of these times; null if there is none above zero. */
function longestOf(times: readonly (number | null)[]): number | null {
  return Math.max(0, ...times.map((ms) => ms ?? 0)) || null;
}
