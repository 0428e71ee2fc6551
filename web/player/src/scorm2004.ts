import { Scorm2004API } from 'scorm-again/scorm2004/min';
import { durationMs, durationOf } from '../../../src/player/scorm/scorm2004-status.ts';
import type { UnitReport } from '../../../src/player/scorm/sequencing/unit-tracking.ts';
import { type AdlHost, AdlModel } from './adl-model.ts';
import {
  allowOtherId,
  allowValues,
  emptyOrLong,
  MOST_LOCATION,
  MOST_SUSPEND_DATA,
} from './allowed-values.ts';
import { elementOf, GROUPS_2004 } from './element-of.ts';
import { EXITS_OF_ALL } from './exits.ts';
import { loadCmi, setKept } from './kept-values.ts';
import { type Navigation, navigationOf } from './navigation.ts';
import { NOTHING_SENT } from './nothing-sent.ts';
import { type Engine, type OnChange, ScormSession } from './scorm-session.ts';
import { isUnset, NOT_INITIALIZED, readError, setError, textError } from './scorm2004-rules.ts';
import type { Sequencer } from './sequencer.ts';

const NO_LOG = 5;
/** The engine does not allow emptying these elements, but the standard does. */
const EMPTIABLE = ['cmi.location', 'cmi.learner_preference.language'];

/** The initial data of a unit, from the server. */
export interface Scorm2004Start {
  cmi: Record<string, unknown>;
  /** All units, in the order of the contents. */
  units: string[];
  unit: string;
}

/**
 * The API of SCORM 2004, for `window.API_1484_11`.
 * @param sequencer decides where navigation leads; null for a course without sequencing
 */
export function scorm2004Api(
  data: Scorm2004Start,
  onChange: OnChange,
  onNavigation: (navigation: Navigation) => void,
  sequencer: Sequencer | null = null,
) {
  const totalMs = durationMs(String(data.cmi.total_time ?? '')) ?? 0;
  const set = new Set<string>();
  let request = '';
  const adlHost = sequencer?.hostOf(data.unit) ?? plainHost(data);
  const given =
    sequencer === null ? data.cmi : { ...data.cmi, objectives: sequencer.objectivesOf(data.unit, data.cmi) };
  const reportOf = (cmi: Record<string, unknown>): UnitReport => ({
    cmi,
    set,
    elapsedMs: session.elapsedMs,
  });
  const session = new ScormSession({
    timeIn: (cmi) => durationMs(String(cmi.session_time ?? '')),
    makeEngine: (left, earlierMs) =>
      engineOf(left === null ? given : resumed(left, totalMs + earlierMs), adlHost, {
        onSet: (element) => set.add(element),
        onTerminated: (cmi, asked) => {
          request = EXITS_OF_ALL.includes(cmi.exit) ? 'exitAll' : asked;
          sequencer?.terminated(data.unit, reportOf(cmi), asked);
        },
        canSuspend: () => sequencer?.endsUnit !== true,
      }),
    onChange(how) {
      onChange(how);
      const navigation = how === 'terminate' && sequencer === null ? navigationOf(request) : null;
      if (navigation !== null) onNavigation(navigation);
    },
    isNewAttempt: sequencer?.isResumed === false,
  });
  const api = {
    Initialize: session.initialize,
    Terminate: session.terminate,
    GetValue: session.getValue,
    SetValue: session.setValue,
    Commit: session.commit,
    GetLastError: session.lastError,
    GetErrorString: session.errorString,
    GetDiagnostic: session.diagnostic,
  };
  /** What the unit has reported so far. */
  const report = () => reportOf(session.snapshot().cmi);
  return { session, api, report };
}

