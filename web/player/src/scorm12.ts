import { Scorm12API } from 'scorm-again/scorm12/min';
import { elementOf, GROUPS_12 } from './element-of.ts';
import { allowLongText, MOST_LOCATION, MOST_SUSPEND_DATA } from './long-texts.ts';
import { NOTHING_SENT } from './nothing-sent.ts';
import { type Engine, type OnChange, ScormSession } from './scorm-session.ts';

const NO_LOG = 5;

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
  allowLongText(inner.cmi, 'suspend_data', MOST_SUSPEND_DATA);
  allowLongText(inner.cmi.core, 'lesson_location', MOST_LOCATION);
  inner.loadFromJSON({ cmi } as never);
  return {
    initialize: (parameter) => inner.LMSInitialize(parameter as ''),
    terminate: (parameter) => inner.LMSFinish(parameter as ''),
    getValue: (element) => String(inner.LMSGetValue(elementOf(element, GROUPS_12))),
    setValue: (element, value) => inner.LMSSetValue(elementOf(element, GROUPS_12), value),
    commit: (parameter) => inner.LMSCommit(parameter as ''),
    lastError: () => String(inner.LMSGetLastError()),
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
