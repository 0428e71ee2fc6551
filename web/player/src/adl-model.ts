import type { SharedDataMap } from '../../../src/course-packages/course-structure.ts';
import { targetOf } from './navigation.ts';
import {
  GET_FAILURE,
  NO_ERROR,
  NOT_INITIALIZED,
  READ_ONLY,
  SET_FAILURE,
  TYPE_MISMATCH,
  UNDEFINED,
  WRITE_ONLY,
} from './scorm2004-errors.ts';

/** The data of the course on which a unit's `adl` data model works. */
export interface AdlHost {
  /** Whether a value of `adl.nav.request` would be followed now. */
  isValid(request: string): 'true' | 'false' | 'unknown';
  hasTarget(id: string): boolean;
  /** The stores that the unit can access, in order. */
  readonly stores: readonly SharedDataMap[];
  /** Returns the value of a store; null before it was set. */
  read(id: string): string | null;
  write(id: string, value: string): void;
}

const MOST_OF_STORE = 64_000;
const REQUESTS = ['continue', 'previous', 'exit', 'exitAll', 'abandon', 'abandonAll', 'suspendAll', '_none_'];

/** A result of the data model, with the error code of the standard. */
export interface AdlResult {
  value: string;
  error: number;
}

/**
 * The parts of SCORM 2004's data model that concern the course, not the unit: `adl.nav` and `adl.data` (Run-Time
 * Environment 4.3; Sequencing and Navigation 5.6).
 */
export class AdlModel {
  readonly #host: AdlHost;
  /** The request that the unit makes when it terminates. */
  request = '_none_';

  constructor(host: AdlHost) {
    this.#host = host;
  }

  /** Whether an element belongs to this model. */
  static holds(element: string): boolean {
    return element === 'adl' || element.startsWith('adl.');
  }

  get(element: string): AdlResult {
    const valid = /^adl\.nav\.request_valid\.(.+)$/.exec(element)?.[1];
    if (valid !== undefined) return this.#getValid(valid);
    if (element === 'adl.nav.request') return found(this.request);
    return this.#getData(element) ?? failed(UNDEFINED);
  }

  set(element: string, value: string): AdlResult {
    if (element === 'adl.nav.request') return this.#setRequest(value);
    if (/^adl\.nav\.request_valid\.(?:continue|previous|(?:choice|jump)\.\{target=.+\})$/.test(element)) {
      return failed(READ_ONLY, 'false');
    }
    return this.#setData(element, value) ?? failed(UNDEFINED, 'false');
  }

  #getValid(asked: string): AdlResult {
    if (asked === 'continue' || asked === 'previous') return found(this.#host.isValid(asked));
    const [, to, target] = /^(choice|jump)\.\{target=(.+)\}$/.exec(asked) ?? [];
    if (target === undefined) return failed(asked === 'choice' || asked === 'jump' ? GET_FAILURE : UNDEFINED);
    return found(this.#host.isValid(`{target=${target}}${to}`));
  }

  #setRequest(value: string): AdlResult {
    const target = targetOf(value);
    const isKnown = target === undefined ? REQUESTS.includes(value) : this.#host.hasTarget(target);
    if (!isKnown) return failed(TYPE_MISMATCH, 'false');
    this.request = value;
    return found('true');
  }

  #getData(element: string): AdlResult | null {
    const { stores } = this.#host;
    if (element === 'adl.data._children') return found('id,store');
    if (element === 'adl.data._count') return found(String(stores.length));
    const [, index, member] = /^adl\.data\.(\d+)\.(id|store)$/.exec(element) ?? [];
    if (index === undefined) return null;
    const store = stores[Number(index)];
    if (store === undefined) return failed(GET_FAILURE);
    if (member === 'id') return found(store.targetId);
    if (!store.readSharedData) return failed(WRITE_ONLY);
    const value = this.#host.read(store.targetId);
    return value === null || value === '' ? failed(NOT_INITIALIZED) : found(value);
  }

  #setData(element: string, value: string): AdlResult | null {
    if (element === 'adl.data._children' || element === 'adl.data._count') return failed(READ_ONLY, 'false');
    const [, index, member] = /^adl\.data\.(\d+)\.(id|store)$/.exec(element) ?? [];
    if (index === undefined) return null;
    const store = this.#host.stores[Number(index)];
    if (store === undefined) return failed(SET_FAILURE, 'false');
    if (member === 'id' || !store.writeSharedData) return failed(READ_ONLY, 'false');
    if (value.length > MOST_OF_STORE) return failed(TYPE_MISMATCH, 'false');
    this.#host.write(store.targetId, value);
    return found('true');
  }
}

function found(value: string): AdlResult {
  return { value, error: NO_ERROR };
}

function failed(error: number, value = ''): AdlResult {
  return { value, error };
}