function engineOf(
  cmi: Record<string, unknown>,
  adlHost: AdlHost,
  {
    onSet,
    onTerminated,
    canSuspend,
  }: {
    onSet: (element: string) => void;
    onTerminated: (left: Record<string, unknown>, asked: string) => void;
    /** Whether the unit's own navigation request may suspend it. */
    canSuspend: () => boolean;
  },
): Engine {
  const inner = new Scorm2004API({
    autocommit: false,
    lmsCommitUrl: 'none',
    logLevel: NO_LOG,
    httpService: NOTHING_SENT as never,
  });
  const { learner_preference: preference, interactions } = inner.cmi;
  allowValues(inner.cmi, 'suspend_data', emptyOrLong(MOST_SUSPEND_DATA));
  allowValues(inner.cmi, 'location', emptyOrLong(MOST_LOCATION));
  allowValues(preference, 'language', (value) => value === '');
  allowValues(preference, 'delivery_speed', (value) => /^0+(?:\.0+)?$/.test(value));
  loadCmi(inner, cmi);
  const adl = new AdlModel(adlHost);
  /** The error of `adl`, if the last call concerned it. */
  let adlError: string | null = null;
  const set = new Set<string>();
  const read = () => {
    const { cmi: members } = inner.renderCMIToJSONObject() as unknown as { cmi: Record<string, unknown> };
    // Suspending the whole course suspends the unit, whose exit need not say so (Sequencing and Navigation, TB.2.3).
    const isSuspended = adl.request === 'suspendAll' && !EXITS_OF_ALL.includes(members.exit) && canSuspend();
    return {
      ...members,
      ...(isSuspended ? { exit: 'suspend' } : {}),
      // A unit that measured no time must not report a time of zero.
      ...(set.has('cmi.session_time') ? {} : { session_time: '' }),
    };
  };
  const countOf = (list: string) => Number(inner.GetValue(`${list}._count`)) || 0;
  const isAdl = (element: string) => AdlModel.holds(element) && inner.isInitialized();
  const lastErrorOfInner = () => String(inner.GetLastError());
  const lastError = () => adlError ?? lastErrorOfInner();
  const ofInner = <T>(value: T): T => {
    adlError = null;
    return value;
  };
  const ofAdl = ({ value, error }: { value: string; error: number }) => {
    adlError = String(error);
    return value;
  };
  return {
    initialize: (parameter) => ofInner(inner.Initialize(parameter as '')),
    terminate(parameter) {
      const left = read();
      const result = ofInner(inner.Terminate(parameter as ''));
      if (result === 'true') onTerminated(left, adl.request);
      return result;
    },
    getValue(element) {
      if (isAdl(element)) return ofAdl(adl.get(element));
      const error = inner.isInitialized() ? readError(element, countOf) : 0;
      if (error !== 0) return ofAdl({ value: '', error });
      // For some elements, the engine keeps the error of an earlier call.
      inner.lastErrorCode = '0';
      const value = String(inner.GetValue(elementOf(element, GROUPS_2004)));
      if (value === '' && inner.isInitialized()) {
        // The engine does not distinguish an empty value from one that was never set.
        if (EMPTIABLE.includes(element) && set.has(element)) return ofAdl({ value, error: 0 });
        if (isUnset(element) && !set.has(element) && lastErrorOfInner() === '0')
          return ofAdl({ value, error: NOT_INITIALIZED });
      }
      return ofInner(value);
    },
    setValue(element, value) {
      if (isAdl(element)) return ofAdl(adl.set(element, value));
      const error = inner.isInitialized()
        ? setError(element, value, (name) => String(inner.GetValue(name))) ||
          textError(inner.cmi, element, value)
        : 0;
      if (error !== 0) return ofAdl({ value: 'false', error });
      if (EMPTIABLE.includes(element) && value === '' && inner.isInitialized()) {
        if (element === 'cmi.location') (inner.cmi as { location: string }).location = '';
        else preference.language = '';
        set.add(element);
        onSet(element);
        return ofAdl({ value: 'true', error: 0 });
      }
      allowOtherId(interactions, element);
      const setInner = (given: string) => inner.SetValue(elementOf(element, GROUPS_2004), given);
      const result = ofInner(setKept(inner.cmi, element, value, setInner));
      if (result === 'true') {
        set.add(element);
        onSet(element);
      }
      return result;
    },
    commit: (parameter) => ofInner(inner.Commit(parameter as '')),
    lastError,
    errorString: (code) => inner.GetErrorString(code),
    diagnostic: (code) => inner.GetDiagnostic(code === '' ? lastError() : code),
    read,
  };
}

/** Without sequencing, a unit may request the next, the previous and any other unit. */
function plainHost({ units, unit }: Scorm2004Start): AdlHost {
  const at = units.indexOf(unit);
  return {
    isValid(request) {
      if (request === 'continue') return String(at < units.length - 1) as 'true' | 'false';
      if (request === 'previous') return String(at > 0) as 'true' | 'false';
      const target = /^\{target=(.+)\}(?:choice|jump)$/.exec(request)?.[1];
      return target === undefined || !units.includes(target) ? 'unknown' : 'true';
    },
    hasTarget: (id) => units.includes(id),
    stores: [],
    read: () => null,
    write() {},
  };
}

/** The data for a course that initializes again in the same page: everything that it has reported. */
function resumed(cmi: Record<string, unknown>, totalMs: number): Record<string, unknown> {
  const entry = cmi.exit === 'suspend' ? 'resume' : '';
  return { ...cmi, entry, exit: '', session_time: 'PT0S', total_time: durationOf(totalMs) };
}
