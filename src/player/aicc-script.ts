/** The statuses that a script compares with, by their first letter (CMI001, section 5.6). */
const STATUSES = {
  p: 'passed',
  c: 'completed',
  b: 'browsed',
  f: 'failed',
  n: 'not attempted',
  i: 'incomplete',
} as const;

/** The status of a structure element, which is a unit or a block. */
export type ElementStatus = (typeof STATUSES)[keyof typeof STATUSES];

/** Returns the status of the element with an id; null if the course has no such element or its status is unknown. */
export type StatusOf = (id: string) => ElementStatus | null;

type Token = { kind: 'symbol' | 'word' | 'text'; text: string };
/** True, false, or unknown. */
type Truth = boolean | null;

const TOKEN = /\s*(?:(<>|[&|~=(){},*])|"([^"]*)"|([^\s&|~=(){},*<>"]+))/y;
/** Deeper than any author nests, and shallow enough for the stack. */
const MAX_DEPTH = 50;

/**
 * Evaluates a script of the AICC script language. AICC and SCORM 1.1 and 1.2 use it for prerequisites:
 * `A1 & (A2 | ~A3)`, `A1="passed"`, `2*{A1, A2, A3}`. An element on its own is true if it is passed or completed.
 *
 * @returns null if the script cannot be parsed, or depends on an element whose status is unknown
 */
export function evaluateAiccScript(script: string, statusOf: StatusOf): boolean | null {
  const tokens = tokensOf(script);
  if (tokens === null || tokens.length === 0) return null;
  try {
    return new Evaluation(tokens, statusOf).run();
  } catch (error) {
    if (error instanceof ScriptError) return null;
    throw error;
  }
}

class ScriptError extends Error {}

function tokensOf(script: string): Token[] | null {
  const tokens: Token[] = [];
  const text = script.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (match === null) return null;
    const [, symbol, quoted, word] = match;
    if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol });
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted });
    else tokens.push({ kind: 'word', text: word ?? '' });
  }
  return tokens;
}

/** One pass over a script. `~` binds before `=`, `=` before `&`, and `&` before `|`. */
class Evaluation {
  readonly #tokens: readonly Token[];
  readonly #statusOf: StatusOf;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], statusOf: StatusOf) {
    this.#tokens = tokens;
    this.#statusOf = statusOf;
  }

  run(): Truth {
    const result = this.#either();
    if (this.#at < this.#tokens.length) throw new ScriptError();
    return result;
  }

  #either(): Truth {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new ScriptError();
    let result = this.#both();
    while (this.#take('|')) {
      const other = this.#both();
      result = result === true || other === true ? true : result === null || other === null ? null : false;
    }
    this.#depth -= 1;
    return result;
  }

  #both(): Truth {
    let result = this.#operand();
    while (this.#take('&')) {
      const other = this.#operand();
      result = result === false || other === false ? false : result === null || other === null ? null : true;
    }
    return result;
  }

  #operand(): Truth {
    let isNegated = false;
    while (this.#take('~')) isNegated = !isNegated;
    const result = this.#plainOperand();
    return result === null ? null : result !== isNegated;
  }

  #plainOperand(): Truth {
    if (this.#take('(')) {
      const result = this.#either();
      this.#expect(')');
      return result;
    }
    const { kind, text } = this.#tokens[this.#at++] ?? { kind: 'symbol' };
    if (kind === 'symbol' || text === undefined) throw new ScriptError();
    if (/^\d+$/.test(text) && this.#take('*')) return this.#someOf(Number(text));
    const status = this.#statusOf(text);
    if (this.#take('=')) return this.#isStatus(status);
    if (this.#take('<>')) {
      const isStatus = this.#isStatus(status);
      return isStatus === null ? null : !isStatus;
    }
    return status === null ? null : isDone(status);
  }

  /** `2*{A, B, C}`: at least two of them. */
  #someOf(count: number): Truth {
    this.#expect('{');
    let met = 0;
    let unknown = 0;
    do {
      const result = this.#either();
      if (result === true) met += 1;
      else if (result === null) unknown += 1;
    } while (this.#take(','));
    this.#expect('}');
    return met >= count ? true : met + unknown >= count ? null : false;
  }

  #isStatus(status: ElementStatus | null): Truth {
    const token = this.#tokens[this.#at++];
    const letter = token?.text.trim().charAt(0).toLowerCase() ?? '';
    if (token === undefined || token.kind === 'symbol' || !Object.hasOwn(STATUSES, letter)) {
      throw new ScriptError();
    }
    const asked = STATUSES[letter as keyof typeof STATUSES];
    if (status === null) return null;
    // Passing implies completion.
    return status === asked || (asked === 'completed' && status === 'passed');
  }

  #take(symbol: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'symbol' || token.text !== symbol) return false;
    this.#at += 1;
    return true;
  }

  #expect(symbol: string): void {
    if (!this.#take(symbol)) throw new ScriptError();
  }
}

function isDone(status: ElementStatus): boolean {
  return status === 'passed' || status === 'completed';
}
