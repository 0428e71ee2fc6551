import { Scorm12API } from 'scorm-again/scorm12/min';
import {
  allowDecimalResult,
  allowValues,
  emptyOrLong,
  isDecimalResult,
  loadCmi,
  MOST_LOCATION,
  MOST_SUSPEND_DATA,
} from './allowed-values.ts';
import { setInLists } from './element-lists.ts';
import { elementOf, GROUPS_12, isBeyond } from './element-of.ts';
import { NOTHING_SENT } from './nothing-sent.ts';
import { type Engine, type OnChange, ScormSession } from './scorm-session.ts';

const NO_LOG = 5;
/** Error codes of the standard (Run-Time Environment 3.3.3). */
const INVALID_ARGUMENT = '201';
const NOT_INITIALIZED = '301';
const NOT_IMPLEMENTED = '401';
/** A name that no category has is another fault than a category that the model does not have. */
const OF_THE_MODEL = /^cmi\.(?:core|objectives|interactions|student_data|student_preference)\b/;

/** The API of SCORM 1.1 and 1.2, for `window.API`. */
export function scorm12Api(data: { cmi: Record<string, unknown> }, onChange: OnChange) {
  const session = new ScormSession((cmi) => engineOf(cmi === null ? data.cmi : resumed(cmi)), onChange);
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

function engineOf(cmi: Record<string, unknown>): Engine {
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
  /** That of the last call, where the engine has another one. */
  let ownError: string | null = null;
  /** Answers what a call answered; of an unknown element of a known category, it sets the error that the standard has. */
  const answered = (element: string, answer: string) => {
    const isUnknown = String(inner.LMSGetLastError()) === NOT_IMPLEMENTED && OF_THE_MODEL.test(element);
    ownError = isUnknown ? INVALID_ARGUMENT : null;
    return answer;
  };
  const countOf = (list: string) => Number(inner.LMSGetValue(`${list}._count`)) || 0;
  return {
    initialize: (parameter) => answered('', inner.LMSInitialize(parameter as '')),
    terminate: (parameter) => answered('', inner.LMSFinish(parameter as '')),
    getValue(element) {
      const mayRead = inner.isInitialized() || inner.isTerminated();
      if (mayRead && isBeyond(element, countOf)) {
        ownError = INVALID_ARGUMENT;
        return '';
      }
      return answered(element, String(inner.LMSGetValue(elementOf(element, GROUPS_12))));
    },
    setValue(element, value) {
      if (!inner.isInitialized()) {
        ownError = NOT_INITIALIZED;
        return 'false';
      }
      const set = (given: string) => {
        allowDecimalResult(inner.cmi.interactions, element);
        return setInLists(inner.cmi, element, () => inner.LMSSetValue(elementOf(element, GROUPS_12), given));
      };
      let answer = set(value);
      // An interaction that is not there yet begins with a result that the engine knows.
      if (answer !== 'true' && isDecimalResult(element, value) && set('neutral') === 'true')
        answer = set(value);
      return answered(element, answer);
    },
    commit: (parameter) => answered('', inner.LMSCommit(parameter as '')),
    lastError: () => ownError ?? String(inner.LMSGetLastError()),
    errorString: (code) => inner.LMSGetErrorString(code),
    diagnostic: (code) => inner.LMSGetDiagnostic(code),
    read: () => (inner.renderCMIToJSONObject() as unknown as { cmi: Record<string, unknown> }).cmi,
  };
}

/** What a course finds that initializes again in the same page: all that it left. */
function resumed(cmi: Record<string, unknown>): Record<string, unknown> {
  const core = cmi.core as Record<string, unknown>;
  return { ...cmi, core: { ...core, entry: core.exit === 'suspend' ? 'resume' : '', exit: '' } };
}
