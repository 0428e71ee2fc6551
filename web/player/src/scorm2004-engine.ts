import { Scorm2004API } from 'scorm-again/scorm2004/min';
import { type AdlHost, AdlModel, type AdlResult } from './adl-model.ts';
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
import { NOTHING_SENT } from './nothing-sent.ts';
import type { Engine } from './scorm-session.ts';
import { NO_ERROR, NOT_INITIALIZED } from './scorm2004-errors.ts';
import { isUnset, readError, setError, textError } from './scorm2004-rules.ts';

const NO_LOG = 5;
/** The library does not allow emptying these elements, but the standard does. */
const EMPTIABLE = ['cmi.location', 'cmi.learner_preference.language'];

/** The parts of a course that the data model of a unit needs. */
export interface Scorm2004Host {
  adl: AdlHost;
  /** Called with each element that the unit has set. */
  onSet(element: string): void;
  /** @param asked the value of `adl.nav.request` */
  onTerminated(left: Record<string, unknown>, asked: string): void;
  /** Whether the unit's own navigation request may suspend it. */
  canSuspend(): boolean;
}

/**
 * The data model of SCORM 2004: that of the library, with `adl`, and with the checks that differ from the library's.
 */
export class Scorm2004Engine implements Engine {
  readonly #inner: Scorm2004API;
  readonly #adl: AdlModel;
  readonly #host: Scorm2004Host;
  /** The elements that the unit has set. */
  readonly #set = new Set<string>();
  /** The error of the last call, if it is not that of the library. */
  #ownError: string | null = null;

  /** @param cmi the initial members */
  constructor(cmi: Record<string, unknown>, host: Scorm2004Host) {
    this.#host = host;
    this.#adl = new AdlModel(host.adl);
    this.#inner = new Scorm2004API({
      autocommit: false,
      lmsCommitUrl: 'none',
      logLevel: NO_LOG,
      httpService: NOTHING_SENT as never,
    });
    const { cmi: model } = this.#inner;
    allowValues(model, 'suspend_data', emptyOrLong(MOST_SUSPEND_DATA));
    allowValues(model, 'location', emptyOrLong(MOST_LOCATION));
    allowValues(model.learner_preference, 'language', (value) => value === '');
    allowValues(model.learner_preference, 'delivery_speed', (value) => /^0+(?:\.0+)?$/.test(value));
    loadCmi(this.#inner, cmi);
  }

  initialize(parameter: string): string {
    return this.#ofLibrary(this.#inner.Initialize(parameter as ''));
  }

  terminate(parameter: string): string {
    const left = this.read();
    const result = this.#ofLibrary(this.#inner.Terminate(parameter as ''));
    if (result === 'true') this.#host.onTerminated(left, this.#adl.request);
    return result;
  }

  getValue(element: string): string {
    if (this.#isOfAdl(element)) return this.#own(this.#adl.get(element));
    const { isRunning } = this;
    const error = isRunning ? readError(element, (list) => this.#countOf(list)) : NO_ERROR;
    if (error !== NO_ERROR) return this.#own({ value: '', error });
    // For some elements, the library keeps the error of an earlier call.
    this.#inner.lastErrorCode = '0';
    const value = String(this.#inner.GetValue(elementOf(element, GROUPS_2004)));
    const emptyError = isRunning && value === '' ? this.#emptyError(element) : null;
    return emptyError === null ? this.#ofLibrary(value) : this.#own({ value, error: emptyError });
  }

  setValue(element: string, value: string): string {
    if (this.#isOfAdl(element)) return this.#own(this.#adl.set(element, value));
    const { cmi } = this.#inner;
    const error = this.isRunning
      ? setError(element, value, (name) => String(this.#inner.GetValue(name))) ||
        textError(cmi, element, value)
      : NO_ERROR;
    if (error !== NO_ERROR) return this.#own({ value: 'false', error });
    if (EMPTIABLE.includes(element) && value === '' && this.isRunning) {
      if (element === 'cmi.location') (cmi as { location: string }).location = '';
      else cmi.learner_preference.language = '';
      this.#noteSet(element);
      return this.#own({ value: 'true', error: NO_ERROR });
    }
    allowOtherId(cmi.interactions, element);
    const set = (given: string) => this.#inner.SetValue(elementOf(element, GROUPS_2004), given);
    const result = this.#ofLibrary(setKept(cmi, element, value, set));
    if (result === 'true') this.#noteSet(element);
    return result;
  }

  commit(parameter: string): string {
    return this.#ofLibrary(this.#inner.Commit(parameter as ''));
  }

  lastError(): string {
    return this.#ownError ?? this.#errorOfLibrary;
  }

  errorString(code: string): string {
    return this.#inner.GetErrorString(code);
  }

  diagnostic(code: string): string {
    return this.#inner.GetDiagnostic(code === '' ? this.lastError() : code);
  }

  read(): Record<string, unknown> {
    const { cmi } = this.#inner.renderCMIToJSONObject() as unknown as { cmi: Record<string, unknown> };
    // Suspending the whole course suspends the unit, whose exit need not say so (Sequencing and Navigation, TB.2.3).
    const isSuspended =
      this.#adl.request === 'suspendAll' && !EXITS_OF_ALL.includes(cmi.exit) && this.#host.canSuspend();
    return {
      ...cmi,
      ...(isSuspended ? { exit: 'suspend' } : {}),
      // A unit that measured no time must not report a time of zero.
      ...(this.#set.has('cmi.session_time') ? {} : { session_time: '' }),
    };
  }

  /** Whether the unit has initialized and not terminated. */
  get isRunning(): boolean {
    return this.#inner.isInitialized();
  }

  #isOfAdl(element: string): boolean {
    return AdlModel.holds(element) && this.isRunning;
  }

  #countOf(list: string): number {
    return Number(this.#inner.GetValue(`${list}._count`)) || 0;
  }

  /** The error of reading an element that is empty; null if the library decides. It knows no element that was never set. */
  #emptyError(element: string): number | null {
    const wasSet = this.#set.has(element);
    if (EMPTIABLE.includes(element) && wasSet) return NO_ERROR;
    return isUnset(element) && !wasSet && this.#errorOfLibrary === '0' ? NOT_INITIALIZED : null;
  }

  #noteSet(element: string): void {
    this.#set.add(element);
    this.#host.onSet(element);
  }

  get #errorOfLibrary(): string {
    return String(this.#inner.GetLastError());
  }

  /** The result of a call that the library has handled, with its error. */
  #ofLibrary(result: string): string {
    this.#ownError = null;
    return result;
  }

  #own({ value, error }: AdlResult): string {
    this.#ownError = String(error);
    return value;
  }
}
