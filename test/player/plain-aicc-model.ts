import type { AiccElement } from './aicc-tables.ts';

/** The error number of a HACP response. */
export type PlainAnswer = '0' | '1' | '3';

/** A message with values for elements. */
export interface PlainMessage {
  text: string;
  values: readonly { element: AiccElement; written: string; read: string | null }[];
  exit: string;
}

const EXITS = ['', 'logout', 'time-out', 'suspend', 'S', 'L'];
const DONE = ['passed', 'completed', 'failed'];
const MASTERY_SCORE = 80;
const ALLOWED_S = 30 * 60;

/**
 * The data model of an AICC unit, derived only from its table, as an independent check of the service's. Times add up
 * over visits. A passed unit is opened for review, which changes nothing.
 */
export class PlainAiccModel {
  readonly #elements: readonly AiccElement[];
  readonly #values = new Map<string, string>();
  #isNew = true;
  #exit = '';
  /** Whether the last visit that changed something has ended, and whether this visit has changed something, or its status. */
  #hasEnded = true;
  #hasBegun = false;
  #hasSetStatus = false;
  #earlierS = 0;
  #totalS = 0;
  #isCompleted = false;
  #success: 'PASS' | 'FAIL' | 'UNKNOWN' = 'UNKNOWN';
  isReview = false;

  constructor(elements: readonly AiccElement[]) {
    this.#elements = elements;
    for (const { name, initial = '' } of elements) this.#values.set(name, initial);
    this.#values.set('Lesson_Status', 'not attempted');
  }

  /** A new window. */
  open(): void {
    const isLeftOpen = this.#exit === 'suspend' || !this.#hasEnded;
    const canContinue = (isLeftOpen || this.#success === 'UNKNOWN') && this.#totalS < ALLOWED_S;
    this.isReview = this.#isCompleted && this.#success !== 'FAIL' && !canContinue;
    this.#hasBegun = false;
    this.#hasSetStatus = false;
    if (this.isReview) return;
    this.#earlierS = this.#totalS;
  }

  put({ values, exit }: PlainMessage): PlainAnswer {
    if (this.isReview) return '0';
    this.#isNew = false;
    this.#begin();
    for (const { element, read } of values) {
      if (read === null) continue;
      if (element.name === 'Lesson_Status') this.#hasSetStatus = true;
      if (element.name === 'Time') {
        this.#totalS = Math.max(this.#totalS, this.#earlierS + secondsOf(read));
      } else this.#values.set(element.name, read);
    }
    const hasCore = values.some(({ element }) => element.group === 'Core');
    if (hasCore) this.#exit = exit.toLowerCase().startsWith('s') ? 'suspend' : exit;
    this.#judge(this.#values.get('Lesson_Status')!);
    return '0';
  }

  exit(): PlainAnswer {
    if (this.isReview) return '0';
    this.#begin();
    this.#hasEnded = true;
    const status = this.#values.get('Lesson_Status')!;
    this.#judge(status === 'not attempted' && this.#exit !== 'suspend' ? 'completed' : status);
    return '0';
  }

  /** The value of each element that the unit reads. */
  values(): Record<string, string> {
    const isLeftOpen = this.#exit === 'suspend' || (!this.#hasBegun && !this.#hasEnded);
    const entry = this.#isNew ? ', ab-initio' : isLeftOpen ? ', resume' : '';
    return {
      ...Object.fromEntries(this.#values),
      Lesson_Status: `${this.#lessonStatus()}${entry}`,
      Time: timeOf(this.#totalS),
      Lesson_Mode: this.isReview ? 'review' : 'normal',
      Credit: this.isReview ? 'no-credit' : 'credit',
    };
  }

  /** The status that the unit has set in this visit; before that, the recorded one. */
  #lessonStatus(): string {
    if (this.#hasSetStatus || !this.#isCompleted) return this.#values.get('Lesson_Status')!;
    return { PASS: 'passed', FAIL: 'failed', UNKNOWN: 'completed' }[this.#success];
  }

  /** A message with values for some elements, good and bad ones. @param names only of these, all of them */
  messageOf(random: (below: number) => number, names: readonly string[] | null = null): PlainMessage {
    const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
    const chosen = this.#elements.filter(({ name }) => names?.includes(name) ?? random(4) === 0);
    const values = chosen.map((element) => {
      const good = element.good ?? [];
      const bad = element.bad ?? [];
      const at = random(names === null ? good.length + bad.length || 1 : good.length);
      const each = good[at] ?? bad[at - good.length] ?? 'x';
      const [written, read] = typeof each === 'string' ? [each, each] : each;
      return { element, written, read: at < good.length ? read : null };
    });
    let exit = '';
    const lines = new Map<string, string[]>();
    for (const { element, written } of values) {
      const group = lines.get(element.group) ?? [];
      lines.set(element.group, group);
      const isStatus = element.name === 'Lesson_Status';
      if (isStatus) exit = pick(EXITS);
      const name = pick([element.name, element.name.toLowerCase(), element.name.toUpperCase()]);
      group.push(`${name}${pick(['=', ' = '])}${written}${isStatus && exit !== '' ? `,${exit}` : ''}`);
    }
    lines.get('Objectives_Status')?.unshift('J_ID.1=O1', 'J_ID.2=O2');
    const text = [...lines].flatMap(([group, each]) => [`[${pick([group, group.toLowerCase()])}]`, ...each]);
    return { text: text.join(pick(['\r\n', '\n'])), values, exit };
  }

  /** The first message of a visit that changes something. */
  #begin(): void {
    if (!this.#hasBegun) this.#hasEnded = false;
    this.#hasBegun = true;
  }

  /** Completed and PASS stay. */
  #judge(status: string): void {
    if (DONE.includes(status)) this.#isCompleted = true;
    const [raw = ''] = this.#values.get('Score')!.split(',');
    const byScore = raw === '' ? 'UNKNOWN' : Number(raw) >= MASTERY_SCORE ? 'PASS' : 'FAIL';
    const success =
      status === 'passed'
        ? 'PASS'
        : status === 'failed'
          ? 'FAIL'
          : status === 'completed'
            ? byScore
            : 'UNKNOWN';
    if (this.#success !== 'PASS' && success !== 'UNKNOWN') this.#success = success;
  }
}

/** Seconds of `HHHH:MM:SS.SS`. */
function secondsOf(time: string): number {
  const [hours, minutes, seconds] = time.split(':').map(Number) as [number, number, number];
  return (hours * 60 + minutes) * 60 + seconds;
}

function timeOf(total: number): string {
  const hours = Math.min(Math.floor(total / 3_600), 9_999);
  const minutes = Math.floor((total % 3_600) / 60);
  return [
    String(hours).padStart(4, '0'),
    String(minutes).padStart(2, '0'),
    (total % 60).toFixed(2).padStart(5, '0'),
  ].join(':');
}
