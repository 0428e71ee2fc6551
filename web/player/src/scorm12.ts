import { Scorm12API } from 'scorm-again/scorm12/min';
import { timespanMs, timespanOf } from '../../../src/player/scorm/scorm12-status.ts';
import { allowValues, emptyOrLong, MOST_LOCATION, MOST_SUSPEND_DATA } from './allowed-values.ts';
import { EarlierAnswers } from './earlier-answers.ts';
import { elementOf, GROUPS_12, isBeyond } from './element-of.ts';
import { loadCmi, setKept } from './kept-values.ts';
import { NOTHING_SENT } from './nothing-sent.ts';
import { type Engine, type OnChange, ScormSession } from './scorm-session.ts';

const NO_LOG = 5;
/** Error codes of the standard (Run-Time Environment 3.3.3). */
const INVALID_ARGUMENT = '201';
const NOT_INITIALIZED = '301';
const NOT_IMPLEMENTED = '401';
/** An unknown element of a known category has another error code than an unknown category. */
const OF_THE_MODEL = /^cmi\.(?:core|objectives|interactions|student_data|student_preference)\b/;

/** The API of SCORM 1.1 and 1.2, for `window.API`. */
export function scorm12Api(data: { cmi: Record<string, unknown> }, onChange: OnChange) {
  const totalMs = timespanMs(memberOf(data.cmi.core, 'total_time')) ?? 0;
  const answers = new EarlierAnswers(data.cmi.interactions);
  const session = new ScormSession({
    makeEngine: (left, earlierMs) =>
      engineOf(left === null ? data.cmi : resumed(left, totalMs + earlierMs), answers),
    timeIn: (cmi) => timespanMs(memberOf(cmi.core, 'session_time')) || null,
    onChange,
  });
  const api = {
    LMSInitialize: session.initialize,
    LMSFinish: session.terminate,
    LMSGetValue: session.getValue,
    LMSSetValue: session.setValue,
    LMSCommit: session.commit,
    LMSGetLastError: session.lastError,
    LMSGetErrorString: session.errorString,
    LMSGetDiagnostic: session.diagnostic,
  };
  return { session, api };
}

function engineOf(cmi: Record<string, unknown>, answers: EarlierAnswers): Engine {
  const inner = new Scorm12API({
    autocommit: false,
    lmsCommitUrl: 'none',
    logLevel: NO_LOG,
    mastery_override: false,
    httpService: NOTHING_SENT as never,
  });
  allowValues(inner.cmi, 'suspend_data', emptyOrLong(MOST_SUSPEND_DATA));
  allowValues(inner.cmi.core, 'lesson_location', emptyOrLong(MOST_LOCATION));
  loadCmi(inner, cmi);
  /** The error of the last call, if it differs from the engine's error. */
  let ownError: string | null = null;
  /** Returns the result of a call. For an unknown element of a known category, sets the error of the standard. */
  const returned = (element: string, result: string) => {
    const isUnknown = String(inner.LMSGetLastError()) === NOT_IMPLEMENTED && OF_THE_MODEL.test(element);
    ownError = isUnknown ? INVALID_ARGUMENT : null;
    return result;
  };
  const countOf = (list: string) => Number(inner.LMSGetValue(`${list}._count`)) || 0;
  return {
    initialize: (parameter) => returned('', inner.LMSInitialize(parameter as '')),
    terminate: (parameter) => returned('', inner.LMSFinish(parameter as '')),
    getValue(element) {
      const mayRead = inner.isInitialized() || inner.isTerminated();
      if (mayRead && (element === '' || isBeyond(element, countOf))) {
        ownError = INVALID_ARGUMENT;
        return '';
      }
      return returned(element, String(inner.LMSGetValue(elementOf(element, GROUPS_12))));
    },
    setValue(element, value) {
      if (!inner.isInitialized()) {
        ownError = NOT_INITIALIZED;
        return 'false';
      }
      if (element === '') {
        ownError = INVALID_ARGUMENT;
        return 'false';
      }
      const set = (target: string, text: string) =>
        setKept(inner.cmi, target, text, (given) => inner.LMSSetValue(elementOf(target, GROUPS_12), given));
      return returned(element, answers.set(inner.cmi, element, value, set));
    },
    commit: (parameter) => returned('', inner.LMSCommit(parameter as '')),
    lastError: () => ownError ?? String(inner.LMSGetLastError()),
    errorString: (code) => inner.LMSGetErrorString(code),
    diagnostic: (code) => inner.LMSGetDiagnostic(code),
    read: () => (inner.renderCMIToJSONObject() as unknown as { cmi: Record<string, unknown> }).cmi,
  };
}

/** The data for a course that initializes again in the same page: everything that it has reported. */
function resumed(cmi: Record<string, unknown>, totalMs: number): Record<string, unknown> {
  const { session_time: _earlier, ...core } = cmi.core as Record<string, unknown>;
  const entry = core.exit === 'suspend' ? 'resume' : '';
  return { ...cmi, core: { ...core, entry, exit: '', total_time: timespanOf(totalMs) } };
}

function memberOf(part: unknown, name: string): string {
  return String((part as Record<string, unknown> | undefined)?.[name] ?? '');
}
