import type { ScormVersion } from './data-model.ts';
import type { ElementRule } from './data-model-tables.ts';

/** The result of a call, and its error code. */
export interface Answer {
  value: string;
  error: string;
}

/** The error codes of the standards: SCORM 1.2 Run-Time Environment 3.3.3, SCORM 2004 Run-Time Environment 3.1.7. */
export const ERRORS = {
  '1.2': {
    before: { get: '301', set: '301', commit: '301', terminate: '301' },
    // The player still allows reading and a last commit.
    after: { get: null, set: '301', commit: null, terminate: '301' },
    initialized: '101',
    readOnly: '403',
    keyword: '402',
    writeOnly: '404',
    type: '405',
    range: '405',
    unset: '0',
    getBeyond: '201',
    setBeyond: '201',
  },
  '2004': {
    before: { get: '122', set: '132', commit: '142', terminate: '112' },
    after: { get: '123', set: '133', commit: '143', terminate: '113' },
    initialized: '103',
    readOnly: '404',
    keyword: '404',
    writeOnly: '405',
    type: '406',
    range: '407',
    unset: '403',
    getBeyond: '301',
    setBeyond: '351',
  },
} as const;
const OK = '0';
const DEPENDENCY = '408';
const SET_FAILURE = '351';
const KEYWORD = /\._(?:children|count|version)$/;
const OBJECTIVE_ID = /^cmi\.objectives\.\d+\.id$/;
const PLACES = /\.(\d+)\./g;

/** The data model, derived only from the tables of the standards, as an independent check of the player's. */
export class PlainDataModel {
  readonly #version: ScormVersion;
  readonly #rules: ReadonlyMap<string, ElementRule>;
  readonly #values = new Map<string, string>();
  #state: 'before' | 'running' | 'after' = 'before';

  constructor(version: ScormVersion, rules: readonly ElementRule[]) {
    this.#version = version;
    this.#rules = new Map(rules.map((rule) => [rule.element, rule]));
  }

  /** A course that has terminated may begin again, which the player allows beyond the standards. */
  initialize(): Answer {
    if (this.#state === 'running') return { value: 'false', error: this.#errors.initialized };
    if (this.#state === 'after') {
      this.#values.set('cmi.entry', this.#hasSuspended ? 'resume' : '');
      this.#values.delete('adl.nav.request');
      this.#values.delete('cmi.exit');
      // An element that is left empty counts as never set.
      for (const [element, value] of this.#values) if (value === '') this.#values.delete(element);
    }
    this.#state = 'running';
    return { value: 'true', error: OK };
  }

  terminate(): Answer {
    const refused = this.#refusal('terminate');
    if (refused !== null) return { value: 'false', error: refused };
    this.#state = 'after';
    return { value: 'true', error: OK };
  }

  commit(): Answer {
    const refused = this.#refusal('commit');
    return refused === null ? { value: 'true', error: OK } : { value: 'false', error: refused };
  }

  get(element: string): Answer {
    const error = this.#refusal('get');
    if (error !== null) return { value: '', error };
    const rule = this.#ruleOf(element);
    if (this.#isBeyond(element, 0)) return { value: '', error: this.#errors.getBeyond };
    if (rule.access === 'write') return { value: '', error: this.#errors.writeOnly };
    if (element.endsWith('._count')) {
      return { value: String(this.#countOf(element.slice(0, -'._count'.length))), error: OK };
    }
    const value = this.#values.get(element);
    if (value !== undefined) return { value, error: OK };
    const { initial = '' } = rule;
    return initial === null ? { value: '', error: this.#errors.unset } : { value: initial, error: OK };
  }

  set(element: string, value: string): Answer {
    const error = this.#refusal('set') ?? this.#setError(element, value);
    if (error !== null) return { value: 'false', error };
    this.#values.set(element, value);
    return { value: 'true', error: OK };
  }

  /** Whether the unit, or its request to suspend the whole course, has suspended it. */
  get #hasSuspended(): boolean {
    const exit = this.#values.get('cmi.exit') ?? '';
    const suspendsAll = this.#values.get('adl.nav.request') === 'suspendAll';
    return exit === 'suspend' || (suspendsAll && exit !== 'time-out' && exit !== 'logout');
  }

  get #errors() {
    return ERRORS[this.#version];
  }

  #refusal(call: 'get' | 'set' | 'commit' | 'terminate'): string | null {
    return this.#state === 'running' ? null : this.#errors[this.#state][call];
  }

  #setError(element: string, value: string): string | null {
    const rule = this.#ruleOf(element);
    if (this.#isBeyond(element, 1)) return this.#errors.setBeyond;
    if (KEYWORD.test(element)) return this.#errors.keyword;
    if (rule.access === 'read') return this.#errors.readOnly;
    if (this.#lacksId(element)) return DEPENDENCY;
    if (rule.bad?.includes(value)) return this.#errors.type;
    if (rule.outside?.includes(value)) return this.#errors.range;
    return this.#isOtherObjective(element, value) ? SET_FAILURE : null;
  }

  /** In SCORM 2004 the members of objectives and interactions depend on the id. */
  #lacksId(element: string): boolean {
    const [, place, member] = /^(cmi\.(?:objectives|interactions)\.\d+)\.(.+)$/.exec(element) ?? [];
    return (
      this.#version === '2004' && place !== undefined && member !== 'id' && !this.#values.has(`${place}.id`)
    );
  }

  /** In SCORM 2004 the id of an objective is unique and stays. */
  #isOtherObjective(element: string, value: string): boolean {
    if (this.#version !== '2004' || !OBJECTIVE_ID.test(element)) return false;
    const current = this.#values.get(element);
    if (current !== undefined) return current !== value;
    return [...this.#values].some(([name, other]) => OBJECTIVE_ID.test(name) && other === value);
  }

  /** Whether an index of the element is at least `more` beyond the end of its list. */
  #isBeyond(element: string, more: number): boolean {
    return [...element.matchAll(PLACES)].some(
      ({ index, 1: place }) => Number(place) >= this.#countOf(element.slice(0, index)) + more,
    );
  }

  #countOf(list: string): number {
    const places = [...this.#values.keys()]
      .filter((name) => name.startsWith(`${list}.`))
      .map((name) => Number(name.slice(list.length + 1).split('.')[0]));
    return Math.max(-1, ...places) + 1;
  }

  #ruleOf(element: string): ElementRule {
    let places = 0;
    const name = element.replaceAll(PLACES, () => (places++ === 0 ? '.n.' : '.m.'));
    const rule = this.#rules.get(name);
    if (rule === undefined) throw new Error(`the tables do not have ${name}`);
    return rule;
  }
}
