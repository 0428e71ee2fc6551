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
      const before = present.units.find((each) => each.unitId === unitId) ?? null;
      const unit = readXapiUnit(before);
      const isSame = unit.sessionId === session.sessionId;
      const earlierMs = isSame ? unit.earlierMs : unit.earlierMs + unit.sessionMs;
      const reported = Math.max(0, ...statements.map((each) => visitMsOf(each) ?? 0));
      // For a course that measures no time, the elapsed time counts.
      const passed = unitId === session.unitId ? now - session.startedAt : 0;
      const sessionMs = reported > 0 ? reported : isSame && unit.sessionMs > 0 ? unit.sessionMs : passed;
      const status = statements.reduce(
        (merged, each) => mergeStatus(merged, statusOfStatement(each)),
        unit.status,
      );
      return {
        unitId,
        position: null,
        apply: () => ({
          data: { status, sessionId: session.sessionId, sessionMs, earlierMs },
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
